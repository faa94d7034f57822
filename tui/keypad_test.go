package tui

import (
	"strings"
	"testing"
)

// TestKeypad: keys of the numeric keypad that a terminal tells apart from the others
// (Windows Terminal does with kitty's protocol, also where they type) do in the grid
// what the others do.
func TestKeypad(t *testing.T) {
	m, c := clientModel(t, two()...)
	do(m, "C-b", ":", "KP4", "KP*", "KP2", "KP.", "KPEnter")
	if sent := calledFor(c, "send"); len(sent) != 1 || !strings.Contains(sent[0], "4*2.") {
		t.Errorf("sent %q", sent)
	}
	do(m, "C-b", "KP2")
	if got := m.focused().ID; got != m.grid.Shown(&m.World)[1].ID {
		t.Errorf("the focus is in %q", got)
	}
	do(m, "C-b", "s", "KP/", "KP7")
	if v := list(t, m).View; !v.Typing || v.Query.String() != "7" {
		t.Errorf("the list is %+v", v)
	}
}
