package grid

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
	"ccdir/tui/paint"
	"ccdir/tui/pane"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
	"ccdir/wire"
)

// rig is a grid with a world of its own; what it asks for is carried out.
type rig struct {
	Grid
	t      *testing.T
	env    ui.Env
	room   Room
	panes  map[string]*pane.Pane
	states map[string]pane.State
	lines  []string     // of the status line
	open   ui.Component // nil if none is
	moved  []ui.Border
	daemon daemon
}

// daemon keeps arrangements, unless it fails.
type daemon struct {
	ui.Client
	kept *[]api.Grid
	err  *error
}

func (d daemon) SetGrid(_ context.Context, g api.Grid) error {
	*d.kept = append(*d.kept, g)
	return *d.err
}

// newRig is a screen without a sidebar.
func newRig(t *testing.T, cols, rows int, sessions ...api.Session) *rig {
	t.Helper()
	r := &rig{Grid: New(beside{}), t: t, env: uitest.Env(cols, rows), room: Room{Cols: cols, Rows: rows}, panes: map[string]*pane.Pane{}, states: map[string]pane.State{}}
	r.daemon = daemon{kept: new([]api.Grid), err: new(error)}
	r.env.Sessions = sessions
	for _, v := range sessions {
		r.panes[v.ID] = pane.New(pane.Config{ID: v.ID})
	}
	r.settle()
	return r
}

// many are running sessions named s1, s2, ….
func many(n int) (out []api.Session) {
	for i := range n {
		v := api.Session{ID: fmt.Sprintf("id%06d", i+1), Name: fmt.Sprintf("s%d", i+1), Agent: "claude", State: api.StateIdle}
		v.Created, v.Since = uitest.Epoch, uitest.Epoch
		out = append(out, v)
	}
	return out
}

// settle brings layout and tiles in line, as the grid does after each message.
func (r *rig) settle() {
	r.room.Cols, r.room.Rows = r.env.Cols, r.env.Rows
	r.Settle(r.env.World, r.room)
	r.env.Focus = r.Focus
	r.env.Facts.Sessions, r.env.Facts.Panes = len(r.Gridded(r.env.World)), len(r.Shown(r.env.World))
	r.env.Facts.Pages, r.env.Facts.Hidden, r.env.Facts.Focused = r.Layout.Pages, r.HiddenCount(r.env.World), r.Focus != ""
	r.env.Tiles = r.Tiles(r.env.World)
	for i := range r.env.Tiles {
		id := r.env.Tiles[i].Session.ID
		r.env.Tiles[i].Pane, r.env.Tiles[i].State = r.panes[id], r.states[id]
	}
	r.env.Bottom = r.env.Rows - 1
}

func (r *rig) carryOut(effects []ui.Effect) {
	r.t.Helper()
	for _, e := range effects {
		switch e := e.(type) {
		case ui.Say:
			r.lines = append(r.lines, e.Text)
		case ui.Warn:
			r.lines = append(r.lines, e.Text)
		case ui.Open:
			r.open = e.Component
		case ui.Close:
			r.open = nil
		case ui.Do:
			r.carryOut(r.Do(r.env, e.Action, ""))
		case ui.Pass:
			r.mouse(e.Mouse)
		case ui.Tell:
			r.moved = append(r.moved, e.Value.(ui.Border))
		case ui.Call:
			res, err := e.Run(context.Background(), r.daemon)
			r.carryOut(r.Receive(r.env, res.Value, err))
		default:
			r.t.Errorf("unexpected effect %T", e)
		}
	}
}

// key presses keys after the prefix key, or for the component that is open, or such as go
// on without the prefix.
func (r *rig) key(names ...string) {
	r.t.Helper()
	for _, name := range names {
		k := ui.Key{Name: name, At: r.env.Now}
		if r.open != nil {
			c, effects := r.open.Key(r.env, k)
			r.open = c
			r.carryOut(effects)
		} else if b, ok := r.env.Keys.Lookup(name); ok {
			r.carryOut(r.Do(r.env, b.Action, name))
		} else {
			r.t.Errorf("no key %s", name)
		}
		r.settle()
	}
}

// plain presses a key without the prefix key, and reports whether the grid took it.
func (r *rig) plain(name string) bool {
	effects, ok := r.Grid.Key(r.env, ui.Key{Name: name, At: r.env.Now})
	r.carryOut(effects)
	r.settle()
	return ok
}

// mouse gives the grid an event of the mouse.
func (r *rig) mouse(msg tea.MouseMsg) (h hit) {
	if r.open != nil {
		c, effects := r.open.(ui.Mouser).Mouse(r.env, msg)
		r.open = c
		r.carryOut(effects)
	} else {
		effects, taken := r.Drag(r.env, msg)
		if r.carryOut(effects); !taken {
			if h, _ = r.pointed(r.env, msg); h == elsewhere {
				effects, _ = r.Mouse(r.env, msg)
				r.carryOut(effects)
			}
		}
	}
	if _, up := msg.(tea.MouseReleaseMsg); up {
		r.Released()
	}
	r.settle()
	return h
}

func left(x, y int) tea.Mouse       { return tea.Mouse{X: x, Y: y, Button: tea.MouseLeft} }
func (r *rig) press(x, y int) hit   { return r.mouse(tea.MouseClickMsg(left(x, y))) }
func (r *rig) move(x, y int) hit    { return r.mouse(tea.MouseMotionMsg(left(x, y))) }
func (r *rig) release(x, y int) hit { return r.mouse(tea.MouseReleaseMsg(left(x, y))) }
func (r *rig) wheel(x, y int) hit {
	return r.mouse(tea.MouseWheelMsg{X: x, Y: y, Button: tea.MouseWheelDown})
}
func (r *rig) wants(id string, cols int) { r.states[id] = mouseState(id, cols); r.settle() }

// mouseState is that of a pane whose program wants presses and drags.
func mouseState(id string, cols int) pane.State {
	return pane.State{ID: id, Connected: true, Cols: cols, Rows: 24, Flags: wire.FlagMouse | wire.FlagMouseMotion}
}

// got are the mouse events that a pane's program got.
func (r *rig) got(id string) (out []wire.MouseEvent) {
	for _, in := range r.panes[id].DiscardInput() {
		if in.Type == wire.InputMouse {
			out = append(out, in.Mouse)
		}
	}
	return out
}

// names are the names of the panes in view, in order.
func (r *rig) names() string {
	var out []string
	for _, t := range r.env.Tiles {
		out = append(out, t.Session.Name)
	}
	return strings.Join(out, " ")
}

// sizes are the sizes of the panes in view.
func (r *rig) sizes() string {
	var out []string
	for _, p := range r.Layout.Panes {
		out = append(out, fmt.Sprintf("%dx%d", p.W, p.H))
	}
	return strings.Join(out, " ")
}

// said reports whether a line of the status line has the text.
func (r *rig) said(text string) bool {
	return slices.ContainsFunc(r.lines, func(l string) bool { return strings.Contains(l, text) })
}

// keep carries out what keeps the arrangement, and returns how much was sent.
func (r *rig) keep() int {
	before := len(*r.daemon.kept)
	r.carryOut(r.Refresh(r.env))
	return len(*r.daemon.kept) - before
}

func (r *rig) rect(i int) paint.Rect { return r.Layout.Panes[i] }

// beside is a sidebar as configured; a scope's repository is a session's directory.
type beside struct{}

func (beside) Kept() (api.GridList, *api.GridSidebar) { return api.GridList{}, nil }

func (beside) In(scope api.GridScope, v api.Session) bool { return v.CWD == scope.Repository }
