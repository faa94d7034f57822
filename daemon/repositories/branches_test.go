package repositories

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"testing"
	"testing/synctest"
	"time"

	"ccdir/api"
	"ccdir/internal/gitstatus"
)

// branchRig is a follower of branches whose git and registry are the test's.
type branchRig struct {
	*branches
	asked  []string
	set    map[string]api.TreeState
	status gitstatus.Status
	err    error
	took   time.Duration
}

func newBranchRig() *branchRig {
	r := &branchRig{set: map[string]api.TreeState{}}
	r.branches = newBranches(branchOptions{
		Logger: slog.New(slog.DiscardHandler),
		Top: func(dir string) string {
			if dir == "/none" {
				return ""
			}
			return dir
		},
		Read: func(_ context.Context, dir string) (gitstatus.Status, error) {
			time.Sleep(r.took)
			r.asked = append(r.asked, dir)
			return r.status, r.err
		},
		Set: func(_ context.Context, session string, v api.TreeState) error { r.set[session] = v; return nil },
	})
	return r
}

// pass lets time pass as Run would, and asks when a question is due.
func (r *branchRig) pass(d time.Duration) {
	for end := time.Now().Add(d); ; {
		due := r.agenda.Next()
		if due.IsZero() || due.After(end) {
			time.Sleep(time.Until(end))
			return
		}
		time.Sleep(time.Until(due))
		r.ask(context.Background())
	}
}

func (r *branchRig) happens(session string) {
	r.take(&api.WatchMessage{Event: &api.Event{Session: session}}, time.Now())
}

func session(id, cwd string) *api.Session {
	return &api.Session{ID: id, CWD: cwd, State: api.StateIdle}
}

// TestBranchAsks: a new session's directory is asked about at once, later ones after events,
// once for all sessions that are in it.
func TestBranchAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newBranchRig()
		r.status = gitstatus.Status{Branch: "main", Ahead: 1, Changed: 2, Untracked: 1, Added: 5, Removed: 4}
		r.take(&api.WatchMessage{Snapshot: &api.Snapshot{Sessions: []api.Session{*session("a", "/p"), *session("b", "/p")}}}, time.Now())
		r.pass(0)
		want := api.TreeState{Branch: "main", Ahead: 1, Changed: 3, Added: 5, Removed: 4}
		if len(r.asked) != 1 || !maps.Equal(r.set, map[string]api.TreeState{"a": want, "b": want}) {
			t.Fatalf("asked %q, set %+v", r.asked, r.set)
		}
		r.pass(time.Hour)
		if len(r.asked) != 1 {
			t.Fatalf("asked %d times though nothing happened", len(r.asked))
		}
		r.happens("a")
		r.pass(branchSettle - time.Millisecond)
		r.happens("b")
		r.pass(branchSettle - time.Millisecond)
		if len(r.asked) != 1 {
			t.Fatal("asked before events had settled")
		}
		r.pass(time.Minute)
		if len(r.asked) != 2 {
			t.Fatalf("asked %d times after two events", len(r.asked)-1)
		}
	})
}

// TestBranchAsked: who wants to know where something happened learns when that was, and processor
// time decides how long git is left alone.
func TestBranchAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newBranchRig()
		var told []time.Time
		r.o.Asked = func(_ string, at time.Time) { told = append(told, at) }
		r.o.Used = func() time.Duration { return 0 }
		r.took = time.Minute // it waits, and uses nothing
		began := time.Now()
		r.take(&api.WatchMessage{Session: session("a", "/p")}, began)
		r.pass(2 * time.Minute)
		event := time.Now()
		r.take(&api.WatchMessage{Event: &api.Event{Session: "a", At: event}}, event)
		if at := r.agenda.Next(); time.Until(at) > branchSettle {
			t.Errorf("git is asked in %s", time.Until(at))
		}
		r.pass(2 * time.Minute)
		if len(told) != 2 || !told[0].Equal(began) || !told[1].Equal(event) {
			t.Errorf("told of %v", told)
		}
	})
}

