package tui

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/tui/known"
)

// epoch is when the tests' sessions began.
var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// testSession is a session that began at the epoch; it is named by its id where it has no
// name.
func testSession(id, name string, st api.State) api.Session {
	if name == "" {
		name = id
	}
	return api.Session{ID: id, Name: name, Agent: "claude", State: st, CWD: "/work", Created: epoch, Since: epoch}
}

// named is a session that began after seconds after the epoch.
func named(id, name string, st api.State, after time.Duration) api.Session {
	v := testSession(id, name, st)
	v.Created = epoch.Add(after * time.Second)
	return v
}

// ended is a session whose process has ended.
func ended(id, name string, code int) api.Session {
	v := named(id, name, api.StateExited, 9)
	v.ExitCode, v.Unread = &code, true
	return v
}

// two are a session that is idle and one that works.
func two() []api.Session {
	return []api.Session{named("aaaa1111", "api", api.StateIdle, 0), named("bbbb2222", "web", api.StateWorking, 1)}
}

// fourSessions are one that works, two that wait for a person, and one that has ended.
var fourSessions = []api.Session{
	named("aaaa1111", "api", api.StateWorking, 0), named("bbbb2222", "web", api.StatePermission, 1),
	named("cccc3333", "docs", api.StateInput, 2), ended("dddd4444", "old", 3),
}

// many are running sessions named s1, s2, ….
func many(n int) (out []api.Session) {
	for i := range n {
		out = append(out, named(fmt.Sprintf("id%06d", i+1), fmt.Sprintf("s%d", i+1), api.StateIdle, time.Duration(i)))
	}
	return out
}

// fourPanes are panes of fourSessions, two of them with a screen, beside some events.
func fourPanes(cols, rows int) *model {
	m := testModel(cols, rows, fourSessions...)
	m.withStill("aaaa1111", "\x1b[1mbuilding\x1b[m…\n日本語 done", 40, 8)
	m.withStill("bbbb2222", "rm -rf build/\n1. Yes\n2. No", 120, 50)
	at := epoch.Add(time.Minute)
	m.take(news{News: known.News{Events: []api.Event{
		{Seq: 1, At: at, Session: "aaaa1111", Type: "SessionStart", Kind: api.KindConversationBegins, StateFrom: api.StateStarting, StateTo: api.StateIdle},
		{Seq: 2, At: at.Add(time.Second), Session: "aaaa1111", Type: "UserPromptSubmit", Kind: api.KindPrompt, StateFrom: api.StateIdle, StateTo: api.StateWorking},
		{Seq: 3, At: at.Add(2 * time.Second), Session: "bbbb2222", Type: "PreToolUse", Kind: api.KindToolBegins, Message: "Bash: rm", StateFrom: api.StateWorking, StateTo: api.StateWorking},
		{Seq: 4, At: at.Add(3 * time.Second), Session: "bbbb2222", Type: "PermissionRequest", Kind: api.KindDialog, StateFrom: api.StateWorking, StateTo: api.StatePermission},
		{Seq: 5, At: at.Add(4 * time.Second), Session: "gone0000", Type: "evil\x1b[31m\nname"},
	}}})
	return m
}

// askingPanes are four panes, of which web asks for permission.
func askingPanes(cols, rows int) *model {
	m := fourPanes(cols, rows)
	m.take(news{News: known.News{Requests: map[string]known.Request{"r1": {Open: &api.Request{
		ID: "r1", Session: "bbbb2222", Tool: "Bash", Kind: api.RequestPermission, Since: epoch, Question: "Bash: rm -rf build/",
		Input: json.RawMessage(`{"command":"rm -rf build/","description":"Remove what was built"}`), AlwaysRule: "Bash(rm -rf build/)",
	}}}}})
	return m
}

// workPanes are four panes with what their sessions do.
func workPanes(cols, rows int) *model {
	m := askingPanes(cols, rows)
	for id, f := range map[string]func(*api.Session){
		"aaaa1111": func(v *api.Session) { v.Prompt, v.CWD, v.Task = "build it\nand test it", "/home/me/code/shop", "17" },
		"bbbb2222": func(v *api.Session) { v.Question, v.CWD = "Bash: rm -rf build/", "/home/me/code/shop/web" },
		"cccc3333": func(v *api.Session) { v.Question, v.CWD = "Which one, 甲 or 乙?", "/home/me/docs" },
		"dddd4444": func(v *api.Session) { v.Unread, v.CWD = true, "/home/me/docs" },
	} {
		v := *m.Session(id)
		f(&v)
		m.Upsert(v)
	}
	m.sidebar = m.sidebar.Know(map[string]string{"/home/me/code/shop": "/home/me/code/shop", "/home/me/code/shop/web": "/home/me/code/shop"})
	return m
}

// testRequest is a permission request that came after seconds after the epoch.
func testRequest(id, session, tool, input string, after time.Duration) api.Request {
	return api.Request{
		ID: id, Session: session, Tool: tool, Input: json.RawMessage(input), Since: epoch.Add(after * time.Second),
		Kind: api.RequestPermission, Question: tool + ": " + input, AlwaysRule: tool + "(x)", Stage: api.StagePerson,
	}
}

// asking is a model with a client whose session web has asked for permission.
func asking(t *testing.T, more ...api.Request) (*model, *fakeClient) {
	t.Helper()
	m, c := clientModel(t, fourSessions...)
	for _, r := range append([]api.Request{testRequest("r1", "bbbb2222", "Bash", `{"command":"rm -rf build/"}`, 1)}, more...) {
		m.inbox.watch(api.WatchMessage{Request: &r})
	}
	m.Update(newsMsg{m.inbox.take()})
	return m, c
}
