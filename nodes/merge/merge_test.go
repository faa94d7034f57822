package merge

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/api"
)

// watcher keeps what is told as a grid does.
type watcher struct {
	t         *testing.T
	snapshots int
	sessions  map[string]api.Session
	requests  map[string]bool
	events    []api.Event
	queues    map[string]api.Queue
}

func (w *watcher) take(m api.WatchMessage) {
	if s := m.Snapshot; s != nil {
		w.snapshots++
		w.sessions, w.requests, w.events = map[string]api.Session{}, map[string]bool{}, s.Events
		for _, v := range s.Sessions {
			w.sessions[v.ID] = v
		}
		for _, r := range s.Requests {
			w.requests[r.ID] = true
		}
	}
	if m.Snapshot != nil {
		w.queues = map[string]api.Queue{}
		for _, q := range m.Snapshot.Queues {
			w.queues[q.Node] = q
		}
		if m.Snapshot.Queue != nil {
			w.queues[""] = *m.Snapshot.Queue
		}
	}
	if m.Queue != nil {
		w.queues[m.Queue.Node] = *m.Queue
	}
	if w.snapshots == 0 {
		w.t.Error("the first message is no snapshot")
	}
	if m.Session != nil {
		w.sessions[m.Session.ID] = *m.Session
	}
	delete(w.sessions, m.Removed)
	if m.Request != nil {
		w.requests[m.Request.ID] = true
	}
	if m.RequestEnded != nil {
		delete(w.requests, m.RequestEnded.Request.ID)
	}
	if m.Event != nil {
		w.events = append(w.events, *m.Event)
	}
}

// numbered fails unless the numbers of the events grow.
func (w *watcher) numbered() {
	w.t.Helper()
	if !slices.IsSortedFunc(w.events, func(x, y api.Event) int { return int(min(1, max(-1, x.Seq-y.Seq))) }) {
		w.t.Errorf("the numbers do not grow: %v", w.events)
	}
	seen := map[int64]bool{}
	for _, e := range w.events {
		if seen[e.Seq] {
			w.t.Errorf("two events have number %d", e.Seq)
		}
		seen[e.Seq] = true
	}
}

var epoch = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

func session(id, name string) api.Session {
	return api.Session{ID: id, Name: name, State: api.StateIdle}
}

func event(seq int64, after time.Duration, session string) api.Event {
	return api.Event{Seq: seq, At: epoch.Add(after), Session: session, Type: "x"}
}

func started(t *testing.T, nodes ...string) (*Merger, *watcher) {
	w := &watcher{t: t, sessions: map[string]api.Session{}}
	m := New(func() time.Time { return epoch }, w.take)
	for _, name := range nodes {
		m.Add(name)
	}
	return m, w
}

// TestOneGrid: sessions, requests and events of two machines are one list; the same ids and names
// are told apart.
func TestOneGrid(t *testing.T) {
	m, w := started(t, "gpu1", "lab")
	m.Take("gpu1", api.WatchMessage{Snapshot: &api.Snapshot{Seq: 7, Server: api.Server{PID: 2}, Sessions: []api.Session{session("s1", "api")},
		Requests: []api.Request{{ID: "r1", Session: "s1", SessionName: "api", Since: epoch}}, Events: []api.Event{event(6, 0, "s1"), event(7, 2*time.Second, "s1")}}})
	if w.snapshots != 0 {
		t.Fatal("a node was told before this machine")
	}
	grid := &api.Grid{Order: []string{"gpu1/s1", "s1"}}
	m.Take("", api.WatchMessage{Snapshot: &api.Snapshot{Seq: 3, Server: api.Server{PID: 1}, Sessions: []api.Session{session("s1", "api")}, Grid: grid,
		Requests: []api.Request{{ID: "r1", Session: "s1", Since: epoch.Add(time.Second)}}, Events: []api.Event{event(3, time.Second, "s1")}}})
	far, here := w.sessions["gpu1/s1"], w.sessions["s1"]
	if len(w.sessions) != 2 || far.Name != "gpu1/api" || far.Node != "gpu1" || here.Name != "api" || here.Node != "" {
		t.Errorf("%+v", w.sessions)
	}
	if len(w.requests) != 2 || !w.requests["gpu1/r1"] || !w.requests["r1"] {
		t.Errorf("%v", w.requests)
	}
	var of []string
	for _, e := range w.events {
		of = append(of, e.Session)
		if node, _ := Split(e.Session); e.Node != node {
			t.Errorf("an event of %s is %q's", e.Session, e.Node)
		}
	}
	if got := strings.Join(of, " "); got != "gpu1/s1 s1 gpu1/s1" {
		t.Errorf("events of %s", got)
	}
	// An event that comes later stands last, whatever its time is.
	m.Take("gpu1", api.WatchMessage{Event: &api.Event{Seq: 8, At: epoch.Add(-time.Hour), Session: "s1"}})
	w.numbered()
	last := w.events[len(w.events)-1]
	if node, own, ok := m.Origin(last.Seq); !ok || node != "gpu1" || own != 8 {
		t.Errorf("%s %d %t", node, own, ok)
	}
	if past := m.Past("gpu1", []api.Event{{Seq: 8, At: epoch.Add(-time.Hour)}, event(2, -time.Minute, "s1")}); past[0].Seq != last.Seq || past[1].Seq >= w.events[0].Seq {
		t.Errorf("%+v", past)
	}
	m.Take("gpu1", api.WatchMessage{RequestEnded: &api.Decision{Request: api.Request{ID: "r1", Session: "s1"}}})
	m.Take("gpu1", api.WatchMessage{Removed: "s1"})
	if len(w.requests) != 1 || len(w.sessions) != 1 || w.sessions["s1"].ID == "" {
		t.Errorf("%v %v", w.requests, w.sessions)
	}
}

