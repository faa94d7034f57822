package faults

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"ccdir/api"
)

// TestTooFewFiles: the daemon may open few files. It reports refused operations,
// running sessions continue, and when some end it works normally again.
func TestTooFewFiles(t *testing.T) {
	w := newWorld(t, "", "max_sessions = 200\n")
	cmd := exec.Command("/bin/sh", "-c", `ulimit -n 48; exec "$0" daemon run`, w.exe())
	cmd.Env = w.env
	var log strings.Builder
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
		if t.Failed() {
			t.Logf("the daemon's log: %s", log.String())
		}
	})
	w.until("the daemon", func() bool { _, err := w.client.Health(t.Context()); return err == nil })
	var made []string
	var refused error
	for i := range 60 {
		s, err := w.try(fmt.Sprintf("s%d", i), "exec cat")
		if err != nil {
			refused = err
			break
		}
		made = append(made, s.ID)
	}
	t.Logf("%d sessions within 48 files, then: %v", len(made), refused)
	if len(made) < 5 {
		t.Fatal("too few sessions")
	}
	w.says(refused, "too many open files", "ulimit -n")
	w.echoes(made[0], "within-the-limit")
	for _, id := range made[1:4] {
		if _, err := w.client.KillSession(t.Context(), id, api.Kill{Force: true}); err != nil {
			t.Fatal(err)
		}
	}
	w.until("a session can be started again", func() bool { _, err := w.try("late", "exec cat"); return err == nil })
	select {
	case err := <-ended:
		ended <- err
		t.Errorf("the daemon ended: %v", err)
	default:
	}
}

// smallDisk is a home on a disk of 16 MB of its own, of which the reserve takes half.
func smallDisk(t *testing.T) string {
	t.Helper()
	home, err := os.MkdirTemp("", "cf")
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", home, "tmpfs", 0, "size=16m,mode=0700"); err != nil {
		_ = os.Remove(home)
		if errors.Is(err, syscall.EPERM) {
			return ""
		}
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(home, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
		_ = os.Remove(home)
	})
	return home
}

// TestDiskFull: the state directory's disk is full. Sessions continue, operations that
// cannot be stored are refused with a message, and acknowledged data is on disk: for
// the next daemon, which starts on the full disk too, and in the database once there is
// room again. (Where mounting is not allowed, a part is tested with a quota:
// TestTasksDiskFull in daemon.)
func TestDiskFull(t *testing.T) {
	home := smallDisk(t)
	if home == "" {
		t.Log("a disk of its own cannot be mounted here: daemon has the form with a quota")
		return
	}
	w := newWorld(t, home, "")
	pid := w.start()
	w.sh("cat", "exec cat")
	agent := w.agent("agent")
	empty := fillDisk(t, home)
	w.echoes("cat", "on-a-full-disk")
	_, err := w.try("none", "exec cat")
	w.says(err, "no space left", "make room")
	_, err = w.client.AddTasks(t.Context(), []api.NewTask{{Prompt: "nothing", CWD: home}})
	w.says(err, "full", "make room")
	cat := "renamed" // what was acknowledged holds
	if _, err := w.client.RenameSession(t.Context(), "cat", cat); err != nil {
		w.says(err, "no space left")
		cat = "cat"
	}
	const calls = 20
	report := func(when string) {
		t.Helper()
		for n := range calls {
			payload := fmt.Sprintf(`{"hook_event_name":"Notification","session_id":"s","message":"%s-%d."}`, when, n)
			if err := w.post(agent, "Notification", fmt.Sprint(when, n), payload); err != nil {
				t.Fatalf("hook call %d %s was not acknowledged: %v", n, when, err)
			}
		}
	}
	once := func(when string) {
		t.Helper()
		for n := range calls {
			if got := countEvents(w, fmt.Sprintf("%s-%d.", when, n)); got != 1 {
				t.Errorf("hook call %d %s is there %d times", n, when, got)
			}
		}
	}
	report("full")
	once("full")
	w.kill9(pid)
	pid = w.start() // on the full disk
	once("full")
	w.echoes(cat, "with-the-next-daemon")
	report("next")
	if err := w.post(agent, "Notification", "full0", `{"hook_event_name":"Notification","session_id":"s","message":"full-0."}`); err != nil {
		t.Errorf("a call made again: %v", err)
	}
	once("full")
	once("next")
	empty()
	w.until("the database to take it", func() bool { return countEvents(w, "takes changes again") == 1 })
	w.sh("room", "exec cat")
	w.kill9(pid)
	w.start()
	once("full")
	once("next")
	if n := countEvents(w, "kept in the overflow file"); n < 1 {
		t.Error("the log does not tell that changes could not be saved")
	}
	if list, err := w.client.Tasks(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("a task that was refused is there: %v, %v", list, err)
	}
}

// fillDisk fills a disk to the last byte; the function that it returns makes room.
func fillDisk(t *testing.T, dir string) (empty func()) {
	t.Helper()
	name := filepath.Join(dir, "full")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	block := make([]byte, 4096)
	for err == nil {
		_, err = f.Write(block)
	}
	f.Close()
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	return func() {
		if err := os.Remove(name); err != nil {
			t.Error(err)
		}
	}
}
