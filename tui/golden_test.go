package tui

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"

	"ccdir/internal/api"
	"ccdir/internal/keymap"
	"ccdir/tui/paint"
)

var update = flag.Bool("update", false, "write the golden files")

// testModel is a model without a client at a fixed time.
func testModel(cols, rows int, sessions ...api.Session) *model {
	k, _ := keymap.Make("", nil)
	m := newModel(Options{Dir: "/repo/project", Env: []string{"HOME=/home/me"}}, k)
	m.now = func() time.Time { return epoch.Add(3 * time.Minute) }
	m.cols, m.rows = cols, rows
	m.agents = newFakeClient().agents
	m.take(news{snapshot: &api.Snapshot{Sessions: sessions}})
	m.settle()
	return m
}

// picture draws what the model shows, without the bytes in between.
func (m *model) picture() *paint.Surface {
	var sc *scene
	m.publish = func(s *scene) { sc = s }
	m.settle()
	c := newComposer(paint.Caps{Profile: colorprofile.TrueColor})
	c.compose(sc, nil)
	return c.s
}

// withStill gives a session's pane a screen.
func (m *model) withStill(id, text string, cols, rows int) {
	p := newPane(id, nil, false, func(s paneState) { m.states[id] = s }, func(*pane) {})
	m.panes[id] = p
	p.show(parseStill(text, cols, rows))
	m.states[id] = p.state
}

// golden compares a picture with the file.
func golden(t *testing.T, name string, got string) {
	t.Helper()
	file := filepath.Join("testdata", "golden", name+".txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("%s is not what it was (go test -update writes it):\n%s\nwant:\n%s", name, got, want)
	}
}

func press(m *model, names ...string) {
	for _, n := range names {
		m.Update(typedMsg{key: &keyMsg{name: n, key: keyOf(n), at: m.now()}})
	}
}

var fourSessions = []api.Session{
	named("aaaa1111", "api", api.StateWorking, 0), named("bbbb2222", "web", api.StatePermission, 1),
	named("cccc3333", "docs", api.StateInput, 2), ended("dddd4444", "old", 3),
}

func named(id, name string, st api.State, after time.Duration) api.Session {
	v := testSession(id, name, st)
	v.Created = epoch.Add(after * time.Second)
	return v
}

func ended(id, name string, code int) api.Session {
	v := named(id, name, api.StateExited, 9)
	v.ExitCode = &code
	return v
}

func fourPanes(cols, rows int) *model {
	m := testModel(cols, rows, fourSessions...)
	m.withStill("aaaa1111", "\x1b[1mbuilding\x1b[m…\n日本語 done", 40, 8)
	m.withStill("bbbb2222", "rm -rf build/\n1. Yes\n2. No", 120, 50)
	at := epoch.Add(time.Minute)
	m.take(news{events: []api.Event{
		{Seq: 1, At: at, Session: "aaaa1111", Type: "SessionStart", StateFrom: api.StateStarting, StateTo: api.StateIdle},
		{Seq: 2, At: at.Add(time.Second), Session: "aaaa1111", Type: "UserPromptSubmit", StateFrom: api.StateIdle, StateTo: api.StateWorking},
		{Seq: 3, At: at.Add(2 * time.Second), Session: "bbbb2222", Type: "PreToolUse", Message: "Bash: rm", StateFrom: api.StateWorking, StateTo: api.StateWorking},
		{Seq: 4, At: at.Add(3 * time.Second), Session: "bbbb2222", Type: "PermissionRequest", StateFrom: api.StateWorking, StateTo: api.StatePermission},
		{Seq: 5, At: at.Add(4 * time.Second), Session: "gone0000", Type: "evil\x1b[31m\nname"},
	}})
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
		v := *m.session(id)
		f(&v)
		m.upsert(v)
	}
	m.list.projects = map[string]string{"/home/me/code/shop": "/home/me/code/shop", "/home/me/code/shop/web": "/home/me/code/shop"}
	return m
}

// askingPanes are four panes, of which web asks for permission.
func askingPanes(cols, rows int) *model {
	m := fourPanes(cols, rows)
	m.take(news{requests: map[string]requestNews{"r1": {open: &api.Request{
		ID: "r1", Session: "bbbb2222", Tool: "Bash", Kind: api.RequestPermission, Since: epoch, Question: "Bash: rm -rf build/",
		Input: json.RawMessage(`{"command":"rm -rf build/","description":"Remove what was built"}`), AlwaysRule: "Bash(rm -rf build/)",
	}}}})
	return m
}

