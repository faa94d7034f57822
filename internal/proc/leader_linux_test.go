package proc

import (
	"bufio"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// leaderEnds makes this program one whose first thread has ended, while another one goes on until
// standard input ends.
const leaderEnds = "CCDIR_TEST_LEADER_ENDS"

// Initialization runs in the first thread of the process.
func init() {
	if os.Getenv(leaderEnds) == "" {
		return
	}
	go func() {
		_, _ = bufio.NewReader(os.Stdin).ReadByte()
		os.Exit(0)
	}()
	_, _, _ = syscall.Syscall(syscall.SYS_EXIT, 0, 0, 0)
}

// TestAliveWithoutFirstThread: a process is alive until its last thread has ended: before that its
// files are open, and so its locks are held.
func TestAliveWithoutFirstThread(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), leaderEnds+"=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	start, err := StartTime(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(time.Millisecond) {
		state, _, err := stat(cmd.Process.Pid)
		if err != nil || time.Now().After(deadline) {
			t.Fatalf("its first thread does not end: %c, %v", state, err)
		}
		if state == 'Z' {
			break
		}
	}
	if !Alive(cmd.Process.Pid, start) {
		t.Error("a process whose other threads run is said to be dead")
	}
	_ = in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if Alive(cmd.Process.Pid, start) {
		t.Error("a process that was waited for is said to be alive")
	}
}
