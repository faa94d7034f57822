package tui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
	"ccdir/tui/known"
	"ccdir/tui/terminal/input"
)

func TestMouseOnChrome(t *testing.T) {
	m, _ := clientModel(t, two()...)
	m.take(news{News: known.News{Events: []api.Event{{Seq: 1, Session: "bbbb2222", Type: "Stop"}}}})
	m.settle()
	m.Update(tea.MouseClickMsg{X: m.grid.Layout.Sidebar.X + 3, Y: 1, Button: tea.MouseLeft})
	if m.grid.Focus != "bbbb2222" {
		t.Errorf("the event did not choose its session: %s", m.grid.Focus)
	}
	m.Update(tea.MouseClickMsg{X: 3, Y: m.grid.Layout.Prompt.Y, Button: tea.MouseLeft})
	if m.mode != modePrompt {
		t.Error("the prompt bar did not take the keyboard")
	}
	m.mode = modePane
	m.Update(tea.WindowSizeMsg{Width: 40, Height: 12})
	x := 0
	for m.scene(m.now(), nil).NameAt(x, 0) != "aaaa1111" && x < 40 {
		x++
	}
	m.Update(tea.MouseClickMsg{X: x, Y: 0, Button: tea.MouseLeft})
	if m.grid.Focus != "aaaa1111" {
		t.Errorf("the strip did not choose a session: %s", m.grid.Focus)
	}
}

// TestMouseAtTheEdges: places outside of the picture, and those that X10's encoding cannot tell.
func TestMouseAtTheEdges(t *testing.T) {
	m := fourPanes(80, 24)
	for _, in := range []string{"\x1b[M !!", "\x1b[M  \x20", "\x1b[M \xff\xff", "\x1b[<0;0;0M", "\x1b[<0;19000;10000M", "\x1b[<64;0;0M", "\x1b[<32;0;0M"} {
		var d input.Decoder
		d.Feed([]byte(in), func(e input.Event) { m.event(e.Event) }) // which must not panic
	}
}

// TestClickOnNeeds: a click on who needs a person in the status line goes there, and opens
// the answer bar where there is a request.
func TestClickOnNeeds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		what string
		x    int
		asks bool
	}{{"the last word", 118, true}, {"the chip", 2, false}} {
		m, _ := asking(t)
		m.setFocus("aaaa1111")
		m.settle()
		shows(t, m, "need")
		m.Update(tea.MouseClickMsg{X: tt.x, Y: m.grid.Layout.Status.Y, Button: tea.MouseLeft})
		if opened := m.overlay != nil; opened != tt.asks || (m.grid.Focus == "bbbb2222") != tt.asks {
			t.Errorf("%s: open %v, focus %s", tt.what, opened, m.grid.Focus)
		}
	}
	m := testModel(120, 40, two()[0], named("bbbb2222", "web", api.StateInput, 1))
	m.setFocus("aaaa1111")
	m.settle()
	m.Update(tea.MouseClickMsg{X: 118, Y: m.grid.Layout.Status.Y, Button: tea.MouseLeft})
	if m.grid.Focus != "bbbb2222" {
		t.Errorf("without a request: focus %s", m.grid.Focus)
	}
}
