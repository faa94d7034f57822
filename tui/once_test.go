package tui

import (
	"context"
	"errors"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/tui/terminal"
	"ccdir/tui/terminal/input"
	"ccdir/tui/ui"
)

// lost is what a call gets whose answer never came.
func lost() error {
	return &api.UnsureError{Err: errors.New("the daemon is gone"), Look: "ccdir ls"}
}

// TestMadeOnce: a text that was sent when nobody answered is sent again under its
// name, another text under another one; what is known to have failed has a new one.
func TestMadeOnce(t *testing.T) {
	m, c := clientModel(t)
	write := func(text string) {
		t.Helper()
		do(m, "C-b", ":")
		for _, r := range text {
			do(m, string(r))
		}
		do(m, "Enter")
	}
	c.fails("create", lost())
	write("one")
	if p := m.prompt; p.Text() != "one" || !strings.Contains(p.Problem(), "whether it was started is not known (the daemon is gone)") || !strings.Contains(p.Problem(), "none is made twice") {
		t.Fatalf("the bar has %q, and says %q", p.Text(), p.Problem())
	}
	m.cols, m.rows = m.cols+1, m.rows+1 // the size is no part of what was asked for
	do(m, "C-b", ":", "Enter")
	do(m, "C-b", ":", "x", "Enter")
	c.fails("create", api.Errorf(api.CodeInvalid, "no"))
	do(m, "C-b", ":", "Enter")
	c.fails("create", nil)
	do(m, "C-b", ":", "Enter")
	do(m, "C-b", ":", "Tab")
	typeIn(m, "onex") // meant: the one before was made
	do(m, "Enter")
	var names []string
	for _, n := range c.tried {
		if n.Request == "" {
			t.Errorf("%q has no name", n.Prompt)
		}
		names = append(names, n.Request)
	}
	if len(names) != 6 || names[0] != names[1] || names[1] == names[2] || names[2] != names[3] || names[3] == names[4] || names[4] == names[5] {
		t.Errorf("the names are %q", names)
	}
	if c.tried[0].Cols != c.tried[1].Cols {
		t.Error("the same call asks for something else")
	}
}

// TestMadeOnceByDialog: the same in the dialog, until a field is changed; and Esc
// cancels the wait for a daemon that is gone.
func TestMadeOnceByDialog(t *testing.T) {
	m, c := clientModel(t)
	c.fails("create", lost())
	do(m, "C-b", "n")
	do(m, "Tab", "Tab", "Tab", "a", "Enter", "Enter", "b", "Enter")
	shows(t, m, "whether it was started is not known")
	if len(c.tried) != 3 || c.tried[0].Request != c.tried[1].Request || c.tried[1].Request == c.tried[2].Request {
		t.Errorf("tried %+v", c.tried)
	}
	_, call := m.Update(terminal.Typed{Key: &input.Key{Name: "Enter", Press: keyOf("Enter"), At: m.now()}})
	m.Offline = "gone"
	if s := m.scene(m.now(), nil).Banner; !strings.Contains(s, "the new session waits for it (Esc cancels)") {
		t.Errorf("the banner is %q", s)
	}
	do(m, "Escape")
	if m.overlay.waiter(ui.Nobody) == nil {
		t.Error("Esc does not wait for what comes of it")
	}
	perform(m, call)
	shows(t, m, "cancelled: ")
	if got := ui.NotMade("started", "no: ", "the list", true, context.Canceled); got != "cancelled: it was not started" {
		t.Errorf("before it was sent: %q", got)
	}
}

// TestBannerOverDialogs: a dialog that covers the whole terminal does not hide that
// there is no daemon.
func TestBannerOverDialogs(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {40, 10}, {200, 60}} {
		for _, key := range []string{"?", "n", "s", "o"} {
			m := fourPanes(size[0], size[1])
			press(m, "C-b", key)
			m.Offline = "gone"
			if got := m.picture().Dump(); !strings.Contains(got, "the daemon does not answer") {
				t.Errorf("%s at %v: the banner is nowhere:\n%s", key, size, got)
			}
		}
	}
}
