package proc

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// started starts a program between two pipes; it ends with the test, at the end of
// its input.
func started(t *testing.T, cmd *exec.Cmd) (in io.Writer, out io.Reader) {
	t.Helper()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_, _ = io.Copy(io.Discard, stdout)
		_ = cmd.Wait()
	})
	return stdin, stdout
}

// TestDescent: a process below a shell is found, with its environment; others are
// not.
func TestDescent(t *testing.T) {
	// A background job has /dev/null as its input unless it is told.
	cmd := exec.Command("/bin/sh", "-c", "exec 3<&0; cat <&3 & echo $!; wait")
	cmd.Env = append(os.Environ(), "PROCINFO_TEST=a=b")
	_, out := started(t, cmd)
	var grandchild int
	if _, err := fmt.Fscan(bufio.NewReader(out), &grandchild); err != nil {
		t.Fatal(err)
	}
	shell := cmd.Process.Pid
	for _, c := range []struct {
		pid, ancestor, depth int
		ok                   bool
	}{{grandchild, shell, 1, true}, {grandchild, os.Getpid(), 2, true}, {shell, shell, 0, true}, {shell, grandchild, 0, false}, {os.Getpid(), shell, 0, false}} {
		if depth, ok := Depth(c.pid, c.ancestor); depth != c.depth || ok != c.ok {
			t.Errorf("%d below %d: %d, %v; want %d, %v", c.pid, c.ancestor, depth, ok, c.depth, c.ok)
		}
	}
	v, ok := Getenv(grandchild, "PROCINFO_TEST")
	for end := time.Now().Add(10 * time.Second); !ok && time.Now().Before(end); { // none while it becomes cat
		time.Sleep(time.Millisecond)
		v, ok = Getenv(grandchild, "PROCINFO_TEST")
	}
	if !ok || v != "a=b" {
		t.Errorf("its environment: %q, %v", v, ok)
	}
	if v, ok := Getenv(grandchild, "PROCINFO"); ok {
		t.Errorf("a variable that is not there: %q", v)
	}
}

// TestSignal: only the process that is meant gets a signal.
func TestSignal(t *testing.T) {
	cmd := exec.Command("sleep", "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	start, err := StartTime(pid)
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range []string{"", start + "0"} {
		if err := Signal(pid, other, syscall.SIGKILL); !errors.Is(err, os.ErrProcessDone) {
			t.Errorf("start time %q: %v", other, err)
		}
	}
	if !Alive(pid, start) {
		t.Fatal("another process was signalled")
	}
	if err := Signal(pid, start, syscall.SIGKILL); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("it ended by itself")
	}
	if err := Signal(pid, start, syscall.SIGKILL); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("after its end: %v", err)
	}
}
