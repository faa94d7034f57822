package tui

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ccdir/api"
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
	r.Scopes = []api.AlwaysScope{
		{Scope: api.ScopeSession, Rule: r.AlwaysRule}, {Scope: api.ScopeProject, Rule: "Bash(make)", File: "/repo/.ccdir/policy.toml"},
		{Scope: api.ScopeUser, Rule: "Bash(make *)", File: "/home/me/policy.toml"},
	}
	return r
}

func TestAnswerAlwaysChoosesItsScope(t *testing.T) {
	for _, tt := range []struct {
		keys []string
		want string
	}{
		{[]string{"a", "Enter"}, api.ScopeSession}, {[]string{"a", "Down", "Enter"}, api.ScopeProject},
		{[]string{"a", "3", "Enter"}, api.ScopeUser}, {[]string{"a", "Up", "Enter"}, api.ScopeUser},
		{[]string{"a", "2"}, ""}, {[]string{"a", "Escape", "Enter"}, ""}, {[]string{"a", "y"}, ""},
	} {
		m, c := asked(t, bash("r1", "bbbb2222", "make", 1))
		do(m, "C-b", "a")
		do(m, tt.keys...)
		a, sent := c.got["r1"]
		if sent != (tt.want != "") || a.Scope != tt.want || sent && (!a.Always || a.Behavior != api.AnswerAllow) {
			t.Errorf("%q: sent %v, %+v", tt.keys, sent, a)
		}
	}
	m, _ := asked(t, bash("r1", "bbbb2222", "make", 1))
	do(m, "C-b", "a", "a")
	shows(t, m, "▸ 1 until the session ends", "2 always in this project: Bash(make) → /repo/.ccdir/policy.toml", "3 always, everywhere: Bash(make *)")
}

func TestAnswerEditsTheCommand(t *testing.T) {
	m, c := asked(t, bash("r1", "bbbb2222", "rm -rf /", 1))
	do(m, "C-b", "a", "e")
	shows(t, m, "❯ rm -rf /", "Enter allows this command instead")
	do(m, "BSpace", ".", "/", "x", "C-j", "#", "Enter")
	a := c.got["r1"]
	var in struct {
		Command string
		Timeout int
	}
	if err := json.Unmarshal(a.Input, &in); err != nil || in.Command != "rm -rf ./x\n#" || in.Timeout != 5 || a.Always || a.Behavior != api.AnswerAllow {
		t.Errorf("%+v %s %v", a, a.Input, err)
	}
	// As it was it is a plain approval; empty it is none.
	m, c = asked(t, bash("r1", "bbbb2222", "make", 1))
	do(m, "C-b", "a", "e", "C-u", "Enter")
	if len(c.got) != 0 {
		t.Errorf("an empty command: %+v", c.got)
	}
	do(m, "C-y", "Enter")
	if a, ok := c.got["r1"]; !ok || a.Input != nil {
		t.Errorf("unchanged: %+v", a)
	}
	r := testRequest("r1", "bbbb2222", "Write", `{"file_path":"/x"}`, 1)
	m, c = asked(t, r)
	do(m, "C-b", "a", "e", "Enter")
	if len(c.got) != 0 {
		t.Errorf("a file was edited: %+v", c.got)
	}
}

// TestWholeQuestion: what is chosen by is all of the question, of which the request itself
// has the beginning.
func TestWholeQuestion(t *testing.T) {
	q := testRequest("r1", "bbbb2222", "ask_person", `{"question":"Delete?\nNot the backups, but the originals.","choices":["yes","no"]}`, 1)
	q.Kind, q.Origin, q.Question, q.Choices = api.RequestQuestion, api.OriginMCP, "Delete?…", []string{"yes", "no"}
	m, _ := asked(t, q)
	do(m, "C-b", "a")
	shows(t, m, "Not the backups, but the originals.")
}

