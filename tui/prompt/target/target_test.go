package target

import (
	"slices"
	"testing"

	"ccdir/api"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
)

// world is a grid of those sessions, of which the first has the focus.
func world(all ...api.Session) ui.Env {
	env := uitest.Env(80, 24)
	env.Sessions, env.List.Sessions, env.Dir, env.CanQueue = all, all, "/repo", true
	for _, v := range all {
		env.Names[v.ID] = v.Name
	}
	if len(all) > 0 {
		env.Focus = all[0].ID
	}
	return env
}

// TestNext: the key goes round through the targets that there are, and never to a group
// right after the session in focus.
func TestNext(t *testing.T) {
	runs, ended, sh := session("a", "api", api.StateIdle), session("e", "web", api.StateExited), shell("s", "sh")
	for _, tt := range []struct {
		name  string
		env   ui.Env
		queue bool
		want  []Kind
	}{
		{"an agent in focus", world(runs), true, []Kind{New, Queue, Idle, Focused}},
		{"no queue", world(runs), false, []Kind{New, Idle, Focused}},
		{"a shell in focus, no agent idle", world(sh), true, []Kind{New, Queue, Focused}},
		{"an ended one in focus", world(ended, runs), true, []Kind{Queue, Idle, Later, New, Queue}},
		{"nothing runs", world(), true, []Kind{Queue, New, Queue}},
		{"nothing runs, no queue", world(), false, []Kind{New, New}},
	} {
		tt.env.CanQueue = tt.queue
		var got []Kind
		at := Target{}
		for range tt.want {
			at = at.Next(tt.env)
			got = append(got, at.Kind)
			if at.Kind == Idle && !slices.Equal(at.IDs, []string{"a"}) || at.Kind == Later && !slices.Equal(at.IDs, []string{"e"}) {
				t.Errorf("%s: %+v", tt.name, at)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestSeen: who gets a text follows the sessions: of a group those that are left, of one
// session that has ended nobody.
func TestSeen(t *testing.T) {
	api1, web, docs := session("a", "api", api.StateIdle), session("b", "web", api.StateIdle), session("c", "docs", api.StateIdle)
	docs.CWD = "/docs"
	env := world(api1, web, docs, shell("s", "sh"))
	env.Writing = true
	groups := []Target{IdleNow(env), ChosenOf("b", "c")}
	env.Sessions[1].State = api.StateExited
	for _, tt := range []struct {
		to      Seen
		want    []string
		label   string
		notIdle string
		dir     string
	}{
		{groups[0].In(env, "a"), []string{"a", "c"}, "2 idle agents: api, docs; web is not idle any more", "web is not idle any more", "/work"},
		{groups[1].In(env, "a"), []string{"c"}, "1 session: docs; web has ended", "", "/docs"},
		{Target{}.In(env, "c"), []string{"c"}, "docs", "", "/docs"},
		{Target{}.In(env, "b"), nil, "web, which has ended", "", "/work"},
		{Target{}.In(env, ""), nil, "a new session", "", "/work"},
		{Target{Kind: Queue}.In(env, "a"), nil, "the queue", "", "/work"},
		{ForSession(env, "b").In(env, "a"), nil, "web, when it was started again", "", "/work"},
	} {
		var got []string
		for _, v := range tt.to.Receivers() {
			got = append(got, v.ID)
		}
		if !slices.Equal(got, tt.want) || tt.to.Label() != tt.label || tt.to.NotIdle() != tt.notIdle || tt.to.Dir() != tt.dir {
			t.Errorf("%+v: %v, %q, %q, %q", tt.to.Target, got, tt.to.Label(), tt.to.NotIdle(), tt.to.Dir())
		}
	}
}
