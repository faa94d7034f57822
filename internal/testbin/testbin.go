// Package testbin builds the programs as they ship, for tests that run them.
package testbin

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Names of the programs.
const (
	Ccdir  = "ccdir"
	Shim   = "ccdir-shim"
	Daemon = "ccdir-daemon"
	// Mortal is no program that ships: the daemon for tests that kill it.
	Mortal = "mortal"
)

var packages = map[string]string{Ccdir: "ccdir", Shim: "ccdir/cmd/ccdir-shim", Daemon: "ccdir/cmd/ccdir-daemon", Mortal: "ccdir/internal/testbin/mortal"}

// Build builds the named programs, all that ship if none is named, into dir. They lie
// side by side, as ccdir needs it.
func Build(dir string, names ...string) error { return build(dir, nil, names) }

// BuildFaulty builds all programs with their fail points (build tag faults).
func BuildFaulty(dir string) error { return build(dir, []string{"-tags", "split,faults"}, nil) }

// BuildVersion builds all programs as those of another version of ccdir.
func BuildVersion(dir, version string) error {
	return build(dir, []string{"-ldflags", "-X ccdir/internal/api.Version=" + version}, nil)
}

func build(dir string, flags, names []string) error {
	if len(names) == 0 {
		names = []string{Ccdir, Shim, Daemon}
	}
	for _, name := range names {
		cmd := exec.Command("go", append(append([]string{"build", "-trimpath", "-tags", "split"}, flags...), "-o", filepath.Join(dir, name), packages[name])...) //nolint:gosec // of our own module
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("building %s: %w\n%s", name, err, out)
		}
	}
	return nil
}

// Main builds the named programs into a directory of their own, runs the tests
// and removes it: what a TestMain exits with. use is told the directory.
func Main(use func(dir string), run func() int, names ...string) int {
	dir, err := os.MkdirTemp("", "ccdir-bin")
	if err == nil {
		defer func() { _ = os.RemoveAll(dir) }()
		err = Build(dir, names...)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	use(dir)
	return run()
}