func TestAnswerChoices(t *testing.T) {
	q := testRequest("r1", "bbbb2222", "ask_person", `{"question":"Which?"}`, 1)
	q.Kind, q.Origin, q.Choices, q.AlwaysRule = api.RequestQuestion, api.OriginMCP, []string{"red", "green", "blue"}, ""
	for _, tt := range []struct {
		multiple bool
		keys     []string
		want     string
	}{
		{false, []string{"Enter"}, "red"}, {false, []string{"Down", "Enter"}, "green"}, {false, []string{"3", "Enter"}, "blue"}, {false, []string{"3"}, ""},
		{true, []string{"Enter"}, ""}, {true, []string{"3", "1", "Enter"}, "red\nblue"}, {true, []string{"Space", "Space", "Down", "Space", "Enter"}, "green"},
	} {
		q.Multiple = tt.multiple
		m, c := asked(t, q)
		do(m, "C-b", "a")
		do(m, tt.keys...)
		if got := c.got["r1"].Text; got != tt.want {
			t.Errorf("%v %q: %q, want %q", tt.multiple, tt.keys, got, tt.want)
		}
	}
	q.Choices = nil
	m, c := asked(t, q)
	do(m, "C-b", "a", "e", "4", "2", "Enter")
	if got := c.got["r1"]; got.Text != "42" || got.Behavior != api.AnswerAllow {
		t.Errorf("free text: %+v", got)
	}
	m, c = asked(t, q) // in the prompt bar
	do(m, "C-b", "2", "C-b", ":", "4", "3", "Enter")
	if got := c.got["r1"]; got.Text != "43" {
		t.Errorf("in the prompt bar: %+v", got)
	}
}

func TestAnswerAllAlike(t *testing.T) {
	m, c := asked(t, bash("r1", "bbbb2222", "make", 1), bash("r2", "cccc3333", "make", 2), bash("r3", "aaaa1111", "make all", 3), bash("r4", "aaaa1111", "make", 4))
	do(m, "C-b", "2", "C-b", "a")
	shows(t, m, "[A]ll 3 like this", "1 of 4")
	do(m, "A")
	var ids []string
	for id, a := range c.got {
		if a.Behavior != api.AnswerAllow || a.Always {
			t.Errorf("%s: %+v", id, a)
		}
		ids = append(ids, id)
	}
	slices.Sort(ids)
	if got := strings.Join(ids, " "); got != "r1 r2 r4" {
		t.Errorf("answered %s", got)
	}
	shows(t, m, "3 of 3 requests approved: Bash")
	m, c = asked(t, bash("r1", "bbbb2222", "make", 1))
	do(m, "C-b", "a", "A")
	if len(c.got) != 0 {
		t.Errorf("alone: %+v", c.got)
	}
}

// TestNextRequestByAge: also several of one session.
func TestNextRequestByAge(t *testing.T) {
	m, _ := asked(t, bash("r1", "bbbb2222", "one", 1), bash("r2", "bbbb2222", "two", 2), bash("r3", "aaaa1111", "three", 3))
	do(m, "C-b", "2", "C-b", "a")
	var seen []string
	for range 4 {
		seen = append(seen, m.bar().req.ID)
		do(m, "Tab")
	}
	if got := strings.Join(seen, " "); got != "r1 r2 r3 r1" {
		t.Errorf("%s", got)
	}
}

func TestSnooze(t *testing.T) {
	m, c := asked(t, bash("r1", "bbbb2222", "make", 1))
	now := m.now()
	m.now = func() time.Time { return now }
	waiting := func() string {
		var names []string
		for _, v := range m.waiting() {
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
	off := *m.session("bbbb2222")
	off.SnoozedUntil = now.Add(15 * time.Minute)
	m.Update(newsMsg{news{sessions: map[string]api.Session{off.ID: off}}}) // as the daemon tells
	if got := waiting(); got != "docs" || m.overlay != nil || len(c.got) != 0 {
		t.Errorf("waiting %s, overlay %v", got, m.overlay)
	}
	shows(t, m, "web asks again in 15 minutes")
	if m.wakeAt.After(now.Add(15 * time.Minute)) {
		t.Error("nothing wakes it")
	}
	do(m, "C-b", "a", "y") // not the one that was put off, though it has the focus
	if m.focus != "cccc3333" || len(c.got) != 0 {
		t.Errorf("a went to %s, answered %v", m.focus, c.got)
	}
	docs := *m.session("cccc3333")
	docs.State = api.StateIdle
	m.Update(newsMsg{news{sessions: map[string]api.Session{docs.ID: docs}}})
	do(m, "C-b", "2", "C-b", "a") // nobody else waits: it can be answered all the same
	if m.bar() == nil || m.bar().req.ID != "r1" {
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
