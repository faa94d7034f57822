package tui

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
	"ccdir/tui/dialogs/explain"
	"ccdir/tui/known"
	"ccdir/tui/pane"
	"ccdir/tui/ui"
)

// goldenView is a view and how a model comes to show it.
type goldenView struct {
	name string
	make func(cols, rows int) *model
}

// after is a view that keys make of another.
func after(view func(cols, rows int) *model, keys ...string) func(cols, rows int) *model {
	return func(cols, rows int) *model {
		m := view(cols, rows)
		press(m, keys...)
		return m
	}
}

// changed is a view that keys make of one with another request.
func changed(change func(*api.Request), keys ...string) func(cols, rows int) *model {
	return after(func(cols, rows int) *model {
		m := askingPanes(cols, rows)
		q := *m.Request("r1")
		change(&q)
		m.take(news{News: known.News{Requests: map[string]known.Request{"r1": {Open: &q}}}})
		return m
	}, keys...)
}

// goldenViews are the views that have golden screens, in their usual and unusual states.
func goldenViews() []goldenView { return append(usualViews(), stateViews()...) }

func usualViews() []goldenView {
	noClaude := []api.AgentInfo{
		{Name: "claude", Kind: "claude", Default: true, Hint: "install Claude Code (npm install -g @anthropic-ai/claude-code), or set command in config.toml"},
		{Name: "demo", Kind: "demo", Path: "/bin/ccdir-shim"},
	}
	return []goldenView{
		{"four", fourPanes},
		{"zoomed", after(fourPanes, "C-b", "z")},
		{"empty", func(c, r int) *model { return testModel(c, r) }},
		{"no-agent", func(c, r int) *model { m := testModel(c, r); m.Agents = noClaude; return m }},
		{"waiting", func(c, r int) *model {
			m := testModel(c, r)
			m.Loaded = false
			return m
		}},
		{"help", after(fourPanes, "C-b", "?", "?")},
		{"help-scrolled", after(fourPanes, "C-b", "?", "?", "NPage")},
		{"list", after(workPanes, "C-b", "s", "Down")},
		{"list-filter", after(workPanes, "C-b", "s", "g", "Space", "/", "w", "o", "r", "k")},
		{"picker", after(workPanes, "C-b", "f", "w", "e")},
		{"list-column", func(c, r int) *model { m := workPanes(c+20, r); press(m, "C-b", "S"); return m }},
		{"palette", after(workPanes, "C-b", "p", "p", "a", "g", "e")},
		{"help-filter", after(fourPanes, "C-b", "?", "b", "o", "r", "d", "e", "r")},
		{"borders", after(fourPanes, "C-b", "b", "Right", "Right", "Up")},
		{"batch", func(c, r int) *model {
			m := fourPanes(c, r)
			done := func(context.Context, ui.Client) (r ui.Result, err error) { return r, nil }
			m.carryOut(ui.Nobody, []ui.Effect{ui.Batch{What: "starting", Noun: "session", Steps: slices.Repeat([]ui.Step{{Run: done}}, 10)}})
			for range 3 {
				m.handle(m.out.Take()())
			}
			return m
		}},
		{"all-hidden", after(fourPanes, "C-b", "-", "C-b", "-", "C-b", "-", "C-b", "-")},
		{"new", func(c, r int) *model {
			m := fourPanes(c, r)
			m.Dirs = []api.Directory{{Name: "site", Path: "/srv/site"}, {Path: "/repo/project"}}
			press(m, "C-b", "n", "Tab", "Down")
			return m
		}},
		{"new-no-agent", func(c, r int) *model {
			m := testModel(c, r)
			m.Agents = noClaude
			press(m, "n", "Left")
			return m
		}},
		{"kill", after(fourPanes, "C-b", "x")},
		{"rename", after(fourPanes, "C-b", ",")},
		{"prompt", after(fourPanes, "C-b", ":", "f", "i", "x", "Space", "日")},
		{"prompt-lines", func(c, r int) *model {
			m := fourPanes(c, r)
			press(m, "C-b", ":")
			m.prompt.Paste(m.env(), []byte("Rename the widget everywhere, keep the old name as an alias\n日本語 too"))
			m.prompt.Paste(m.env(), []byte(strings.Repeat("log line\n", 30)))
			return m
		}},
		{"prompt-history", func(c, r int) *model {
			m := fourPanes(c, r)
			m.remembers("fix the tests", "write docs for\nthe config", "run the tests again")
			press(m, "C-b", ":", "C-r", "t", "e", "s", "t")
			return m
		}},
		{"prompt-targets", after(fourPanes, "C-b", ":", "C-t", "Space", "Down")},
		{"prompt-asked", after(askingPanes, "C-b", ":", "n", "o")},
		{"daemon-lost", func(c, r int) *model {
			m := fourPanes(c, r)
			m.take(news{News: known.News{Link: &known.Link{Lost: os.ErrDeadlineExceeded}}})
			return m
		}},
		{"host-lost", func(c, r int) *model {
			m := fourPanes(c, r)
			s := m.hosts.States["bbbb2222"]
			s.Trouble = "the connection to the session's host was lost"
			m.hosts.States["bbbb2222"] = s
			m.hosts.States["cccc3333"] = pane.State{ID: "cccc3333", Trouble: "the host cannot be reached"}
			return m
		}},
		{"asks", askingPanes},
		{"answer", after(askingPanes, "C-b", "a")},
		{"answer-message", after(askingPanes, "C-b", "a", "n", "u", "s", "e", "Space", "x")},
		{"answer-diff", changed(func(q *api.Request) {
			q.Tool, q.Editable, q.CWD, q.Rule = "Edit", false, "/home/me/proj", "policy.toml:12: ask Edit(src/**)"
			q.Input = json.RawMessage(`{"file_path":"/home/me/proj/src/a.go","old_string":"func a() {\n\tone()\n\ttwo()\n}","new_string":"func a() {\n\tone()\n\tthree(\"日本\")\n}"}`)
		}, "C-b", "a")},
		{"answer-scope", changed(func(q *api.Request) {
			q.Scopes = []api.AlwaysScope{
				{Scope: api.ScopeSession, Rule: "Bash(rm -rf build/)"},
				{Scope: api.ScopeProject, Rule: "Bash(rm -rf build/)", File: "/repo/.ccdir/policy.toml"},
				{Scope: api.ScopeUser, Rule: "Bash(rm -rf build/)", File: "/home/me/.config/ccdir/policy.toml"},
			}
			q.AlwaysRules = []string{q.AlwaysRule, "Bash(rm -rf *)"}
		}, "C-b", "a", "a", "Down", "Tab")},
		{"answer-edit", changed(func(q *api.Request) { q.Editable = true }, "C-b", "a", "e", "BSpace", "C-j", "l", "s")},
		{"answer-choices", changed(func(q *api.Request) {
			q.Kind, q.Tool, q.Question, q.Input, q.Origin = api.RequestQuestion, "ask_person", "Which colours?", json.RawMessage(`{"question":"Which colours?"}`), api.OriginMCP
			q.Choices, q.Multiple, q.AlwaysRule = []string{"red", "green", "日本 blue"}, true, ""
		}, "C-b", "a", "Down", "Space")},
		{"snooze", after(askingPanes, "C-b", "a", "s")},
		{"explain", func(c, r int) *model {
			m := fourPanes(c, r)
			fake := newFakeClient()
			fake.explanation = api.Explanation{
				State: api.StatePermission, Since: epoch, Rule: "hook-permission", Reason: "a dialog is open in the pane",
				Winner:    &api.Evidence{Source: api.SourceHook, At: epoch, Name: "PermissionRequest", Says: api.StatePermission},
				Overruled: []api.Overruled{{Evidence: api.Evidence{Source: api.SourceTitle, At: epoch, Name: "title"}, Reason: "a title is weaker"}},
				Changes:   []string{"an answer in the pane: working", "the end of the process: exited"},
			}
			m.opts.Client = fake
			perform(m, caused(m, func() { m.openOver(nil, explain.New(*m.Session("bbbb2222"))) }))
			press(m, "G", "G")
			return m
		}},
		{"prefix", after(fourPanes, "C-b")},
		{"notice", after(fourPanes, "C-b", "Q")},
	}
}

