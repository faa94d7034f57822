// Package programs builds the real programs, for tests that run them.
package programs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Names of the programs.
const (
	Ccdir  = "ccdir"
	Shim   = "ccdir-shim"
	Daemon = "ccdir-daemon"
	Fleet  = "ccdir-fleet"
	// Mortal is a test program: the daemon for tests that kill it.
	Mortal = "mortal"
)

// EnvShared names a directory in which the test processes of one run share builds, so
// that each program is linked once; Go checks each time whether it is up to date.
const EnvShared = "CCDIR_TEST_PROGRAMS"

var packages = map[string]string{Ccdir: "ccdir", Shim: "ccdir/cmd/ccdir-shim", Daemon: "ccdir/cmd/ccdir-daemon", Fleet: "ccdir/cmd/ccdir-fleet", Mortal: "ccdir/test/programs/mortal"}

// Build builds the named programs, or all that are released if none is named, into dir,
// side by side as ccdir needs them.
func Build(dir string, names ...string) error { return build(dir, nil, names) }

// BuildFaulty builds all programs with their fail points (build tag faults).
func BuildFaulty(dir string) error { return build(dir, []string{"-tags", "split,faults"}, nil) }

// BuildVersion builds all programs as another version of ccdir.
func BuildVersion(dir, version string) error {
	return build(dir, []string{"-ldflags", "-X ccdir/api.Version=" + version}, nil)
}

func build(dir string, flags, names []string) error {
	if len(names) == 0 {
		names = []string{Ccdir, Shim, Daemon}
	}
	if shared := os.Getenv(EnvShared); shared != "" && flags == nil {
		return copyBuilt(dir, shared, names)
	}
	return goBuild(dir, flags, names)
}

// copyBuilt builds into the shared directory and copies from there into dir. Tests may
// overwrite their copies.
func copyBuilt(dir, shared string, names []string) error {
	lock, err := os.OpenFile(filepath.Join(shared, ".lock"), os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // of the caller of the tests
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		return err
	}
	if err := goBuild(shared, nil, names); err != nil {
		return err
	}
	args := make([]string, 0, len(names)+1)
	for _, name := range names {
		args = append(args, filepath.Join(shared, name))
	}
	// cp writes the files, not this process: a child that another goroutine forks
	// meanwhile would inherit a descriptor open for writing, and such a program cannot
	// be executed.
	if out, err := exec.Command("cp", append(args, dir)...).CombinedOutput(); err != nil { //nolint:gosec // just built
		return fmt.Errorf("copying %s: %w\n%s", strings.Join(names, ", "), err, out)
	}
	return nil
}

// goBuild lets Go rebuild in dir whatever is out of date.
func goBuild(dir string, flags, names []string) error {
	// One call checks once what is up to date, and links the programs concurrently.
	// Test binaries do not know a checkout's tag either (api.Version).
	args := append([]string{"build", "-trimpath", "-buildvcs=false", "-tags", "split"}, flags...)
	args = append(args, "-o", dir+string(filepath.Separator))
	for _, name := range names {
		args = append(args, packages[name])
	}
	cmd := exec.Command("go", args...) //nolint:gosec // of our own module
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s: %w\n%s", strings.Join(names, ", "), err, out)
	}
	return nil
}

// Main builds the named programs into a temporary directory, runs the tests and removes
// it; it returns the exit code for TestMain. use gets the directory.
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
