package help

import (
	"strings"
	"testing"

	"ccdir/internal/keymap"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
	"ccdir/tui/widget/edit"
)

// TestHelpInColumns: a wide terminal shows several columns, a large one all of the
// help; each binding is there once.
func TestHelpInColumns(t *testing.T) {
	for _, tt := range []struct{ cols, rows, columns int }{{80, 24, 1}, {100, 40, 1}, {120, 40, 2}, {200, 60, 3}, {500, 200, 3}} {
		env := uitest.Env(tt.cols, tt.rows)
		env.Facts = keymap.Facts{Sessions: 4, Panes: 4, Focused: true, Waiting: 2, Pages: 1}
		p := dialog{all: true}.plan(env)
		n := 0
		for _, c := range p.columns {
			for _, l := range c {
				if strings.TrimSpace(l.keys) != "" {
					n++
				}
			}
		}
		want := 1 + len(edit.KeyLines()) // and the prefix key
		for _, b := range env.Keys.Bindings() {
			want += min(len(b.Keys), 1)
		}
		if len(p.columns) != tt.columns || n != want || p.box.W > tt.cols || p.box.H > tt.rows {
			t.Errorf("%+v: %d columns, %d of %d keys, box %+v", tt, len(p.columns), n, want, p.box)
		}
	}
	env := uitest.Env(80, 24)
	env.Facts = keymap.Facts{Sessions: 4, Panes: 4, Focused: true, Waiting: 2, Pages: 1}
	uitest.Everywhere(t, env, New(), "help-short")
	n := 0
	for _, g := range short {
		n += len(g.rows)
	}
	if n != 16 {
		t.Errorf("the short page has %d keys", n)
	}
	for _, more := range []string{"a", "?"} {
		if d, _ := uitest.Press(env, New(), more); !d.(dialog).all {
			t.Errorf("%s does not show all keys", more)
		} else if d, _ := uitest.Press(env, d, "?"); d.(dialog).all {
			t.Error("? does not go back to the short page")
		}
	}
	d, _ := uitest.Press(env, New(), "s", "w", "a", "p")
	uitest.Everywhere(t, env, d, "help-filter")
	if _, effects := uitest.Press(env, d, "Escape", "Escape"); len(effects) != 1 || effects[0] != (ui.Close{}) {
		t.Errorf("Escape drops the filter first, then closes: %v", effects)
	}
}
