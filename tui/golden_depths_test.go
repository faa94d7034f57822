package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"ccdir/api"
	"ccdir/tui/paint"
)

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
		for _, name := range []string{"four", "help", "list", "prompt-lines", "answer-diff", "borders", "queue", "history", "restore", "copy-select", "titles"} {
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
	m.theme = themeOf(m.opts, m.light, m.caps.Profile, m.caps.Glyphs)
	var sc *scene
	m.publish = func(s *scene) { sc = s }
	m.settle()
	c := newComposer(m.caps)
	c.compose(sc)
	return c.s
}
