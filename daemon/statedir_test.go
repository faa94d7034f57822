package daemon

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/daemon/store"
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
	until(t, "nothing to be written meanwhile", func() bool { return os.RemoveAll(p.paths.State) == nil })
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

// TestDatabaseReplaced: when somebody puts another database in the place of the daemon's, the
// next daemon uses that, says where the contents of the first are, and how to get them back.
func TestDatabaseReplaced(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.config(demoConfig)
	p.run()
	task := p.addTasks(api.NewTask{Prompt: "wait for me"})[0]
	other := filepath.Join(t.TempDir(), "other.db")
	s, _, err := store.Open(other, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Close(), os.Rename(other, p.paths.Database())); err != nil {
		t.Fatal(err)
	}
	var kept string
	until(t, "the contents to be written beside it", func() bool {
		found, _ := filepath.Glob(p.paths.Database() + ".kept-*")
		kept = strings.Join(found, "\n")
		return len(found) == 1
	})
	p.stopDaemon()
	p.run()
	back := "mv " + kept + " " + p.paths.Database()
	var health api.Server
	if p.call("GET", "/v1/health", nil, &health); len(health.Aside) != 1 || !strings.Contains(health.Aside[0], back) {
		t.Errorf("health says %q", health.Aside)
	}
	var events []api.Event
	p.call("GET", "/v1/events?type="+api.EventStoreMoved, nil, &events)
	if len(events) != 1 || !strings.Contains(events[0].Message, back) {
		t.Errorf("the events: %+v", events)
	}
	p.stopDaemon()
	if err := os.Rename(kept, p.paths.Database()); err != nil {
		t.Fatal(err)
	}
	p.run()
	if got := p.task(task.ID); got.Prompt != task.Prompt {
		t.Errorf("the task: %+v", got)
	}
	var next api.Server
	if p.call("GET", "/v1/health", nil, &next); len(next.Aside) > 0 {
		t.Errorf("with nothing aside health says %q", next.Aside)
	}
}

// TestStateRemovedUnseen: hosts whose state directory was removed while no daemon ran, or so
// shortly before its end that it did not notice, are found by their sockets.
func TestStateRemovedUnseen(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.spawn()
	var was []api.Session
	check := func(when string) {
		t.Helper()
		p.spawn()
		for _, w := range was {
			if s := p.get(w.ID); s.State.Ended() || s.PID != w.PID || s.HostPID != w.HostPID {
				t.Errorf("%s: %s is %s, pid %d of %d; it was %d", when, s.Name, s.State, s.PID, s.HostPID, w.PID)
			}
			if !strings.Contains(p.screen(w.ID), "ready") {
				t.Errorf("%s: the screen is %q", when, p.screen(w.ID))
			}
		}
	}
	for _, name := range []string{"one", "two"} {
		was = append(was, p.create(api.NewSession{Argv: sh("echo ready; exec cat"), Name: name}))
	}
	p.kill9()
	until(t, "the hosts to write nothing meanwhile", func() bool { return os.RemoveAll(p.paths.State) == nil })
	check("without a daemon")
	until(t, "nothing to be written meanwhile", func() bool { return os.RemoveAll(p.paths.State) == nil })
	p.kill9()
	check("unnoticed")
}
