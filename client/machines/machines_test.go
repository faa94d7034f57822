package machines

import (
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/config"
	"ccdir/nodes/link"
)

// TestSeen: a node whose link ended, of which nothing more is known, was seen when it was seen:
// each further try does not make it younger.
func TestSeen(t *testing.T) {
	ms := &Client{far: map[string]*farNode{}}
	n := &farNode{state: Node{Name: "gpu1"}}
	at := time.Now().Add(-time.Minute)
	for _, s := range []link.Status{
		{State: link.StateOnline, Round: time.Millisecond, Seen: at},
		{State: link.StateOffline, Reason: "it was taken down"},
		{State: link.StateOffline, Reason: "it was taken down"},
	} {
		if seen := ms.took(n, s); !seen.Equal(at) {
			t.Errorf("%s: seen %s, not %s", s.State, seen, at)
		}
	}
}

func both(p *picture) bool {
	return len(p.sessions) == 2 && p.sessions["gpu1/s1"].Away.IsZero()
}

// TestCallsGoHome: a call about a session goes to its machine alone, without the node's name, and
// what comes back has it.
func TestCallsGoHome(t *testing.T) {
	here, far := newMachine(t, ""), newMachine(t, "gpu1")
	ms, p := started(t, here, far)
	p.until(t, "both machines' sessions", both)
	s, err := ms.RenameSession(t.Context(), "gpu1/s1", "gpu1/web")
	if err != nil || s.ID != "gpu1/s1" || s.Name != "gpu1/api" {
		t.Errorf("renamed %q %q, %v", s.ID, s.Name, err)
	}
	if calls := here.seen(); len(calls) > 0 {
		t.Errorf("this machine was asked %q", calls)
	}
	if calls := far.seen(); len(calls) != 1 || !strings.HasSuffix(calls[0], "/v1/sessions/s1/rename") {
		t.Errorf("the node was asked %q", calls)
	}
	if s, err := ms.Session(t.Context(), "s1"); err != nil || s.ID != "s1" {
		t.Errorf("this machine's is %q, %v", s.ID, err)
	}
	if _, err := ms.Session(t.Context(), "gone/s1"); err == nil || !strings.Contains(err.Error(), "no node gone") {
		t.Errorf("a node that is not configured: %v", err)
	}
}

// TestNamesThere: what is made on a node has the names that the node knows, whether a person says NODE/NAME or NAME.
func TestNamesThere(t *testing.T) {
	here, far := newMachine(t, ""), newMachine(t, "gpu1")
	ms, p := started(t, here, far)
	p.until(t, "both machines' sessions", both)
	after := []api.TaskAfter{{Task: "gpu1/t1"}, {Task: "build"}}
	for what, call := range map[string]func(){
		"a session": func() { _, _ = ms.CreateSession(t.Context(), api.NewSession{Node: "gpu1", Name: "gpu1/web"}) },
		"a task": func() {
			_, _ = ms.AddTasks(t.Context(), []api.NewTask{{Node: "gpu1", Name: "gpu1/tidy", After: after}})
		},
		"a task's change": func() { _, _ = ms.EditTask(t.Context(), "gpu1/t2", api.EditTask{After: &after}) },
	} {
		far.mu.Lock()
		far.body = ""
		far.mu.Unlock()
		call() // the answer is none of a task
		far.mu.Lock()
		if far.body == "" || strings.Contains(far.body, "gpu1") {
			t.Errorf("%s: the node was told %q", what, far.body)
		}
		far.mu.Unlock()
	}
	if after[0].Task != "gpu1/t1" {
		t.Error("the caller's list was changed")
	}
}

// TestNodeComesBack: a node that is away keeps its sessions, marked; when it is back they are as it
// says. This machine's stream goes on.
func TestNodeComesBack(t *testing.T) {
	here, far := newMachine(t, ""), newMachine(t, "gpu1")
	_, p := started(t, here, far)
	p.until(t, "both machines' sessions", both)
	far.set(link.Status{State: link.StateOffline, Reason: "no route to host"})
	p.until(t, "the node's session marked as away", func(p *picture) bool {
		return !p.sessions["gpu1/s1"].Away.IsZero() && p.sessions["s1"].Away.IsZero()
	})
	p.until(t, "the reason told", func(p *picture) bool {
		return len(p.nodes) == 1 && p.nodes[0].State == link.StateOffline && p.nodes[0].Reason == "no route to host"
	})
	here.tell(api.WatchMessage{Session: &api.Session{ID: "s2", Name: "new", State: api.StateWorking}})
	p.until(t, "this machine's new session", func(p *picture) bool { return p.sessions["s2"].Name == "new" })
	far.set(link.Status{State: link.StateOnline, Seen: time.Now()})
	p.until(t, "the node's session as it is", func(p *picture) bool {
		s, ok := p.sessions["gpu1/s1"]
		return ok && s.Away.IsZero()
	})
}

