package tui

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"ccdir/tui/pane"
	"ccdir/wire"
)

// longPaste is a paste of that many kilobytes.
func longPaste(kb int) *wire.Input {
	return &wire.Input{Type: wire.InputPaste, Text: bytes.Repeat([]byte("x"), kb<<10)}
}

// TestDetachHandsOver: the grid is left when the hosts have what was pasted; the person
// is asked where they don't take it, and a no changes nothing.
func TestDetachHandsOver(t *testing.T) {
	for name, c := range map[string]struct {
		then  func(x *clocked, p *pane.Pane)
		keys  []string
		quits bool
	}{
		"taken":           {func(x *clocked, p *pane.Pane) { p.DiscardInput() }, nil, true},
		"yes":             {nil, []string{"y"}, true},
		"no":              {nil, []string{"n"}, false},
		"session is over": {func(x *clocked, p *pane.Pane) { p.End(true) }, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			underClock(t, nil, func(x *clocked) {
				p := x.hosts.Panes["bbbb2222"]
				p.Send(longPaste(3000))
				x.keys("C-b", "d")
				x.pass(flushWithin / 2)
				x.sees("", "Detach all the same")
				if c.then != nil {
					c.then(x, p)
				}
				if len(c.keys) > 0 {
					x.pass(flushWithin)
					x.sees("Detach all the same?", "3000 KB of what was pasted", "program of web")
					x.keys(c.keys...)
				}
				x.pass(time.Second)
				if x.quitting != c.quits {
					t.Errorf("quits: %v", x.quitting)
				}
			})
		})
	}
}

// TestDetachTwiceAsks: asked for once more, it says at once what it waits for.
func TestDetachTwiceAsks(t *testing.T) {
	m, _ := clientModel(t, two()...)
	m.hosts.Panes[m.grid.Focus].Send(longPaste(2))
	press(m, "C-b", "d")
	if m.quitting || m.overlay != nil {
		t.Fatalf("quits: %v, %T", m.quitting, m.overlay)
	}
	press(m, "C-b", "d")
	shows(t, m, "Detach all the same?", "2 KB of what was pasted would be lost")
}

// TestEndHandsOver: a grid that ends in another way waits for the hosts too, a while,
// and not for what was given up.
func TestEndHandsOver(t *testing.T) {
	for name, c := range map[string]struct {
		taken    bool
		abandons bool
		want     time.Duration
	}{
		"nothing typed": {taken: true},
		"taken later":   {want: flushWithin / 2},
		"given up":      {abandons: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m, _ := clientModel(t, two()...)
				p, began := m.hosts.Panes[m.grid.Focus], time.Now()
				if !c.taken {
					p.Send(longPaste(100))
					time.AfterFunc(flushWithin/2, func() { p.DiscardInput() })
				}
				m.abandons = c.abandons
				(&program{model: m}).flushOnQuit()
				if took := time.Since(began); took < c.want || took >= c.want+2*flushStep {
					t.Errorf("it took %v, want %v", took, c.want)
				}
				time.Sleep(flushWithin)
			})
		})
	}
}
