package tui

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/internal/cells"
	"ccdir/tui/paint"
	"ccdir/tui/terminal"
	"ccdir/tui/ui"
	"ccdir/tui/widget/theme"
)

// jotter is a dialog that package tui knows nothing of, with every ability that a dialog
// may have.
type jotter struct {
	text   string
	writes bool
}

func (d jotter) Draw(_ ui.Env, s *paint.Surface) paint.Cursor {
	s.Text(0, 0, 40, "jotted: "+d.text, cells.Style{})
	return paint.Cursor{}
}

func (d jotter) Key(env ui.Env, k ui.Key) (ui.Component, []ui.Effect) {
	switch {
	case env.Early:
		d.text += "(early)"
	case k.Name == "Enter":
		return d, []ui.Effect{ui.Close{}, ui.Say{Text: "kept " + d.text}}
	case k.Name == "o":
		return d, []ui.Effect{ui.Open{Component: jotter{text: "another"}}}
	default:
		d.text += k.Name
	}
	return d, nil
}

func (d jotter) Paste(_ ui.Env, text string) ui.Component { d.text += text; return d }
func (d jotter) Mouse(ui.Env, tea.MouseMsg) (ui.Component, []ui.Effect) {
	d.text += "click"
	return d, nil
}
func (d jotter) NextWake(env ui.Env) time.Time   { return env.Now.Add(2 * time.Second) }
func (d jotter) YieldsPrefix() bool              { return !d.writes }
func (d jotter) Chip() string                    { return "JOTTER" }
func (d jotter) Tint(t *theme.Theme) cells.Color { return t.Alert }
func (d jotter) Asks() bool                      { return d.writes }
func (d jotter) Receive(_ ui.Env, value any, _ error) (ui.Component, []ui.Effect) {
	d.text, _ = value.(string)
	return d, nil
}

// TestNewDialog: a dialog needs nothing but itself: the grid asks it for its abilities and
// has no list of dialogs.
func TestNewDialog(t *testing.T) {
	m, _ := clientModel(t, two()...)
	m.open(jotter{})
	do(m, "a", "b")
	m.Update(terminal.Typed{Paste: []byte("cd")})
	m.Update(tea.MouseClickMsg{X: 3, Y: 3, Button: tea.MouseLeft})
	shows(t, m, "jotted: abcdclick", " JOTTER")
	if _, c := m.overlay.chip(m.theme); c != m.theme.Alert {
		t.Error("the chip has not its colour")
	}
	if m.wakeAt.After(m.now().Add(2 * time.Second)) {
		t.Error("nothing wakes it")
	}
	do(m, "o", "x") // one over the other, and an answer for the one below
	below := m.overlay.under.id
	m.receive(below, "told", nil)
	shows(t, m, "jotted: anotherx")
	do(m, "Enter")
	if shows(t, m, "jotted: told", "kept anotherx"); m.overlay == nil {
		t.Fatal("the one below has gone as well")
	}
	if do(m, "C-b"); m.overlay != nil || m.mode != modePrefix {
		t.Error("the prefix key does not leave it")
	}
	do(m, "Escape")
	m.open(jotter{writes: true})
	do(m, "C-b")
	if shows(t, m, "jotted: C-b"); !m.overlay.asks() || m.overlay.leavesPrefix() {
		t.Error("it takes the prefix key, and its keys are answers")
	}
}

// TestNoDialogIsNamed: what is open is asked for abilities only. A type of a dialog's
// package in an assertion would be the beginning of a list of dialogs.
func TestNoDialogIsNamed(t *testing.T) {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	asserted := regexp.MustCompile(`(?:Component|front\(\)|overlay)\.\((\S+)\)`)
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		code, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range asserted.FindAllSubmatch(code, -1) {
			if !strings.HasPrefix(string(m[1]), "ui.") {
				t.Errorf("%s asserts %s", f.Name(), m[0])
			}
		}
	}
}
