package client

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"ccdir/internal/text/textsafe"
)

// Names of the programs next to ccdir.
const (
	shimName   = "ccdir-shim"
	daemonName = "ccdir-daemon"
)

// ShimPath returns the path of the shim, which lies next to ccdir's executable exe.
func ShimPath(exe string) string { return filepath.Join(filepath.Dir(exe), shimName) }

// DaemonPath returns the path of the daemon's program, which lies next to ccdir's
// executable exe.
func DaemonPath(exe string) string { return filepath.Join(filepath.Dir(exe), daemonName) }

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

// CheckPrograms checks that the programs next to exe exist and have that version: shim and
// daemon, or, if the daemon is linked into exe, the shim alone.
func CheckPrograms(ctx context.Context, exe, version string, linked bool) error {
	if err := CheckShim(ctx, exe, version); err != nil || linked {
		return err
	}
	return CheckDaemon(ctx, exe, version)
}

// CheckShim checks that the shim next to exe exists and has that version.
func CheckShim(ctx context.Context, exe, version string) error {
	return checkProgram(ctx, ShimPath(exe), version)
}

// CheckDaemon checks that the daemon's program next to exe exists and has that version.
func CheckDaemon(ctx context.Context, exe, version string) error {
	return checkProgram(ctx, DaemonPath(exe), version)
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
