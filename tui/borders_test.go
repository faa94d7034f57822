package tui

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ccdir/tui/grid/tiling"
	"ccdir/tui/pane"
	"ccdir/tui/terminal"
	"ccdir/tui/terminal/input"
)

func (m *model) clickAt(x, y int) {
	m.Update(terminal.Typed{Event: uv.MouseClickEvent{X: x, Y: y, Button: uv.MouseLeft}})
}

func (m *model) releaseAt(x, y int) {
	m.Update(terminal.Typed{Event: uv.MouseReleaseEvent{X: x, Y: y}})
}

func (m *model) moveTo(x, y int) {
	m.Update(terminal.Typed{Event: uv.MouseMotionEvent{X: x, Y: y, Button: uv.MouseLeft}})
}

func TestBordersByMouse(t *testing.T) {
	m := testModel(200, 50, many(4)...)
	m.opts.Client = newFakeClient()
	for _, v := range m.Sessions {
		m.hosts.Panes[v.ID] = pane.New(pane.Config{ID: v.ID})
	}
	m.settle()
	first := m.hosts.Panes["id000001"]
	before := first.View()
	r := m.grid.Layout.Panes[0]
	m.clickAt(r.X+r.W, 10)
	for x := r.X + r.W + 1; x <= r.X+r.W+12; x++ {
		m.moveTo(x, 10)
	}
	if m.grid.Layout.Panes[0].W != r.W+12 {
		t.Errorf("the border is at %d, want %d", m.grid.Layout.Panes[0].W, r.W+12)
	}
	if first.View().Cols != before.Cols {
		t.Errorf("the host is told while the border moves: %+v", first.View())
	}
	m.releaseAt(r.X+r.W+12, 10)
	if want := r.W + 12; first.View().Cols != want {
		t.Errorf("the host is told %d columns, want %d", first.View().Cols, want)
	}
	// The sidebar's border.
	side := m.grid.Layout.Sidebar
	m.clickAt(side.W, 5)
	m.moveTo(side.W+10, 5)
	m.releaseAt(side.W+10, 5)
	if got := m.grid.Layout.Sidebar.W; got != side.W+10 {
		t.Errorf("the sidebar has %d columns, want %d", got, side.W+10)
	}
	// The list's.
	press(m, "C-b", "S")
	m.clickAt(m.grid.Layout.List.W, 5)
	m.moveTo(m.grid.Layout.List.W+7, 5)
	m.releaseAt(0, 0)
	if got := m.grid.Layout.List.W; got != tiling.ListWidth-1+7 || m.grid.Layout.Sidebar.W != got {
		t.Errorf("list and events have %d and %d columns, want %d", got, m.grid.Layout.Sidebar.W, tiling.ListWidth-1+7)
	}
	// The border between them.
	at := m.grid.Layout.Sidebar.Y
	m.clickAt(5, at)
	m.moveTo(5, at-6)
	m.releaseAt(5, at-6)
	if got := m.grid.Layout.Sidebar.Y; got != at-6 || m.grid.Layout.List.H != got {
		t.Errorf("the events begin in row %d, want %d", got, at-6)
	}
}

// loop runs a model and its commands for d, as the program does.
func loop(m *model, first tea.Cmd, d time.Duration) {
	messages, quit := make(chan tea.Msg), make(chan struct{})
	defer close(quit)
	var run func(c tea.Cmd)
	run = func(c tea.Cmd) {
		if c == nil {
			return
		}
		go func() {
			msg := c()
			if b, ok := msg.(tea.BatchMsg); ok {
				for _, one := range b {
					run(one)
				}
				return
			}
			select {
			case messages <- msg:
			case <-quit:
			}
		}()
	}
	run(first)
	end := time.After(d)
	for {
		select {
		case msg := <-messages:
			_, c := m.Update(msg)
			run(c)
		case <-end:
			return
		}
	}
}

const (
	borderStep  = 4                      // columns
	borderHolds = 300 * time.Millisecond // hosts are told then
	keyRepeats  = 500 * time.Millisecond // keys go on without the prefix key so long
)

// TestBordersComeToRest: after the last step of a border, and without another
// message, hosts learn the size, the daemon the arrangement, and keys take the
// short way again.
func TestBordersComeToRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newFakeClient()
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		m := testModel(200, 50, many(2)...)
		m.wait = func(c cmd) cmd { return c }
		m.ctx, m.now, m.opts.Client = ctx, time.Now, c
		m.grid.Connected(true)
		for _, v := range m.Sessions {
			m.hosts.Panes[v.ID] = pane.New(pane.Config{ID: v.ID})
		}
		m.settle()
		m.out = nil
		p := m.hosts.Panes["id000001"]
		before := p.View().Cols
		m.mode = modePrefix
		_, next := m.Update(terminal.Typed{Key: &input.Key{Name: "C-Right", Press: keyOf("C-Right"), At: m.now()}})
		if p.View().Cols != before || m.router.Route().Pane != nil || len(c.grids) != 0 {
			t.Fatalf("at once: %d columns, %d kept", p.View().Cols, len(c.grids))
		}
		loop(m, next, borderHolds-time.Millisecond)
		if p.View().Cols != before || len(c.grids) != 0 {
			t.Errorf("too early: %d columns, %d kept", p.View().Cols, len(c.grids))
		}
		// The clock is asked for again: the loop above took the old one with it.
		m.wakeAt = time.Time{}
		loop(m, caused(m, m.settle), keyRepeats)
		if p.View().Cols != before+borderStep || len(c.grids) != 1 || m.router.Route().Pane != p {
			t.Errorf("at rest: %d columns instead of %d, %d kept, keys to %p", p.View().Cols, before+borderStep, len(c.grids), m.router.Route().Pane)
		}
		time.Sleep(5 * time.Minute) // of the test's clock: outstanding ticks end
	})
}