func TestGoldenScreens(t *testing.T) {
	noClaude := []api.AgentInfo{
		{Name: "claude", Kind: "claude", Default: true, Hint: "install it with npm"},
		{Name: "demo", Kind: "demo", Path: "/bin/ccdir-shim"},
	}
	sizes := []struct {
		name       string
		cols, rows int
	}{{"80x24", 80, 24}, {"40x10", 40, 10}}
	screens := []struct {
		name string
		make func(cols, rows int) *model
	}{
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
	for _, sc := range screens {
		for _, size := range sizes {
			t.Run(sc.name+"-"+size.name, func(t *testing.T) {
				golden(t, sc.name+"-"+size.name, sc.make(size.cols, size.rows).picture().Dump())
			})
		}
	}
	t.Run("outside-120x24", func(t *testing.T) {
		m := fourPanes(120, 24)
		v := named("eeee5555", "elsewhere", api.StateWorking, 1)
		v.External = true
		m.take(news{sessions: map[string]api.Session{v.ID: v}})
		golden(t, "outside-120x24", m.picture().Dump())
	})
	t.Run("sidebar-120x24", func(t *testing.T) {
		golden(t, "sidebar-120x24", fourPanes(120, 24).picture().Dump())
	})
}

// TestAnySize: no size panics, and nothing is drawn outside.
func TestAnySize(t *testing.T) {
	keys := [][]string{nil, {"C-b", "?"}, {"C-b", "n"}, {"C-b", "x"}, {"C-b", ":"}, {"C-b", ","}, {"C-b", "z"}, {"n"}, {"C-b", "a"}, {"C-b", "a", "n", "x"}, {"C-b", "a", "Tab"}, {"C-b", "i"}, {"C-b", "o"}, {"C-b", "i", "G"}, {"C-b", "o", "NPage"},
		{"C-b", ":", "x", "C-j", "日"}, {"C-b", ":", "C-t", "Space"}, {"C-b", ":", "C-r", "x"}, {"C-b", ":", "@"},
		{"C-b", "a", "e", "x"}, {"C-b", "a", "s"},
		{"C-b", "s"}, {"C-b", "s", "/", "x"}, {"C-b", "S"}, {"C-b", "S", "C-b", "s", "g"}, {"C-b", "f"}, {"C-b", "p"}, {"C-b", "b"}, {"C-b", "?", "z"}, {"C-b", "M-7"}}
	for _, cols := range []int{0, 1, 2, 3, 4, 7, 12, 20, 26, 40, 59, 61, 97} {
		for _, rows := range []int{0, 1, 2, 3, 4, 5, 6, 7, 9, 14} {
			for _, k := range keys {
				m := askingPanes(cols, rows)
				press(m, k...)
				m.picture()
			}
			testModel(cols, rows).picture()
		}
	}
	fourPanes(500, 150).picture()
}

// TestHostileText: whatever is named how, no control character is drawn.
func TestHostileText(t *testing.T) {
	evil := "a\x1b]0;x\x07\x9b31m\u202eb\nc"
	v := named("aaaa1111", evil, api.StateLost, 0)
	v.Agent, v.Error, v.Prompt, v.Task, v.CWD, v.Question = evil, evil, evil, evil, "/"+evil, evil
	m := testModel(120, 24, v)
	m.agents = []api.AgentInfo{{Name: evil, Hint: evil}}
	m.take(news{events: []api.Event{{Seq: 1, Session: "aaaa1111", Type: evil, Message: evil}}, link: &linkState{lost: os.ErrClosed}})
	for _, keys := range [][]string{nil, {"C-b", "x"}, {"Escape", "C-b", ","}, {"Escape", "C-b", "n"},
		{"Escape", "C-b", "s"}, {"g"}, {"C-b", "i"}, {"C-b", "o"}, {"C-b", "f"}, {"C-b", "S"}, {"C-b", "s", "x"}} {
		press(m, keys...)
		for _, r := range m.picture().Dump() {
			if r != '\n' && (r < ' ' || r >= 0x7f && r < 0xa0 || r == 0x202e) {
				t.Fatalf("after %q: %U was drawn", keys, r)
			}
		}
	}
}

// TestStateIsColourAndSign: every state has its colour on the frame and its
// sign in the title.
func TestStateIsColourAndSign(t *testing.T) {
	th := newTheme("", nil)
	for _, st := range api.States() {
		v := named("aaaa1111", "x", st, 0)
		s := testModel(80, 24, v).picture()
		if got := s.Table().Style(s.Row(0)[0].Style).FG; got != th.state(st) {
			t.Errorf("%s: frame colour %v", st, got)
		}
		if top := strings.SplitN(s.Dump(), "\n", 2)[0]; !strings.Contains(top, st.Indicator()+" x") {
			t.Errorf("%s: title %q", st, top)
		}
	}
}
