package client

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ccdir/internal/text/textsafe"
)

// Names of the programs next to ccdir.
const (
	// ShimName is also the name by which a ccdir that was built alone runs the shim's verbs.
	ShimName = "ccdir-shim"
	// DaemonName is the daemon's program, unless the daemon is linked into ccdir.
	DaemonName = "ccdir-daemon"
)

// ShimPath returns the path of the shim next to ccdir's executable exe.
func ShimPath(exe string) string { return filepath.Join(filepath.Dir(exe), ShimName) }

// Shim returns the path of the shim of ccdir's executable exe: the program next to it or, if
// there is none and linked says that exe has the shim's verbs, a symbolic link to exe in
// the directory state. It makes the link, or points one of another ccdir to exe: hosts
// that run keep their program.
func Shim(exe string, linked bool, state string) (string, error) {
	beside := ShimPath(exe)
	if _, err := os.Stat(beside); err == nil || !linked {
		return beside, nil // CheckShim says what is wrong with it
	}
	link := filepath.Join(state, ShimName)
	if to, err := os.Readlink(link); err == nil && to == exe {
		return link, nil
	}
	if err := os.MkdirAll(state, 0o700); err != nil {
		return "", fmt.Errorf("the link %s to ccdir cannot be made: %w", link, err)
	}
	made := link + "." + strconv.Itoa(os.Getpid())
	err := os.Symlink(exe, made)
	if err == nil {
		err = os.Rename(made, link)
	}
	if err != nil {
		return "", fmt.Errorf("the link %s to ccdir cannot be made: %w; `make install` installs ccdir with a shim of its own", link, err)
	}
	return link, nil
}

// DaemonPath returns the path of the daemon's program, which lies next to ccdir's
// executable exe.
func DaemonPath(exe string) string { return filepath.Join(filepath.Dir(exe), DaemonName) }

// DaemonCommand returns the command that runs the daemon in the foreground: the program
// next to exe, or exe itself if the daemon is linked into it.
func DaemonCommand(exe string, linked bool) []string {
	if linked {
		return []string{exe, "daemon", "run"}
	}
	return []string{DaemonPath(exe), "run"}
}

// versionTimeout bounds a program's version verb, which takes a few
// milliseconds.
const versionTimeout = 5 * time.Second

// CheckShim checks that the shim exists and has that version.
func CheckShim(ctx context.Context, shim, version string) error {
	return checkProgram(ctx, shim, version)
}

// CheckDaemon checks that the daemon's program next to exe exists and has that version.
func CheckDaemon(ctx context.Context, exe, version string) error {
	return checkProgram(ctx, DaemonPath(exe), version)
}

// CheckDatabase fails if ccdir-daemon, beside exe, cannot use the database: it is of a later
// version. env is the environment that names it.
func CheckDatabase(ctx context.Context, exe string, env []string) error {
	ctx, cancel := context.WithTimeout(ctx, versionTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, DaemonPath(exe), "check")
	cmd.Env = env
	_, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return errors.New(strings.TrimPrefix(textsafe.Line(strings.TrimSpace(string(exit.Stderr))), "ccdir: "))
	}
	return err
}

func checkProgram(ctx context.Context, path, version string) error {
	if _, err := os.Stat(path); err != nil {
		return fmt.Errorf("%s is missing: ccdir and %s must lie side by side; build or install both (`make build`)", path, filepath.Base(path))
	}
	got, err := ProgramVersion(ctx, path)
	if err != nil {
		return fmt.Errorf("%s does not run (%w): build or install it again (`make build`)", path, err)
	}
	if got != version {
		return fmt.Errorf("%s is version %s, this ccdir is %s: build or install both together (`make build`)", path, textsafe.Line(got), version)
	}
	return nil
}

// ProgramVersion returns the version that the program prints.
func ProgramVersion(ctx context.Context, path string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, versionTimeout)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "version").Output()
	if err != nil {
		return "", err
	}
	fields := strings.Fields(string(out))
	if len(fields) == 0 {
		return "", nil
	}
	return fields[len(fields)-1], nil
}