// TestAway: a node that is away keeps its sessions, and says since when; what happened meanwhile is
// there when it is back, in order.
func TestAway(t *testing.T) {
	m, w := started(t, "gpu1")
	m.Take("", api.WatchMessage{Snapshot: &api.Snapshot{}})
	if !m.Keeps("gpu1/s1") || m.Keeps("s1") || m.Keeps("other/s1") {
		t.Error("the place of a node that was not heard of is not kept")
	}
	m.Take("gpu1", api.WatchMessage{Snapshot: &api.Snapshot{Seq: 1, Sessions: []api.Session{session("s1", "api"), session("s2", "web")}, Events: []api.Event{event(1, 0, "s1")}}})
	if m.Keeps("gpu1/s1") {
		t.Error("it was heard of")
	}
	m.Away("gpu1", epoch)
	if v := w.sessions["gpu1/s1"]; len(w.sessions) != 2 || !v.Away.Equal(epoch) {
		t.Errorf("%+v", w.sessions)
	}
	m.Away("gpu1", time.Time{})
	if v := w.sessions["gpu1/s1"]; !v.Away.IsZero() {
		t.Errorf("%+v", v)
	}
	m.Away("gpu1", epoch)
	m.Take("gpu1", api.WatchMessage{Snapshot: &api.Snapshot{Seq: 3, Sessions: []api.Session{session("s1", "api")}, Events: []api.Event{event(1, 0, "s1"), event(2, time.Second, "s2"), event(3, 2*time.Second, "s2")}}})
	if v := w.sessions["gpu1/s1"]; len(w.sessions) != 1 || !v.Away.IsZero() || len(w.events) != 3 {
		t.Errorf("%+v, %d events", w.sessions, len(w.events))
	}
	w.numbered()
}

// TestHostileNode: what a node tells cannot pass for another machine's, and is bounded.
func TestHostileNode(t *testing.T) {
	m, w := started(t, "gpu1", "lab")
	m.Take("", api.WatchMessage{Snapshot: &api.Snapshot{Sessions: []api.Session{session("s1", "mine")}}})
	before := len(w.sessions)
	bad := []string{"", "a/b", "../s1", "lab/s1", strings.Repeat("x", 200), "a\nb", "a\x1b[2J"}
	for _, id := range bad {
		v := session(id, "x")
		m.Take("gpu1", api.WatchMessage{Session: &v})
		m.Take("gpu1", api.WatchMessage{Request: &api.Request{ID: id, Session: id}})
		m.Take("gpu1", api.WatchMessage{Task: &api.Task{ID: id}, TaskGone: id, Focus: id, Removed: id})
		m.Take("gpu1", api.WatchMessage{RequestEnded: &api.Decision{Request: api.Request{ID: id, Session: id}}})
	}
	if len(w.sessions) != before || len(w.requests) != 0 {
		t.Errorf("%v %v", w.sessions, w.requests)
	}
	m.Take("gpu1", api.WatchMessage{Grid: &api.Grid{Order: []string{"x"}}, Queue: &api.Queue{}, Focus: "s1"})
	m.Take("nobody", api.WatchMessage{Snapshot: &api.Snapshot{Sessions: []api.Session{session("s9", "x")}}})
	many := &api.Snapshot{}
	for i := range 3 * maxSessions {
		many.Sessions = append(many.Sessions, session(fmt.Sprint("s", i), "x"))
		many.Events = append(many.Events, event(int64(i), time.Duration(i), "s1"))
	}
	m.Take("gpu1", api.WatchMessage{Snapshot: many})
	if len(w.sessions) != maxSessions+1 || len(w.events) > maxEvents {
		t.Errorf("%d sessions, %d events", len(w.sessions), len(w.events))
	}
	n := len(w.events)
	for i := range 10 * eventsPerSecond {
		e := event(int64(i+10_000), 0, "s1")
		m.Take("gpu1", api.WatchMessage{Event: &e})
	}
	if got := len(w.events) - n; got != eventsPerSecond {
		t.Errorf("%d events in one second", got)
	}
	if v := w.sessions["s1"]; v.Name != "mine" {
		t.Errorf("%+v", v)
	}
}

