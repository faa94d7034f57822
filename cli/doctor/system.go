package doctor

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"ccdir/cli/verb"
)

// logindConfs are logind's main configuration files; later ones override earlier ones, and
// drop-ins override both, in the order of their names (systemd's logind.conf(5)).
var logindConfs = []string{"/usr/lib/systemd/logind.conf", "/etc/systemd/logind.conf"}

// logindDropIns are directories of drop-ins.
var logindDropIns = []string{"/usr/lib/systemd/logind.conf.d", "/run/systemd/logind.conf.d", "/etc/systemd/logind.conf.d"}

// checkLogind warns if logind kills a user's processes at logout.
func checkLogind(_ context.Context, a *verb.App) []check {
	if _, err := os.Stat("/run/systemd/system"); err != nil {
		return one("logout", checkOK, "systemd does not run: nothing ends sessions at logout", "")
	}
	files := slices.Clone(logindConfs)
	var drops []string
	for _, dir := range logindDropIns {
		found, _ := filepath.Glob(filepath.Join(dir, "*.conf")) // the pattern is constant
		drops = append(drops, found...)
	}
	slices.SortStableFunc(drops, func(x, y string) int { return strings.Compare(filepath.Base(x), filepath.Base(y)) })
	files = append(files, drops...)
	value, from := "", ""
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			continue // missing or not readable
		}
		if v := iniValue(string(data), "KillUserProcesses"); v != "" {
			value, from = v, name
		}
	}
	if isYes(value) {
		return one("logout", checkWarn, "KillUserProcesses="+value+" in "+from+" ends every session when you log out",
			"set KillUserProcesses=no in logind.conf")
	}
	return one("logout", checkOK, "sessions outlive a logout", "")
}

// iniValue returns the last value of a key.
func iniValue(text, key string) string {
	value := ""
	for sc := bufio.NewScanner(strings.NewReader(text)); sc.Scan(); {
		line := strings.TrimSpace(sc.Text())
		if strings.HasPrefix(line, "#") || strings.HasPrefix(line, ";") {
			continue
		}
		if k, v, ok := strings.Cut(line, "="); ok && strings.TrimSpace(k) == key {
			value = strings.TrimSpace(v)
		}
	}
	return value
}

// isYes reads a boolean as systemd does.
func isYes(v string) bool {
	switch strings.ToLower(v) {
	case "1", "yes", "y", "true", "t", "on":
		return true
	}
	return false
}

func checkPTY(_ context.Context, a *verb.App) []check {
	master, tty, err := pty.Open()
	if err != nil {
		return one("pty", checkFail, fmt.Sprintf("cannot open a pseudo terminal (%v)", err), "close some terminals, or raise the system's limit")
	}
	tty.Close()
	master.Close()
	used, most := ptyCount()
	switch {
	case most == 0:
		return one("pty", checkOK, "available", "")
	case most-used < 32:
		return one("pty", checkWarn, fmt.Sprintf("%d of %d in use", used, most), "each session needs one: raise kernel.pty.max")
	}
	return one("pty", checkOK, fmt.Sprintf("%d of %d in use", used, most), "")
}

// leastFiles is how many descriptors the daemon needs: two for each of 32 sessions, the
// database, some clients, and a reserve.
const leastFiles = 256

func checkFiles(_ context.Context, a *verb.App) []check {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return one("open files", checkWarn, "the limit is unknown: "+err.Error(), "")
	}
	detail := fmt.Sprintf("at most %d", limit.Cur)
	if limit.Cur == unix.RLIM_INFINITY {
		detail = "no limit"
	}
	if limit.Cur < leastFiles {
		return one("open files", checkWarn, detail, fmt.Sprintf("run `ulimit -n %d` or more before ccdir", leastFiles))
	}
	return one("open files", checkOK, detail, "")
}