// TestConfigure: a node that is taken out of the configuration is not followed any more, one that
// comes in is; events get numbers of their own from then on.
func TestConfigure(t *testing.T) {
	here, far := newMachine(t, ""), newMachine(t, "gpu1")
	ms, p := started(t, here, far)
	p.until(t, "both machines' sessions", both)
	ms.Configure(nil)
	p.until(t, "this machine alone", func(p *picture) bool { return len(p.sessions) == 1 && len(p.nodes) == 0 })
	if _, err := ms.Session(t.Context(), "gpu1/s1"); err == nil {
		t.Error("a node that is gone is still asked")
	}
	ms.Configure(map[string]config.Node{"gpu1": {SSH: "gpu1"}})
	p.until(t, "both machines' sessions again", both)
	far.tell(api.WatchMessage{Event: &api.Event{Seq: 11, Session: "s1", Type: "x"}})
	p.until(t, "the node's event", func(p *picture) bool {
		return slices.ContainsFunc(p.events, func(e api.Event) bool { return e.Type == "x" && e.Session == "gpu1/s1" })
	})
}

// TestHistoryOfAll: the lists of all machines are one, and a node that hangs delays this machine's
// no longer than pastPatience.
func TestHistoryOfAll(t *testing.T) {
	here, far := newMachine(t, ""), newMachine(t, "gpu1")
	earlier, later := time.Unix(1000, 0), time.Unix(2000, 0)
	here.history = func() []api.HistoryEntry { return []api.HistoryEntry{{ID: "s8", Name: "mine", Ended: earlier}} }
	far.history = func() []api.HistoryEntry { return []api.HistoryEntry{{ID: "s9", Name: "theirs", Ended: later}} }
	ms, p := started(t, here, far)
	p.until(t, "both machines' sessions", both)
	list, err := ms.History(t.Context(), 10)
	if err != nil || len(list) != 2 || list[0].ID != "gpu1/s9" || list[1].ID != "s8" {
		t.Errorf("all is %v, %v", list, err)
	}
	far.mu.Lock()
	far.hang = make(chan struct{})
	far.mu.Unlock()
	list, err = ms.History(t.Context(), 10)
	if err != nil || len(list) != 1 || list[0].ID != "s8" {
		t.Errorf("while the node hangs it is %v, %v", list, err)
	}
}

// TestArrangementKeepsNodes: a grid that has not heard of a node yet does not throw its panes'
// places away.
func TestArrangementKeepsNodes(t *testing.T) {
	here, far := newMachine(t, ""), newMachine(t, "gpu1")
	far.status = link.Status{State: link.StateOffline, Reason: "no route to host"}
	ms, p := started(t, here, far)
	p.until(t, "this machine's session", func(p *picture) bool { return len(p.sessions) == 1 })
	ms.grid.Store(&api.Grid{Order: []string{"s1", "gpu1/s1", "s7"}})
	if kept := missing(ms.grid.Load().Order, []string{"s1"}, ms.merger); !slices.Equal(kept, []string{"gpu1/s1"}) {
		t.Errorf("kept %q", kept)
	}
}

// TestTakenDown: the person takes a node down and connects it again.
func TestTakenDown(t *testing.T) {
	here, far := newMachine(t, ""), newMachine(t, "gpu1")
	ms, p := started(t, here, far)
	p.until(t, "both machines' sessions", both)
	if err := ms.DisconnectNode(t.Context(), "gpu1"); err != nil {
		t.Fatal(err)
	}
	p.until(t, "the node offline", func(p *picture) bool { return p.nodes[0].State == link.StateOffline })
	if _, err := ms.Session(t.Context(), "gpu1/s1"); api.CodeOf(err) != api.CodeUnavailable {
		t.Errorf("a call to it: %v", err)
	}
	if err := ms.ConnectNode(t.Context(), "gpu1", nil); err != nil {
		t.Fatal(err)
	}
	p.until(t, "the node online", func(p *picture) bool { return p.nodes[0].State == link.StateOnline })
}
