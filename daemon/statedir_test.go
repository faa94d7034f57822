package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ccdir/api"
)

// TestStateRemoved: what the daemon has when somebody removes its state directory, sessions
// and tasks, is written again within seconds, and the next daemon has all of it.
func TestStateRemoved(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.config(demoConfig)
	p.spawn()
	one := p.create(api.NewSession{Argv: sh("exec cat"), Name: "one"})
	two := p.create(api.NewSession{Agent: "demo", Name: "two"})
	task := p.addTasks(api.NewTask{Prompt: "wait for me"})[0]
	p.call("POST", "/v1/sessions/one/rename", api.Rename{Name: "renamed"}, nil)
	start := time.Now()
	if err := os.RemoveAll(p.paths.State); err != nil {
		t.Fatal(err)
	}
	files := []string{p.paths.Database(), p.paths.Reserve(), p.paths.ServerFile(), p.paths.LockFile(),
		filepath.Join(p.paths.SessionDir(one.ID), "host.json"), filepath.Join(p.paths.SessionDir(two.ID), "host.json")}
	until(t, "the files to be there again", func() bool {
		for _, f := range files {
			if _, err := os.Lstat(f); err != nil {
				return false
			}
		}
		return true
	})
	if d := time.Since(start); d > 30*time.Second {
		t.Errorf("written again after %s", d)
	}
	var health api.Server
	if p.call("GET", "/v1/health", nil, &health); !strings.Contains(health.Unsaved, "ccdir daemon restart") {
		t.Errorf("health says %q", health.Unsaved)
	}
	p.kill9()
	p.spawn()
	for _, was := range []api.Session{one, two} {
		if s := p.get(was.ID); s.State.Ended() || s.PID != was.PID {
			t.Errorf("%s is %s, pid %d; it was %d", s.Name, s.State, s.PID, was.PID)
		}
	}
	if s := p.get("renamed"); s.ID != one.ID {
		t.Errorf("the renamed session is %s", s.ID)
	}
	if got := p.task(task.ID); got.Prompt != task.Prompt || got.State != api.TaskQueued {
		t.Errorf("the task: %+v", got)
	}
	if types := p.eventTypes(""); !strings.Contains(types, api.EventStoreHeld) || strings.Count(types, api.EventSessionCreated) != 2 {
		t.Errorf("the events: %s", types)
	}
	p.call("POST", "/v1/sessions/renamed/rename", api.Rename{Name: "again"}, nil)
	var next api.Server
	if p.call("GET", "/v1/health", nil, &next); next.Unsaved != "" {
		t.Errorf("the next daemon says %q", next.Unsaved)
	}
}
