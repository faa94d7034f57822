package runner

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func spec(t *testing.T, script string) Spec {
	dir := t.TempDir()
	return Spec{Argv: []string{"sh", "-c", script}, Dir: dir, Env: os.Environ(), Log: filepath.Join(dir, "log"), Timeout: time.Minute}
}

func run(t *testing.T, ctx context.Context, s Spec) *Result {
	t.Helper()
	res, err := Run(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestOutcomes(t *testing.T) {
	res := run(t, t.Context(), spec(t, "echo out; echo err >&2; printf last"))
	if res.Status != OK || res.ExitCode != 0 || !strings.Contains(res.Output, "out\n") || !strings.Contains(res.Output, "err\n") || !strings.Contains(res.Output, "last") {
		t.Errorf("got %+v", res)
	}
	if res = run(t, t.Context(), spec(t, "exit 3")); res.Status != Failed || res.ExitCode != 3 {
		t.Errorf("got %+v", res)
	}
	if res = run(t, t.Context(), spec(t, "kill -KILL $$")); res.Status != Failed || res.Signal != "killed" || res.ExitCode != -1 {
		t.Errorf("got %+v", res)
	}
	s := spec(t, "")
	s.Argv = []string{"no-such-program-here"}
	if res = run(t, t.Context(), s); res.Status != Error || !strings.Contains(res.Message, "not installed") {
		t.Errorf("got %+v", res)
	}
	if _, err := Run(t.Context(), Spec{}); err == nil {
		t.Error("nothing was run without an error")
	}
}

// TestOrder: standard output and error come in the order in which they were written.
func TestOrder(t *testing.T) {
	script, want := "", ""
	for i := range 200 {
		script += fmt.Sprintf("echo %d >&%d; ", i, 1+i%2)
		want += fmt.Sprintln(i)
	}
	s := spec(t, script)
	res := run(t, t.Context(), s)
	if log, err := os.ReadFile(s.Log); err != nil || res.Output != want || string(log) != want {
		t.Errorf("output %q, log %q, %v", res.Output, log, err)
	}
}

func TestLargeOutput(t *testing.T) {
	s := spec(t, "echo first; yes 0123456789abcdef | head -c 104857600; echo; echo final")
	s.LogLimit = 1 << 20
	res := run(t, t.Context(), s)
	info, err := os.Stat(s.Log)
	if err != nil {
		t.Fatal(err)
	}
	if res.Status != OK || res.Bytes < 100<<20 || len(res.Output) > 40<<10 || !res.Truncated || !res.LogTruncated || info.Size() != 1<<20 {
		t.Errorf("status %s, %d bytes, output %d, log %d", res.Status, res.Bytes, len(res.Output), info.Size())
	}
	if !strings.HasPrefix(res.Output, "first\n") || !strings.HasSuffix(res.Output, "final\n") {
		t.Error("head or tail is missing")
	}
}

func TestTimeoutAgainstDeafChild(t *testing.T) {
	s := spec(t, "trap '' TERM; sh -c 'trap \"\" TERM; echo $$ > pid.new; mv pid.new pid; while :; do sleep 1; done'")
	pid := filepath.Join(s.Dir, "pid")
	for s.Timeout = 300 * time.Millisecond; ; s.Timeout *= 2 { // until the machine is quick enough for the child
		if res := run(t, t.Context(), s); res.Status != Timeout {
			t.Fatalf("got %+v", res)
		}
		if _, err := os.Stat(pid); err == nil {
			break
		}
	}
	gone(t, pid)
}

// TestLeftBehind: what a command leaves running is ended, in its group and, on
// Linux, in a session of its own; and it doesn't hold up the result.
func TestLeftBehind(t *testing.T) {
	s := spec(t, "(echo $(sh -c 'echo $PPID') > pid; sleep 600) & while ! [ -s pid ]; do :; done; echo done")
	began := time.Now()
	if res := run(t, t.Context(), s); res.Status != OK {
		t.Errorf("got %+v", res)
	}
	if d := time.Since(began); d > 20*time.Second {
		t.Errorf("took %v", d)
	}
	gone(t, filepath.Join(s.Dir, "pid"))
}

func TestCancelReachesOtherSessions(t *testing.T) {
	if runtime.GOOS != "linux" {
		return // see kill_other.go
	}
	s := spec(t, "setsid sh -c 'trap \"\" TERM HUP; echo $$ > pid.new; mv pid.new pid; sleep 600' & wait; sleep 600")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for { // until the outside process is up
			if _, err := os.Stat(filepath.Join(s.Dir, "pid")); err == nil || t.Context().Err() != nil {
				cancel()
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	if res := run(t, ctx, s); res.Status != Cancelled {
		t.Errorf("got %+v", res)
	}
	gone(t, filepath.Join(s.Dir, "pid"))
}

func TestProgress(t *testing.T) {
	s := spec(t, "echo step; while ! [ -e go ]; do sleep 0.05; done")
	var line string
	s.Progress = func(_ time.Duration, n int64, l string) {
		line = l
		_ = os.WriteFile(filepath.Join(s.Dir, "go"), nil, 0o600)
	}
	if res := run(t, t.Context(), s); res.Status != OK || line != "step" {
		t.Errorf("got %+v, line %q", res, line)
	}
}

func gone(t *testing.T, pidFile string) {
	t.Helper()
	b, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil || pid <= 1 {
		t.Fatalf("pid file %q", b)
	}
	for until := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if err := syscall.Kill(pid, 0); err == syscall.ESRCH || dead(pid) {
			return
		}
		if time.Now().After(until) {
			t.Fatalf("process %d still runs", pid)
		}
	}
}

// dead: a zombie that waits for its parent counts as gone.
func dead(pid int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(b), ") Z ")
}
