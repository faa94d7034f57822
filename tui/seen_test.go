package tui

import (
	"context"
	"slices"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/tui/attention"
	"ccdir/tui/known"
)

// TestAskedWhenSeen: what the first picture does not need is asked for once it is
// on the screen, once.
func TestAskedWhenSeen(t *testing.T) {
	c := newFakeClient(two()...)
	m := testModel(120, 40)
	offers := restoreFake{fakeClient: c, offer: &api.RestoreOffer{}}
	m.unseen, m.Agents, m.opts.Client = true, nil, offers
	perform(m, m.Init())
	m.Update(newsMsg{news{News: known.News{Snapshot: &api.Snapshot{Sessions: two(), Server: api.Server{PID: 7}}}}})
	if len(m.Agents) != 0 || len(calledFor(c, "offer")) != 0 {
		t.Errorf("asked before the first picture: %v, %d", m.Agents, len(calledFor(c, "offer")))
	}
	for range 2 {
		_, cmd := m.Update(newsMsg{news{seen: true}})
		perform(m, cmd)
		if !slices.EqualFunc(m.Agents, c.agents, func(a, b api.AgentInfo) bool { return a.Name == b.Name }) || len(calledFor(c, "offer")) != 1 {
			t.Errorf("after it: %v, %d", m.Agents, len(calledFor(c, "offer")))
		}
		c.agents = c.agents[:2]
	}
}

// TestSeenInView: one key says that what is on the screen was looked at, and of nothing else.
func TestSeenInView(t *testing.T) {
	all := two()
	for i := range all {
		all[i].State, all[i].Unread, all[i].Prompt = api.StateIdle, true, "go"
	}
	m, c := clientModel(t, all...)
	do(m, "C-b", ".")
	for _, v := range all {
		if !slices.Contains(c.noted(), "seen "+v.ID) {
			t.Errorf("%s stays unread: %q", v.Name, c.noted())
		}
	}
}

// TestOpeningIsNoLook: the session on which a grid is opened counts as looked at once a person
// gives an input; one that gets the focus does at once.
func TestOpeningIsNoLook(t *testing.T) {
	t.Parallel()
	all := two()
	for i := range all {
		all[i].State, all[i].Unread, all[i].Prompt = api.StateIdle, true, "go"
	}
	for _, focus := range []bool{false, true} {
		m, c := clientModel(t, all...)
		m.attention = attention.State{}
		m.attention.Met(m.grid.Focus)
		c.calls = nil
		settled := func() []string {
			_, cmd := m.Update(newsMsg{})
			perform(m, cmd)
			return c.noted()
		}
		if got := settled(); slices.Contains(got, "seen "+all[0].ID) {
			t.Errorf("nobody has touched a key: %q", got)
		}
		want := all[0].ID
		if focus {
			m.setFocus(all[1].ID)
			want = all[1].ID
		} else {
			m.router.NoteInput(m.now())
		}
		if got := settled(); !slices.Contains(got, "seen "+want) {
			t.Errorf("focus %v: %q", focus, got)
		}
	}
}

// TestTasksSeen: who looks at the queue has looked at what has ended in it, who looks at a task's
// pane at that task; each is told once.
func TestTasksSeen(t *testing.T) {
	all := two()
	all[0].Task = "t1"
	m, c := clientModel(t, all...)
	m.opts.Client = queueFake{c}
	m.router.NoteInput(m.now())
	tasks := []api.Task{
		{ID: "t1", State: api.TaskFailed, Unseen: true, Session: all[0].ID, Reason: "API error 400"},
		{ID: "t2", State: api.TaskDone, Unseen: true},
		{ID: "t3", State: api.TaskFailed, Unseen: true, Reason: "timed out"},
	}
	_, cmd := m.Update(newsMsg{news{News: known.News{Snapshot: &api.Snapshot{Sessions: all, Tasks: tasks, Queue: &api.Queue{}}}}})
	perform(m, cmd)
	if got := c.noted(); !slices.Contains(got, "seen-tasks [t1]") {
		t.Errorf("the pane in focus: %q", got)
	}
	shows(t, m, "queue 1 done, 2 failed")
	do(m, "C-b", "T")
	if got := c.noted(); !slices.ContainsFunc(got, func(s string) bool { return s == "seen-tasks [t3 t2]" || s == "seen-tasks [t2 t3]" }) {
		t.Errorf("the queue: %q", got)
	}
}

// dearClient knows what the days since a time have cost.
type dearClient struct{ *fakeClient }

func (dearClient) Usage(context.Context, api.UsageBy, time.Time) (u api.Usage, err error) {
	for _, usd := range []float64{1.5, 2.25} {
		u.Rows = append(u.Rows, api.UsageRow{CostUSD: &usd, Estimate: true})
	}
	return u, nil
}

// TestSinceYouLeft: the first picture after a while says in one line what has happened; a key takes it
// away, and who was away for a moment is told nothing.
func TestSinceYouLeft(t *testing.T) {
	for _, tt := range []struct {
		away  time.Duration
		spent *float64 // when the person left
		want  string
	}{
		{8 * time.Hour, nil, "since you left 8 h ago: 2 done, 1 failed, 1 asks"},
		{8 * time.Hour, new(1.25), "since you left 8 h ago: 2 done, 1 failed, 1 asks, ~$2.50"},
		{8 * time.Hour, new(3.75), "since you left 8 h ago: 2 done, 1 failed, 1 asks"},
		{time.Minute, new(1.25), ""},
	} {
		all := two()
		all[0].State, all[0].Unread, all[0].Prompt = api.StateIdle, true, "go"
		all[1].State = api.StatePermission
		m := testModel(160, 40)
		m.Loaded, m.attention, m.opts.Client = false, attention.State{}, dearClient{newFakeClient(all...)}
		tasks := []api.Task{{ID: "t1", State: api.TaskDone, Unseen: true}, {ID: "t2", State: api.TaskFailed, Unseen: true}, {ID: "t3", State: api.TaskDone}}
		_, c := m.Update(newsMsg{news{News: known.News{Snapshot: &api.Snapshot{Sessions: all, Tasks: tasks, Queue: &api.Queue{}, Grid: &api.Grid{Left: m.now().Add(-tt.away), Spent: tt.spent}}}}})
		perform(m, c)
		if m.notice.text != tt.want {
			t.Errorf("after %s: %q, want %q", tt.away, m.notice.text, tt.want)
		}
		do(m, "x")
		if m.notice.text != "" {
			t.Errorf("after a key: %q", m.notice.text)
		}
	}
}
