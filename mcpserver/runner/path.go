package runner

import (
	"os/exec"
	"path/filepath"
	"strings"
)

// lookPath finds the program in the PATH of the command's environment, not of the
// daemon's: with exec's own look-up a session would get the tool chain of the terminal
// that started the daemon. Relative directories in PATH are skipped, as by exec. A name
// with a slash is relative to the command's directory.
func lookPath(name string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	path := "/usr/local/bin:/usr/bin:/bin" // the default of shells
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, "PATH="); ok {
			path = v // the last one wins
		}
	}
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if found, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return found, nil
		}
	}
	return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
}