// TestNote: what becomes of a node itself is an event among the others.
func TestNote(t *testing.T) {
	m, w := started(t, "gpu1")
	m.Note("gpu1", "is offline: no route") // before there is a picture
	m.Take("", api.WatchMessage{Snapshot: &api.Snapshot{Events: []api.Event{event(1, -time.Hour, "")}}})
	m.Note("gpu1", "is online again")
	w.numbered()
	var texts []string
	for _, e := range w.events {
		texts = append(texts, e.Type+" "+e.Message)
	}
	if got := strings.Join(texts, ", "); got != "x , node gpu1 is offline: no route, node gpu1 is online again" {
		t.Errorf("%s", got)
	}
}

// TestAddAndRemove: a node that comes later joins the picture, and one that goes takes what is its
// own with it; what its stream still tells is nobody's.
func TestAddAndRemove(t *testing.T) {
	m, w := started(t)
	m.Take("", api.WatchMessage{Snapshot: &api.Snapshot{Sessions: []api.Session{session("s1", "api")}}})
	m.Add("gpu1")
	far := api.WatchMessage{Snapshot: &api.Snapshot{Sessions: []api.Session{session("s1", "api")}, Events: []api.Event{event(1, 0, "s1")}}}
	m.Take("gpu1", far)
	if len(w.sessions) != 2 {
		t.Errorf("after it came: %v", w.sessions)
	}
	m.Remove("gpu1")
	m.Remove("")
	m.Take("gpu1", far)
	if _, here := w.sessions["s1"]; len(w.sessions) != 1 || !here {
		t.Errorf("after it went: %v", w.sessions)
	}
	if m.Keeps("gpu1/s1") {
		t.Error("a node that was removed keeps places")
	}
}

// TestQueues: each machine has a queue of its own, in snapshots and in what follows.
func TestQueues(t *testing.T) {
	m, w := started(t, "gpu1")
	m.Take("", api.WatchMessage{Snapshot: &api.Snapshot{Queue: &api.Queue{Limit: 2}}})
	far := &api.Queue{Limit: 4}
	m.Take("gpu1", api.WatchMessage{Snapshot: &api.Snapshot{Queue: far, Tasks: []api.Task{{ID: "t1"}}}})
	if w.queues[""].Limit != 2 || w.queues["gpu1"].Limit != 4 || far.Node != "" {
		t.Errorf("%+v", w.queues)
	}
	m.Take("gpu1", api.WatchMessage{Queue: &api.Queue{Limit: 5}})
	m.Take("", api.WatchMessage{Queue: &api.Queue{Limit: 3}})
	if w.queues[""].Limit != 3 || w.queues["gpu1"].Limit != 5 {
		t.Errorf("%+v", w.queues)
	}
	m.Remove("gpu1")
	if _, ok := w.queues["gpu1"]; ok || w.queues[""].Limit != 3 {
		t.Errorf("after it was removed: %+v", w.queues)
	}
}

// TestLimits: the windows of limits are those of all machines, each with its machine's name; those of one that was
// removed are gone.
func TestLimits(t *testing.T) {
	told := ""
	m := New(func() time.Time { return epoch }, func(msg api.WatchMessage) {
		l := msg.Limits
		if msg.Snapshot != nil {
			l = msg.Snapshot.Limits
		}
		if l == nil {
			told = "none"
			return
		}
		told = ""
		for _, w := range l.Windows {
			told += w.Node + "/" + w.Name + " "
		}
	})
	m.Add("gpu1")
	windows := func(names ...string) *api.Limits {
		l := &api.Limits{}
		for _, n := range names {
			l.Windows = append(l.Windows, api.UsageWindow{Node: "made up", Agent: "claude", Name: n})
		}
		return l
	}
	here := windows("5h")
	here.Windows[0].Node = ""
	far := windows("7d")
	expect := func(want string) {
		t.Helper()
		if told != want {
			t.Errorf("told %q, want %q", told, want)
		}
	}
	m.Take("", api.WatchMessage{Snapshot: &api.Snapshot{}})
	expect("none")
	m.Take("gpu1", api.WatchMessage{Snapshot: &api.Snapshot{Limits: far}})
	expect("gpu1/7d ")
	m.Take("", api.WatchMessage{Limits: here})
	expect("/5h gpu1/7d ")
	m.Take("gpu1", api.WatchMessage{Limits: windows("7d", "30d")})
	expect("/5h gpu1/7d gpu1/30d ")
	if far.Windows[0].Node != "made up" {
		t.Error("it changed what it was given")
	}
	all := &api.Limits{Windows: []api.UsageWindow{{Agent: "claude", Account: api.AccountDefault, Name: "5h"}, {Node: "gpu1", Agent: "claude", Account: api.AccountDefault, Name: "7d"}}}
	if list := all.Of(api.Session{Agent: "claude", Node: "gpu1"}); len(list) != 1 || list[0].Name != "7d" {
		t.Errorf("of a node's session: %+v", list)
	}
	m.Remove("gpu1")
	m.Take("", api.WatchMessage{Limits: here})
	expect("/5h ")
}