// TestBranchOfBusySession: events that never settle do not put the question off for ever.
func TestBranchOfBusySession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newBranchRig()
		r.take(&api.WatchMessage{Session: session("a", "/p")}, time.Now())
		r.pass(0)
		for range 20 {
			r.happens("a")
			r.pass(time.Second)
		}
		if n := len(r.asked) - 1; n < 3 || n > 5 {
			t.Errorf("asked %d times in 20 s", n)
		}
	})
}

// TestBranchWhereGitIsSlow: a git that takes long is asked for a twentieth of the time.
func TestBranchWhereGitIsSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newBranchRig()
		r.took = 2 * time.Second
		r.take(&api.WatchMessage{Session: session("a", "/p")}, time.Now())
		r.pass(0)
		for range 100 {
			r.happens("a")
			r.pass(time.Second)
		}
		if n := len(r.asked); n > 4 {
			t.Errorf("asked %d times in about 100 s", n)
		}
	})
}

// TestNewSessionWhereGitIsSlow: it has the value that is known at once, and git rests on; the
// end of a session elsewhere, and a new snapshot, change nothing of that.
func TestNewSessionWhereGitIsSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newBranchRig()
		r.took, r.status = 2*time.Second, gitstatus.Status{Branch: "main"}
		a, other := session("a", "/p"), session("o", "/other")
		r.take(&api.WatchMessage{Session: a}, time.Now())
		r.pass(time.Second)
		if len(r.asked) != 1 {
			t.Fatalf("asked %q", r.asked)
		}
		ended := *a
		ended.State = api.StateExited
		r.take(&api.WatchMessage{Session: &ended}, time.Now())
		r.take(&api.WatchMessage{Session: other}, time.Now())
		r.take(&api.WatchMessage{Snapshot: &api.Snapshot{Sessions: []api.Session{*session("b", "/p")}}}, time.Now())
		r.ask(context.Background())
		if r.set["b"].Branch != "main" || len(r.asked) != 1 {
			t.Errorf("set %+v, asked %q", r.set, r.asked)
		}
		r.pass(branchRest*r.took - 3*time.Second)
		if len(r.asked) != 1 {
			t.Errorf("asked again while git rests: %q", r.asked)
		}
		r.pass(5 * time.Second)
		if len(r.asked) != 2 {
			t.Errorf("not asked about the new session: %q", r.asked)
		}
		r.take(&api.WatchMessage{Removed: "b"}, time.Now())
		r.pass(time.Hour)
		r.take(&api.WatchMessage{Removed: "b"}, time.Now())
		if len(r.dirs) != 0 {
			t.Errorf("%d directories are kept", len(r.dirs))
		}
	})
}

// TestBranchValues: no repository shows nothing, a detached HEAD its commit, an error what was
// there, an ended session keeps its value.
func TestBranchValues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newBranchRig()
		r.status = gitstatus.Status{Branch: "(detached)", Commit: "0123456789abcdef"}
		r.take(&api.WatchMessage{Session: session("a", "/p")}, time.Now())
		r.take(&api.WatchMessage{Session: session("n", "/none")}, time.Now())
		r.pass(0)
		if r.set["a"].Branch != "0123456" || r.set["n"] != (api.TreeState{}) || len(r.asked) != 1 {
			t.Errorf("asked %q, set %+v", r.asked, r.set)
		}
		r.status, r.err = gitstatus.Status{}, errors.New("no")
		r.happens("a")
		r.pass(time.Minute)
		if r.set["a"].Branch != "0123456" {
			t.Errorf("an error set %+v", r.set["a"])
		}
		ended := session("a", "/p")
		ended.State = api.StateExited
		r.take(&api.WatchMessage{Session: ended}, time.Now())
		r.happens("a")
		if at := r.agenda.Next(); !at.IsZero() || len(r.dirs) != 1 {
			t.Errorf("the directory of an ended session is due at %v, %d directories", at, len(r.dirs))
		}
	})
}
