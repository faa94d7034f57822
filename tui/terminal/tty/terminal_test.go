package tty

import (
	"strings"
	"testing"

	"ccdir/tui/paint"
)

// TestSchemeReportsAreSwitchedOff: mode 2031 is on exactly while the grid has a
// terminal whose background matters.
func TestSchemeReportsAreSwitchedOff(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ extended, follows, want bool }{{true, true, true}, {true, false, false}, {false, true, false}} {
		m := Modes{Caps: paint.Caps{Extended: tt.extended}, Background: tt.follows}
		for what, seq := range map[string][2]string{
			"begin": {m.Begin(true), TellScheme}, "again": {m.Begin(false), TellScheme}, "end": {m.End(), hideScheme},
		} {
			if got := strings.Contains(seq[0], seq[1]); got != tt.want {
				t.Errorf("%s of %+v: %v (%q)", what, tt, got, seq[0])
			}
		}
	}
}

// TestTitleComesBack: the window's title is put away before the first one of the grid's,
// set again after another program had the terminal, and put back at the end; a terminal
// that may print such sequences gets none.
func TestTitleComesBack(t *testing.T) {
	t.Parallel()
	x := Terminal{active: true, modes: Modes{Caps: paint.Caps{Extended: true}}}
	for _, step := range []struct{ title, want string }{
		{"", ""},
		{"ccdir: 1\x1b]0;evil\a", "\x1b[22;2t\x1b]2;ccdir: 1␛]0;evil␇\a"},
		{"ccdir: 2", "\x1b]2;ccdir: 2\a"},
	} {
		if got := string(x.SetTitle(step.title)); got != step.want {
			t.Errorf("%q: %q, want %q", step.title, got, step.want)
		}
	}
	if seq := x.modes.End(); !strings.Contains(seq, popTitle) {
		t.Errorf("the end: %q", seq)
	}
	if seq := x.modes.Begin(true); !strings.Contains(seq, "\x1b[22;2t\x1b]2;ccdir: 2\a") {
		t.Errorf("taken again: %q", seq)
	}
	if got := string(x.SetTitle("")); got != popTitle || strings.Contains(x.modes.End(), popTitle) {
		t.Errorf("switched off: %q", got)
	}
	x.modes.Caps.Extended = false
	if got := x.SetTitle("ccdir"); got != nil || strings.Contains(x.modes.Begin(true)+x.modes.End(), "t") {
		t.Errorf("a console got %q", got)
	}
}
