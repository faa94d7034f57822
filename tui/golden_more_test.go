package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"ccdir/internal/api"
	"ccdir/tui/paint"
)

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
			m.take(news{events: []api.Event{{Seq: 9, At: epoch, Session: "bbbb2222", Type: "Later"}}})
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
			from, to := m.layout.panes[0], m.layout.panes[len(m.layout.panes)-1]
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

// depths are what terminals make of a pane's colours and signs.
var depths = []struct {
	name, term, program string
	profile             colorprofile.Profile
}{
	{"true", "xterm-256color", "iTerm.app", colorprofile.TrueColor},
	{"256", "xterm-256color", "", colorprofile.ANSI256},
	{"16", "xterm-16color", "", colorprofile.ANSI},
	{"screen", "screen", "", colorprofile.TrueColor},
	{"console", "linux", "", colorprofile.TrueColor},
	{"vt220", "vt220", "", colorprofile.ASCII},
	{"none", "xterm-256color", "", colorprofile.ASCII},
}

// colourful is a pane in all kinds of colours, attributes and signs.
func colourful(cols, rows int) *model {
	m := testModel(cols, rows, named("aaaa1111", "colours", api.StateWorking, 0))
	m.withStill("aaaa1111", strings.Join([]string{
		"\x1b[31mred\x1b[m \x1b[92mbright\x1b[m \x1b[38;5;208morange\x1b[m \x1b[38;2;1;200;90mtrue\x1b[m",
		"\x1b[44mblue\x1b[m \x1b[48;5;99mviolet\x1b[m \x1b[48;2;90;20;10mbrown\x1b[m",
		"\x1b[1mbold\x1b[m \x1b[2mdim\x1b[m \x1b[3mitalic\x1b[m \x1b[4mline\x1b[m \x1b[7minverse\x1b[m \x1b[9mstruck\x1b[m",
		"\x1b[4:3;58:5:9mcurly\x1b[m \x1b[53mover\x1b[m \x1b[5mblink\x1b[m \x1b[8mhidden\x1b[m",
		"⏺ ⎿ ✻ ❯ … ╭─╮ █▓░ 日本 é e\u0301 👍🏽",
	}, "\r\n"), 50, 8)
	return m
}

// TestGoldenDepths: what a pane's colours, attributes and signs become in terminals
// that have less: text, styles and what the letters mean, one terminal a file.
func TestGoldenDepths(t *testing.T) {
	for _, d := range depths {
		t.Run(d.name, func(t *testing.T) {
			golden(t, "depths/"+d.name, styledDump(colourful(52, 12).pictureOn(d.profile, d.term, d.program)))
		})
	}
}

// TestGoldenSigns: the views that have all kinds of signs between them, drawn with
// those of a Linux console and with ASCII.
func TestGoldenSigns(t *testing.T) {
	all := map[string]goldenView{}
	for _, v := range append(goldenViews(), goldenLists(t)...) {
		all[v.name] = v
	}
	for _, term := range []string{"linux", "vt220"} {
		for _, name := range []string{"four", "help", "list", "prompt-lines", "answer-diff", "borders", "queue", "history", "restore", "copy-select"} {
			t.Run(term+"-"+name, func(t *testing.T) {
				view, ok := all[name]
				if !ok {
					t.Fatalf("no view %q", name)
				}
				golden(t, fmt.Sprintf("signs/%s-%s", term, name), view.make(80, 24).pictureOn(colorprofile.ANSI, term, "").Dump())
			})
		}
	}
}

// pictureOn draws what the model shows on a terminal.
func (m *model) pictureOn(found colorprofile.Profile, term, program string) *paint.Surface {
	getenv := func(k string) string { return map[string]string{"TERM": term, "TERM_PROGRAM": program}[k] }
	m.caps = paint.CapsOf(found, getenv)
	m.theme = firstTheme(m.opts, m.caps.Profile)
	var sc *scene
	m.publish = func(s *scene) { sc = s }
	m.settle()
	c := newComposer(m.caps)
	c.compose(sc, nil)
	return c.s
}
