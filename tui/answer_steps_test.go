package tui

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/tui/known"
)

// answerClient keeps the answers as they came.
type answerClient struct {
	*fakeClient
	mu  sync.Mutex
	got map[string]api.Answer
}

func (c *answerClient) Answer(ctx context.Context, id string, a api.Answer) (api.Decision, error) {
	c.mu.Lock()
	c.got[id] = a
	c.mu.Unlock()
	return c.fakeClient.Answer(ctx, id, a)
}

// asked is a model with those requests.
func asked(t *testing.T, all ...api.Request) (*model, *answerClient) {
	t.Helper()
	m, c := clientModel(t, fourSessions...)
	a := &answerClient{fakeClient: c, got: map[string]api.Answer{}}
	m.opts.Client = a
	for _, r := range all {
		m.inbox.watch(api.WatchMessage{Request: &r})
	}
	m.Update(newsMsg{m.inbox.take()})
	return m, a
}

func bash(id, session, command string, after int) api.Request {
	in, _ := json.Marshal(map[string]any{"command": command, "timeout": 5})
	r := testRequest(id, session, "Bash", string(in), time.Duration(after))
	r.Editable = true
	r.AlwaysRules = []string{r.AlwaysRule, "Bash(x y *)", "Bash(x *)"}
	r.Scopes = []api.AlwaysScope{
		{Scope: api.ScopeSession, Rule: r.AlwaysRule}, {Scope: api.ScopeProject, Rule: r.AlwaysRule, File: "/repo/.ccdir/policy.toml"},
		{Scope: api.ScopeUser, Rule: r.AlwaysRule, File: "/home/me/policy.toml"},
	}
	return r
}

// TestNextRequestByAge: also several of one session.
func TestNextRequestByAge(t *testing.T) {
	m, _ := asked(t, bash("r1", "bbbb2222", "one", 1), bash("r2", "bbbb2222", "two", 2), bash("r3", "aaaa1111", "three", 3))
	do(m, "C-b", "2", "C-b", "a")
	for _, want := range []string{"one", "two", "three", "one"} {
		if !m.barHas("┃ " + want + " ") {
			t.Errorf("not %s:\n%s", want, m.picture().Dump())
		}
		do(m, "Tab")
	}
}

func TestSnooze(t *testing.T) {
	m, c := asked(t, bash("r1", "bbbb2222", "make", 1))
	now := m.now()
	m.now = func() time.Time { return now }
	waiting := func() string {
		var names []string
		for _, v := range m.Waiting(m.now()) {
			names = append(names, v.Name)
		}
		return strings.Join(names, " ")
	}
	if got := waiting(); got != "web docs" && got != "docs web" {
		t.Fatalf("waiting %s", got)
	}
	do(m, "C-b", "2", "C-b", "a", "s")
	shows(t, m, "not now: web asks again in", "[2] 15 minutes")
	do(m, "2")
	off := *m.Session("bbbb2222")
	off.SnoozedUntil = now.Add(15 * time.Minute)
	m.Update(newsMsg{news{News: known.News{Sessions: map[string]api.Session{off.ID: off}}}}) // as the daemon tells
	if got := waiting(); got != "docs" || m.overlay != nil || len(c.got) != 0 {
		t.Errorf("waiting %s, overlay %v", got, m.overlay)
	}
	shows(t, m, "web asks again in 15 minutes")
	if m.wakeAt.After(now.Add(15 * time.Minute)) {
		t.Error("nothing wakes it")
	}
	do(m, "C-b", "a", "y") // not the one that was put off, though it has the focus
	if m.grid.Focus != "cccc3333" || len(c.got) != 0 {
		t.Errorf("a went to %s, answered %v", m.grid.Focus, c.got)
	}
	docs := *m.Session("cccc3333")
	docs.State = api.StateIdle
	m.Update(newsMsg{news{News: known.News{Sessions: map[string]api.Session{docs.ID: docs}}}})
	do(m, "C-b", "2", "C-b", "a") // nobody else waits: it can be answered all the same
	if !m.barHas("web asks for permission") {
		t.Errorf("bar %+v", m.bar())
	}
	do(m, "Escape")
	now = now.Add(15*time.Minute + time.Second)
	m.Update(clockMsg{m.wakeGen})
	if got := waiting(); !strings.Contains(got, "web") {
		t.Errorf("afterwards waiting: %s", got)
	}
	shows(t, m, "web still waits for you")
}
