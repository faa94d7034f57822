package tui

import (
	"encoding/json"
	"os"
	"strings"

	"ccdir/internal/api"
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
		q := *m.request("r1")
		change(&q)
		m.take(news{requests: map[string]requestNews{"r1": {open: &q}}})
		return m
	}, keys...)
}

// goldenViews are the views that have golden screens.
func goldenViews() []goldenView {
	noClaude := []api.AgentInfo{
		{Name: "claude", Kind: "claude", Default: true, Hint: "install it with npm"},
		{Name: "demo", Kind: "demo", Path: "/bin/ccdir-shim"},
	}
	return []goldenView{
		{"four", fourPanes},
		{"zoomed", after(fourPanes, "C-b", "z")},
		{"empty", func(c, r int) *model { return testModel(c, r) }},
		{"no-agent", func(c, r int) *model { m := testModel(c, r); m.agents = noClaude; return m }},
		{"waiting", func(c, r int) *model {
			m := testModel(c, r)
			m.loaded = false
			return m
		}},
		{"help", after(fourPanes, "C-b", "?")},
		{"help-scrolled", after(fourPanes, "C-b", "?", "NPage")},
		{"list", after(workPanes, "C-b", "s", "Down")},
		{"list-filter", after(workPanes, "C-b", "s", "g", "Space", "/", "w", "o", "r", "k")},
		{"picker", after(workPanes, "C-b", "f", "w", "e")},
		{"list-column", func(c, r int) *model { m := workPanes(c+20, r); press(m, "C-b", "S"); return m }},
		{"palette", after(workPanes, "C-b", "p", "p", "a", "g", "e")},
		{"help-filter", after(fourPanes, "C-b", "?", "b", "o", "r", "d", "e", "r")},
		{"borders", after(fourPanes, "C-b", "b", "Right", "Right", "Up")},
		{"batch", func(c, r int) *model {
			m := fourPanes(c, r)
			m.batches = []*batch{{what: "starting", noun: "session", steps: make([]batchStep, 10), done: 3}}
			return m
		}},
		{"all-hidden", after(fourPanes, "C-b", "-", "C-b", "-", "C-b", "-", "C-b", "-")},
		{"new", func(c, r int) *model {
			m := fourPanes(c, r)
			m.dirs = []api.Directory{{Name: "site", Path: "/srv/site"}, {Path: "/repo/project"}}
			press(m, "C-b", "n", "Tab", "Down")
			return m
		}},
		{"new-no-agent", func(c, r int) *model {
			m := testModel(c, r)
			m.agents = noClaude
			press(m, "n", "Left")
			return m
		}},
		{"kill", after(fourPanes, "C-b", "x")},
		{"rename", after(fourPanes, "C-b", ",")},
		{"prompt", after(fourPanes, "C-b", ":", "f", "i", "x", "Space", "日")},
		{"prompt-lines", func(c, r int) *model {
			m := fourPanes(c, r)
			press(m, "C-b", ":")
			m.pastePrompt([]byte("Rename the widget everywhere, keep the old name as an alias\n日本語 too"))
			m.pastePrompt([]byte(strings.Repeat("log line\n", 30)))
			return m
		}},
		{"prompt-history", func(c, r int) *model {
			m := fourPanes(c, r)
			m.prompt.history = []string{"fix the tests", "write docs for\nthe config", "run the tests again"}
			press(m, "C-b", ":", "C-r", "t", "e", "s", "t")
			return m
		}},
		{"prompt-targets", after(fourPanes, "C-b", ":", "C-t", "Space", "Down")},
		{"prompt-asked", after(askingPanes, "C-b", ":", "n", "o")},
		{"prompt-failed", func(c, r int) *model {
			m := fourPanes(c, r)
			press(m, "C-b", ":", "g", "o")
			m.prompt.problem = "not sent to web: a dialog is open in the pane; answer it first"
			return m
		}},
		{"daemon-lost", func(c, r int) *model {
			m := fourPanes(c, r)
			m.take(news{link: &linkState{lost: os.ErrDeadlineExceeded}})
			return m
		}},
		{"host-lost", func(c, r int) *model {
			m := fourPanes(c, r)
			s := m.states["bbbb2222"]
			s.Trouble = "the connection to the session's host was lost"
			m.states["bbbb2222"] = s
			m.states["cccc3333"] = paneState{ID: "cccc3333", Trouble: "the host cannot be reached"}
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
				{Scope: api.ScopeUser, Rule: "Bash(rm *)", File: "/home/me/.config/ccdir/policy.toml"},
			}
		}, "C-b", "a", "a", "Down")},
		{"answer-edit", changed(func(q *api.Request) { q.Editable = true }, "C-b", "a", "e", "BSpace", "C-j", "l", "s")},
		{"answer-choices", changed(func(q *api.Request) {
			q.Kind, q.Tool, q.Question, q.Input, q.Origin = api.RequestQuestion, "ask_person", "Which colours?", json.RawMessage(`{"question":"Which colours?"}`), api.OriginMCP
			q.Choices, q.Multiple, q.AlwaysRule = []string{"red", "green", "日本 blue"}, true, ""
		}, "C-b", "a", "Down", "Space")},
		{"snooze", after(askingPanes, "C-b", "a", "s")},
		{"explain", func(c, r int) *model {
			m := fourPanes(c, r)
			m.overlay = explain{id: "bbbb2222", name: "web", exp: &api.Explanation{
				State: api.StatePermission, Since: epoch, Rule: "hook-permission", Reason: "a dialog is open in the pane",
				Winner:    &api.Evidence{Source: api.SourceHook, At: epoch, Name: "PermissionRequest", Says: api.StatePermission},
				Overruled: []api.Overruled{{Evidence: api.Evidence{Source: api.SourceTitle, At: epoch, Name: "title"}, Reason: "a title is weaker"}},
				Changes:   []string{"an answer in the pane: working", "the end of the process: exited"},
			}}
			press(m, "G", "G")
			return m
		}},
		{"prefix", after(fourPanes, "C-b")},
		{"notice", after(fourPanes, "C-b", "Q")},
	}
}
