package runner

import (
	"os/exec"
	"path/filepath"
	"strings"
)

// lookPath finds the program in the PATH of the environment that the command gets, not
// in that of this process, whose terminal may have been another: with exec's own look-up
// a session would get the tool chain of the first client. Relative directories in PATH
// don't count, as for exec. A name with a slash is taken from the command's directory.
func lookPath(name string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	path := "/usr/local/bin:/usr/bin:/bin" // where there is none, as shells do
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, "PATH="); ok {
			path = v // the last one counts
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
