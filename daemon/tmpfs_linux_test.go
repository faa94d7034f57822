package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ccdir/api"
)

// TestTasksFileSystemFull runs a daemon on a small file system until it is full:
// what cannot be saved is refused with the reason, the daemon goes on, and with
// room again, in the same process and in the next one, everything that was
// accepted is there. It needs the right to mount; TestTasksDiskFull needs none.
func TestTasksFileSystemFull(t *testing.T) {
	t.Parallel()
	p := newQueuePlace(t)
	if err := os.MkdirAll(p.paths.State, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", p.paths.State, "tmpfs", 0, "size=3m,mode=700"); err != nil {
		t.Logf("no right to mount (%v): see TestTasksDiskFull", err)
		return
	}
	// Before the place's own cleanup, which ends the daemon: it may lie on it.
	t.Cleanup(func() { _ = unix.Unmount(p.paths.State, unix.MNT_DETACH) })
	p.spawn()
	accepted := map[string]bool{}
	var refused error
	for i := 0; i < 2000 && refused == nil; i++ {
		var list []api.Task
		refused = p.try("POST", "/v1/tasks", p.fillTasks([]api.NewTask{{Prompt: strings.Repeat("heron ", 2_000)}}), &list)
		for _, task := range list {
			accepted[task.ID] = true
		}
	}
	if refused == nil || api.CodeOf(refused) != api.CodeInternal || !strings.Contains(refused.Error(), "not") {
		t.Fatalf("after %d tasks: %v", len(accepted), refused)
	}
	check := func(when string) {
		t.Helper()
		var list []api.Task
		p.call("GET", "/v1/tasks", nil, &list)
		if len(list) != len(accepted) {
			t.Errorf("%s: %d tasks are there, %d were accepted", when, len(list), len(accepted))
		}
		for _, task := range list {
			if !accepted[task.ID] {
				t.Errorf("%s: %s was refused", when, task.ID)
			}
		}
	}
	check("full")
	// Nothing can be started either, and it says so.
	if err := p.try("POST", "/v1/sessions", api.NewSession{Agent: "demo", CWD: p.paths.Home, Env: os.Environ()}, nil); err == nil {
		t.Log("there was room for a session")
	} else if !strings.Contains(err.Error(), "space") && !strings.Contains(err.Error(), "full") {
		t.Errorf("a session on a full file system: %v", err)
	}
	if err := unix.Mount("tmpfs", p.paths.State, "tmpfs", unix.MS_REMOUNT, "size=64m,mode=700"); err != nil {
		t.Fatal(err)
	}
	first := p.addTasks(api.NewTask{Prompt: "say room again"})[0]
	if accepted[first.ID] {
		t.Errorf("%s is given twice", first.ID)
	}
	accepted[first.ID] = true
	check("with room")
	p.kill9()
	p.spawn()
	check("in the next daemon")
	p.call("POST", "/v1/tasks/"+first.ID+"/start", nil, nil)
	if task := p.waitTask(first.ID, api.TaskDone); task.Result.Message != "room again" {
		t.Errorf("%+v", task)
	}
	until(t, "the host to leave", func() bool {
		left, _ := filepath.Glob(filepath.Join(p.paths.Runtime, "h-*.sock"))
		return len(left) == 0
	})
	p.stopDaemon()
	if err := unix.Unmount(p.paths.State, unix.MNT_DETACH); err != nil {
		t.Error(err)
	}
}
