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

// goldenViews are the views that have golden screens.
func goldenViews() []goldenView {
	noClaude := []api.AgentInfo{
		{Name: "claude", Kind: "claude", Default: true, Hint: "install it with npm"},
		{Name: "demo", Kind: "demo", Path: "/bin/ccdir-shim"},
	}
	return []goldenView{
		{"four", fourPanes},
		{"zoomed", func(c, r int) *model { m := fourPanes(c, r); press(m, "C-b", "z"); return m }},
		{"empty", func(c, r int) *model { return testModel(c, r) }},
		{"no-agent", func(c, r int) *model { m := testModel(c, r); m.agents = noClaude; return m }},
		{"waiting", func(c, r int) *model {
			m := testModel(c, r)
			m.loaded = false
			return m
		}},
		{"help", func(c, r int) *model { m := fourPanes(c, r); press(m, "C-b", "?"); return m }},
		{"help-scrolled", func(c, r int) *model { m := fourPanes(c, r); press(m, "C-b", "?", "NPage"); return m }},
		{"list", func(c, r int) *model { m := workPanes(c, r); press(m, "C-b", "s", "Down"); return m }},
		{"list-filter", func(c, r int) *model {
			m := workPanes(c, r)
			press(m, "C-b", "s", "g", "Space", "/", "w", "o", "r", "k")
			return m
		}},
		{"picker", func(c, r int) *model { m := workPanes(c, r); press(m, "C-b", "f", "w", "e"); return m }},
		{"list-column", func(c, r int) *model { m := workPanes(c+20, r); press(m, "C-b", "S"); return m }},
		{"palette", func(c, r int) *model { m := workPanes(c, r); press(m, "C-b", "p", "p", "a", "g", "e"); return m }},
		{"help-filter", func(c, r int) *model {
			m := fourPanes(c, r)
			press(m, "C-b", "?", "b", "o", "r", "d", "e", "r")
			return m
		}},
		{"borders", func(c, r int) *model {
			m := fourPanes(c, r)
			press(m, "C-b", "b", "Right", "Right", "Up")
			return m
		}},
		{"batch", func(c, r int) *model {
			m := fourPanes(c, r)
			m.batches = []*batch{{what: "starting", noun: "session", steps: make([]batchStep, 10), done: 3}}
			return m
		}},
		{"all-hidden", func(c, r int) *model {
			m := fourPanes(c, r)
			press(m, "C-b", "-", "C-b", "-", "C-b", "-", "C-b", "-")
			return m
		}},
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
		{"kill", func(c, r int) *model { m := fourPanes(c, r); press(m, "C-b", "x"); return m }},
		{"rename", func(c, r int) *model { m := fourPanes(c, r); press(m, "C-b", ","); return m }},
		{"prompt", func(c, r int) *model {
			m := fourPanes(c, r)
			press(m, "C-b", ":", "f", "i", "x", "Space", "日")
			return m
		}},
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
		{"prompt-targets", func(c, r int) *model {
			m := fourPanes(c, r)
			press(m, "C-b", ":", "C-t", "Space", "Down")
			return m
		}},
		{"prompt-asked", func(c, r int) *model {
			m := askingPanes(c, r)
			press(m, "C-b", ":", "n", "o")
			return m
		}},
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
		{"asks", func(c, r int) *model { return askingPanes(c, r) }},
		{"answer", func(c, r int) *model { m := askingPanes(c, r); press(m, "C-b", "a"); return m }},
		{"answer-message", func(c, r int) *model {
			m := askingPanes(c, r)
			press(m, "C-b", "a", "n", "u", "s", "e", "Space", "x")
			return m
		}},
		{"answer-diff", func(c, r int) *model {
			m := askingPanes(c, r)
			q := *m.request("r1")
			q.Tool, q.Editable, q.CWD, q.Rule = "Edit", false, "/home/me/proj", "policy.toml:12: ask Edit(src/**)"
			q.Input = json.RawMessage(`{"file_path":"/home/me/proj/src/a.go","old_string":"func a() {\n\tone()\n\ttwo()\n}","new_string":"func a() {\n\tone()\n\tthree(\"日本\")\n}"}`)
			m.take(news{requests: map[string]requestNews{"r1": {open: &q}}})
			press(m, "C-b", "a")
			return m
		}},
		{"answer-scope", func(c, r int) *model {
			m := askingPanes(c, r)
			q := *m.request("r1")
			q.Scopes = []api.AlwaysScope{
				{Scope: api.ScopeSession, Rule: "Bash(rm -rf build/)"},
				{Scope: api.ScopeProject, Rule: "Bash(rm -rf build/)", File: "/repo/.ccdir/policy.toml"},
				{Scope: api.ScopeUser, Rule: "Bash(rm *)", File: "/home/me/.config/ccdir/policy.toml"},
			}
			m.take(news{requests: map[string]requestNews{"r1": {open: &q}}})
			press(m, "C-b", "a", "a", "Down")
			return m
		}},
		{"answer-edit", func(c, r int) *model {
			m := askingPanes(c, r)
			m.request("r1").Editable = true
			press(m, "C-b", "a", "e", "BSpace", "C-j", "l", "s")
			return m
		}},
		{"answer-choices", func(c, r int) *model {
			m := askingPanes(c, r)
			q := *m.request("r1")
			q.Kind, q.Tool, q.Question, q.Input, q.Origin = api.RequestQuestion, "ask_person", "Which colours?", json.RawMessage(`{"question":"Which colours?"}`), api.OriginMCP
			q.Choices, q.Multiple, q.AlwaysRule = []string{"red", "green", "日本 blue"}, true, ""
			m.take(news{requests: map[string]requestNews{"r1": {open: &q}}})
			press(m, "C-b", "a", "Down", "Space")
			return m
		}},
		{"snooze", func(c, r int) *model { m := askingPanes(c, r); press(m, "C-b", "a", "s"); return m }},
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
		{"prefix", func(c, r int) *model { m := fourPanes(c, r); press(m, "C-b"); return m }},
		{"notice", func(c, r int) *model { m := fourPanes(c, r); press(m, "C-b", "Q"); return m }},
	}
}
