package proc

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestAlive(t *testing.T) {
	cmd := exec.Command("cat")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	start, err := StartTime(pid)
	if err != nil || start == "" {
		t.Fatalf("StartTime: %q, %v", start, err)
	}
	if again, _ := StartTime(pid); again != start {
		t.Errorf("start time changed from %q to %q", start, again)
	}
	if first, err := StartTime(1); err == nil && first == start {
		t.Errorf("this process and the first one have the start time %q", start)
	}
	if !Alive(pid, start) || !Alive(pid, "") {
		t.Error("a running process is not alive")
	}
	if Alive(pid, start+"0") || Alive(0, "") || Alive(-1, "") {
		t.Error("another process is alive")
	}

	// Ended but not waited for: a zombie.
	in.Close()
	for deadline := time.Now().Add(20 * time.Second); Alive(pid, start); {
		if time.Now().After(deadline) {
			t.Fatal("a zombie is alive")
		}
		time.Sleep(time.Millisecond)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if Alive(pid, start) {
		t.Error("an ended process is alive")
	}
	if _, err := StartTime(pid); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("StartTime of an ended process: %v", err)
	}
}

func TestPeerUID(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if uid, err := PeerUID(s.(*net.UnixConn)); err != nil || uid != os.Getuid() {
		t.Errorf("PeerUID: %d, %v", uid, err)
	}
}

// TestBegan: a process knows when it was forked, although it was not running yet.
func TestBegan(t *testing.T) {
	if age := time.Since(Began()); age < 0 || age > maxAge {
		t.Errorf("this process says that it is %s old", age)
	}
	// The answer is late by as long as the process waits between two clocks, so
	// one of some is right.
	var differ time.Duration
	for range 50 {
		if differ = Began().Sub(Began()).Abs(); differ <= 20*time.Millisecond {
			return
		}
	}
	t.Errorf("asked twice it differs by %s", differ)
}

// TestBeganInOrder: processes that are started one after the other have begun in
// that order, however quickly that goes.
func TestBeganInOrder(t *testing.T) {
	if os.Getenv("PROCINFO_BEGAN") != "" {
		fmt.Println(Began().UnixNano())
		os.Exit(0)
	}
	last := int64(0)
	for range 40 {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestBeganInOrder$")
		cmd.Env = append(os.Environ(), "PROCINFO_BEGAN=1", "GORACE=atexit_sleep_ms=0")
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		began, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		if began <= last {
			t.Fatalf("the later one began %s earlier", time.Duration(last-began))
		}
		last = began
	}
}
