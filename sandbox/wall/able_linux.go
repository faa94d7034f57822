package wall

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"ccdir/sandbox"

	"golang.org/x/sys/unix"
)

// tryTime bounds the try whether bubblewrap works.
const tryTime = 5 * time.Second

// Able tries what this machine can hold for this user. It starts a process; callers keep the
// answer.
func Able(ctx context.Context) (a sandbox.Ability) {
	a.Landlock = landlockVersion()
	_, err := unix.PrctlRetInt(unix.PR_GET_SECCOMP, 0, 0, 0, 0)
	a.Seccomp = err == nil
	program, err := lookBubblewrap()
	if err != nil {
		a.Why = err.Error()
		return a
	}
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "--unshare-user", "--unshare-ipc", "--unshare-uts", "--unshare-net", "--ro-bind", "/", "/", "--dev", "/dev", "--ro-bind", "/proc", "/proc", "--", "/proc/self/exe", "--version")
	if out, err := cmd.CombinedOutput(); err != nil {
		line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		a.Why = fmt.Sprintf("bubblewrap is installed and does not work here: %.200s", line)
		return a
	}
	a.Bubblewrap = true
	return a
}

// lookBubblewrap finds the program, where the system installs it: a directory of the caller's
// PATH could be anybody's.
func lookBubblewrap() (string, error) {
	for _, path := range []string{"/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap", "/run/current-system/sw/bin/bwrap"} {
		if unix.Access(path, unix.X_OK) == nil {
			return path, nil
		}
	}
	if _, err := os.Stat("/usr/bin"); err != nil {
		return "", err
	}
	return "", errors.New("bubblewrap is not installed: install the package bubblewrap")
}