// moreLists are the views that need a daemon to be made: those that open on its
// answer, and modes of the panes.
func moreLists(t *testing.T, sized func(m *model, cols, rows int) *model) []goldenView {
	withRoles := func(c, r int) *model {
		m, fake := clientModel(t, fourSessions...)
		m.opts.Client = roleFake{fake}
		m.setFocus("aaaa1111")
		return sized(m, c, r)
	}
	past := func(keys ...string) func(c, r int) *model {
		return func(c, r int) *model { m, _ := withPast(t); do(sized(m, c, r), keys...); return m }
	}
	return []goldenView{
		{"policy-menu", func(c, r int) *model { m := withRoles(c, r); do(m, "C-b", "P", "Down"); return m }},
		{"policy-for-how-long", func(c, r int) *model { m := withRoles(c, r); do(m, "C-b", "P", "Down", "Enter"); return m }},
		{"snooze-focused", func(c, r int) *model { m := sized(fourPanes(c, r), c, r); do(m, "C-b", "3", "C-b", "Z"); return m }},
		{"review", func(c, r int) *model { m := sized(reviewing(t), c, r); do(m, "C-b", "v", "j", "j", "v", "j"); return m }},
		{"restore", func(c, r int) *model { m, _ := restorable(t); return sized(m, c, r) }},
		{"history-detail", past("C-b", "/", "i")},
		{"history-found", past("C-b", "/", "/", "n", "e", "e", "d", "l", "e", "Enter")},
		{"transcript", past("C-b", "/", "/", "n", "e", "e", "d", "l", "e", "Enter", "Enter")},
		{"transcript-find", past("C-b", "/", "/", "n", "e", "e", "d", "l", "e", "Enter", "Enter", "/", "l", "i")},
		{"history-busy", func(c, r int) *model {
			m, fake := clientModel(t, fourSessions...)
			m.opts.Client = pastFake{fakeClient: fake, hold: make(chan struct{})}
			do(sized(m, c, r), "C-b", "/", "/", "x")
			press(m, "Enter")
			return m
		}},
		{"queue-task", func(c, r int) *model {
			m, _ := queued(t)
			do(sized(m, c, r), "C-b", "T", "Down", "Enter")
			return m
		}},
		{"queue-clear", func(c, r int) *model { m, _ := queued(t); do(sized(m, c, r), "C-b", "T", "C"); return m }},
		{"decision", func(c, r int) *model { m, _ := withLedger(t); do(sized(m, c, r), "Enter"); return m }},
		{"decision-rule", func(c, r int) *model { m, _ := withLedger(t); do(sized(m, c, r), "Down", "p"); return m }},
		{"call", func(c, r int) *model { m := sized(withCalls(), c, r); do(m, "C-b", "t", "Enter"); return m }},
		{"events-paused", func(c, r int) *model {
			m := sized(withEvents(), c, r)
			press(m, "C-b", "E", "p")
			m.take(news{News: known.News{Events: []api.Event{{Seq: 9, At: epoch, Session: "bbbb2222", Type: "Later"}}}})
			return m
		}},
		{"events-filter", func(c, r int) *model { m := sized(withEvents(), c, r); press(m, "C-b", "E", "/", "m", "a"); return m }},
		{"events-session", func(c, r int) *model { m := sized(withEvents(), c, r); press(m, "C-b", "E", "S"); return m }},
		{"prompt-files", func(c, r int) *model {
			m, _ := clientModel(t, inDirectory(t, "docs/read me.md", "main.go", "tui/edit.go"))
			do(sized(m, c, r), "C-b", ":", "s", "e", "e", "Space", "@")
			return m
		}},
		{"copy", func(c, r int) *model { m, _ := copyModel(t, c, r); press(m, "C-b", "["); return m }},
		{"copy-find", func(c, r int) *model { m, _ := copyModel(t, c, r); press(m, "C-b", "[", "?", "o", "n", "e"); return m }},
		{"copy-found", func(c, r int) *model {
			m, _ := copyModel(t, c, r)
			m.opts.Client = newFakeClient()
			do(m, "C-b", "[", "?", "a", "Enter")
			return m
		}},
		{"copy-select", func(c, r int) *model { m, _ := copyModel(t, c, r); press(m, "C-b", "[", "V", "k"); return m }},
		{"copy-block", func(c, r int) *model {
			m, _ := copyModel(t, c, r)
			press(m, "C-b", "[", "g", "l", "l", "C-v", "j", "l", "l", "l")
			return m
		}},
		{"drag-pane", func(c, r int) *model {
			m := sized(fourPanes(c, r), c, r)
			from, to := m.grid.Layout.Panes[0], m.grid.Layout.Panes[len(m.grid.Layout.Panes)-1]
			m.Update(tea.MouseClickMsg{X: from.X + 6, Y: from.Y, Button: tea.MouseLeft})
			m.Update(tea.MouseMotionMsg{X: to.X + 5, Y: to.Y + 3, Button: tea.MouseLeft})
			return m
		}},
		{"read-only", func(c, r int) *model {
			m := sized(fourPanes(c, r), c, r)
			m.opts.ReadOnly = true
			return m
		}},
	}
}

// inDirectory is a session in a directory with these files.
func inDirectory(t *testing.T, names ...string) api.Session {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	v := named("aaaa1111", "api", api.StateIdle, 0)
	v.CWD = dir
	return v
}
