package grid

import (
	"hash/fnv"
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/internal/text/textsafe"
	"ccdir/tui/grid/tiling"
	"ccdir/tui/paint"
	"ccdir/tui/pane"
	"ccdir/tui/terminal"
	"ccdir/tui/ui"
	"ccdir/wire"
)

// mouse is the thing that a mouse button holds.
type mouse struct {
	// before is the session that had the focus when the button went down, "" when it is
	// up: until then no pane moves, so that the release of a click finds what was pressed.
	before  string
	tile    ui.Tile     // of the program that got the press; without a pane there is none
	border  *borderDrag // nil if no border is on its way
	dragged draggedPane // zero: no pane is being dragged
	clicked frameClick
	spun    spun
}

// spun is what an agent's pane showed when it got a turn of the wheel upwards. If the same is
// there at a later turn, the agent has nothing further up, and the wheel goes on into its
// conversation.
type spun struct {
	session string
	shows   uint64
	at      time.Time
}

// spunAfter is how long an agent has for an answer to the wheel.
const spunAfter = 250 * time.Millisecond

// borderDrag is a border that the mouse moves: one between panes, that of the column at
// the left, or the one between the two parts of the column (share).
type borderDrag struct {
	border        tiling.Border
	column, share bool
	// off is how far behind the border's position the pointer is.
	off int
}

// draggedPane is a pane that is dragged by its name onto another one, to change places
// with it.
type draggedPane struct {
	id string
	// over is the session of the pane below the pointer, "" before the pointer has
	// left its own pane.
	over string
}

// frameClick is the last click on a frame: a second one soon on the same cell zooms.
type frameClick struct {
	session string
	x, y    int
	at      time.Time
}

// doubleClick is the longest time between the clicks of a double click.
const doubleClick = 400 * time.Millisecond

// hit is whose an event of the mouse is.
type hit int

const (
	handled   hit = iota // the grid's
	elsewhere            // of what is beside the panes
	onText               // a press on text that no program wants
	onHistory            // a turn of the wheel that no program wants
)

// Target is the session onto whose pane another one is dragged, "" none.
func (g *Grid) Target() string { return g.mouse.dragged.over }

// Released notes that no button of the mouse is down.
func (g *Grid) Released() { g.mouse.before = "" }

// Drag handles motion and release while the mouse has hold of something.
func (g *Grid) Drag(env ui.Env, msg tea.MouseMsg) (effects []ui.Effect, taken bool) {
	m := &g.mouse
	switch {
	case m.tile.Pane != nil:
		return nil, g.dragged(env, msg)
	case m.border != nil:
		return g.dragBorder(env, msg), true
	case m.dragged.id != "":
		return g.dragPane(env, msg), true
	}
	return nil, false
}

// Mouse handles what the mouse does to panes and borders. A click on a pane gives it the
// focus and the keyboard, and its layout when the button is let go. What no program wants
// is not taken: it is copy mode's, or of what is beside the panes.
func (g *Grid) Mouse(env ui.Env, msg tea.MouseMsg) (effects []ui.Effect, taken bool) {
	hit, t := g.pointed(env, msg)
	if _, click := msg.(tea.MouseClickMsg); click && t.ID() != "" {
		effects = []ui.Effect{ui.Close{}}
	}
	if e, l := msg.Mouse(), g.Layout; hit == elsewhere && (l.Strip.Contains(e.X, e.Y) || l.Rows.Contains(e.X, e.Y)) {
		return g.clickName(env, msg)
	}
	return effects, hit == handled
}

// clickName gives the focus to the session whose name in the strip, or whose row, is clicked.
func (g *Grid) clickName(env ui.Env, msg tea.MouseMsg) (effects []ui.Effect, taken bool) {
	e := msg.Mouse()
	if _, click := msg.(tea.MouseClickMsg); !click {
		return nil, false
	}
	return g.Give(env.World, g.Picture(env).NameAt(e.X, e.Y)), true
}

// pointed handles what the mouse does below its pointer, where the tile is.
func (g *Grid) pointed(env ui.Env, msg tea.MouseMsg) (hit, ui.Tile) {
	e := msg.Mouse()
	t, inPane := env.TileAt(e.X, e.Y)
	switch msg.(type) {
	case tea.MouseClickMsg:
		return g.click(env, t, inPane, e)
	case tea.MouseWheelMsg:
		switch {
		case !inPane:
			return elsewhere, t
		case own(env, t, e) && !(alternate(t) && !t.Still), g.atTop(env, t, e):
			return onHistory, t
		}
		send(env, t, e, wire.MousePress)
	case tea.MouseMotionMsg:
		if inPane && t.State.Flags&wire.FlagMouseAny != 0 && !t.Still {
			forward(env, t, e, wire.MouseMotion)
		}
	}
	return handled, t
}

// atTop reports whether the wheel goes upwards in an agent's pane on the alternate screen
// that has not moved at a turn before, or does not take the wheel.
func (g *Grid) atTop(env ui.Env, t ui.Tile, e tea.Mouse) bool {
	if e.Button != tea.MouseWheelUp || t.Pane == nil || t.Still || t.Session.Conversation == "" || t.State.Flags&wire.FlagAlt == 0 {
		g.mouse.spun = spun{}
		return false
	}
	if !wantsMouse(t) {
		return true // the wheel would be arrow keys: those of its prompt's history
	}
	s := &g.mouse.spun
	if shows := upperHalf(t); s.session != t.ID() || s.shows != shows {
		*s = spun{t.ID(), shows, env.Now}
		return false
	}
	return env.Now.Sub(s.at) >= spunAfter
}

// upperHalf tells one picture of the upper half of a pane from others: below it an agent
// shows that it works.
func upperHalf(t ui.Tile) uint64 {
	h := fnv.New64a()
	var line []byte
	t.Pane.Read(func(pic pane.Picture, _ uint64) {
		_, rows := pic.Size()
		for y := range rows / 2 {
			line = pic.Table().AppendText(line[:0], pic.Row(y).Cells)
			_, _ = h.Write(append(line, '\n')) // never fails
		}
	})
	return h.Sum64()
}

// click handles a press of a button.
func (g *Grid) click(env ui.Env, t ui.Tile, inPane bool, e tea.Mouse) (hit, ui.Tile) {
	g.mouse.before = g.Focus
	zoomed, grabbed := g.grab(env, e)
	switch {
	case zoomed, grabbed && !inPane:
		return handled, t
	case !inPane:
		return elsewhere, t
	}
	g.Focus = t.ID()
	if t.Pane != nil && !env.ReadOnly {
		t.Pane.Claim()
	}
	if own(env, t, e) && e.Button == tea.MouseLeft {
		return onText, t
	}
	if forward(env, t, e, wire.MousePress) {
		g.mouse.tile = t
	}
	return handled, t
}

// grab begins to move the border below the pointer, and reports whether there is one. Two
// clicks on one cell of a frame zoom its pane.
func (g *Grid) grab(env ui.Env, e tea.Mouse) (zoomed, grabbed bool) {
	if t, ok := env.TileAt(e.X, e.Y); e.Button != tea.MouseLeft || e.Mod != 0 || ok && t.Floats {
		return false, false
	}
	if r := g.Layout.Column(); !r.Empty() && e.Y < r.H && e.X == r.W-1 {
		g.mouse.border = &borderDrag{column: true, off: e.X - r.W}
		return false, true
	}
	if r := g.Layout.Sidebar; r.Y > 0 && e.X < r.W && e.Y == r.Y {
		g.mouse.border = &borderDrag{share: true, off: e.Y - r.Y}
		return false, true
	}
	if t, ok := env.TileAt(e.X, e.Y); ok && !t.Inner().Contains(e.X, e.Y) {
		c := g.mouse.clicked
		if c.x == e.X && c.y == e.Y && c.session != "" && env.Now.Sub(c.at) < doubleClick {
			g.mouse.clicked = frameClick{}
			g.Focus = c.session
			g.toggleZoom()
			return true, true
		}
		g.mouse.clicked = frameClick{t.ID(), e.X, e.Y, env.Now}
		if g.pickUp(t, e) {
			return false, true
		}
	}
	if g.Layout.Plan == nil {
		return false, false
	}
	b, ok := g.Layout.Plan.BorderAt(e.X, e.Y)
	if !ok {
		return false, false
	}
	at := e.Y
	if b.Upright {
		at = e.X
	}
	g.mouse.border = &borderDrag{border: b, off: at - b.At}
	return false, true
}

// dragBorder moves the border that was grabbed; hosts are told of the sizes when it is
// let go.
func (g *Grid) dragBorder(env ui.Env, msg tea.MouseMsg) []ui.Effect {
	d, e := g.mouse.border, msg.Mouse()
	if _, moves := msg.(tea.MouseMotionMsg); !moves {
		g.mouse.border = nil
		return nil
	}
	g.mouse.clicked = frameClick{}
	g.relay(env.World)
	switch {
	case d.column:
		return []ui.Effect{ui.Tell{To: ui.Sidebar, Value: ui.Border{X: e.X - d.off}}}
	case d.share:
		return []ui.Effect{ui.Tell{To: ui.Sidebar, Value: ui.Border{Y: e.Y - d.off}}}
	case g.Layout.Plan == nil:
		g.mouse.border = nil // the panes went away meanwhile
	case d.border.Upright:
		g.putBorder(d.border, e.X-d.off)
	default:
		g.putBorder(d.border, e.Y-d.off)
	}
	return nil
}

// pickUp begins to drag a pane whose number and name are pressed; elsewhere the frame is
// a border.
func (g *Grid) pickUp(t ui.Tile, e tea.Mouse) bool {
	at := e.X - t.Rect.X - ui.TitleIn
	if e.Y != t.Rect.Y || at < 0 || at >= min(paint.Width(t.Label())+2, t.Rect.W-2) || len(g.Layout.Panes) < 2 {
		return false
	}
	g.mouse.dragged = draggedPane{id: t.ID()}
	return true
}

// dragPane follows the pointer; where the button is let go, the panes change places.
func (g *Grid) dragPane(env ui.Env, msg tea.MouseMsg) []ui.Effect {
	e, d := msg.Mouse(), &g.mouse.dragged
	t, inPane := env.TileAt(e.X, e.Y)
	switch msg.(type) {
	case tea.MouseMotionMsg:
		g.mouse.clicked = frameClick{}
		if d.over = ""; inPane && t.ID() != d.id {
			d.over = t.ID()
			return say("let go to change places with " + textsafe.Line(t.Session.Name))
		}
		return nil
	case tea.MouseReleaseMsg:
		shown := g.Shown(env.World)
		from, to := at(shown, d.id), -1
		if inPane && t.ID() != d.id {
			to = at(shown, t.ID())
		}
		*d = draggedPane{}
		g.swap(env.World, from, to)
		return say("")
	}
	*d = draggedPane{} // a release was lost
	return nil
}

// dragged gives motion and release to the program in whose pane the button went down,
// wherever the pointer is by now. It reports whether that was its event.
func (g *Grid) dragged(env ui.Env, msg tea.MouseMsg) bool {
	t, e := g.mouse.tile, msg.Mouse()
	if now, shown := env.Tile(t.ID()); shown { // it may have moved: the terminal was resized
		t = now
	}
	switch msg.(type) {
	case tea.MouseMotionMsg:
		if t.State.Flags&(wire.FlagMouseMotion|wire.FlagMouseAny) != 0 {
			forward(env, t, e, wire.MouseMotion)
		}
	case tea.MouseReleaseMsg:
		forward(env, t, e, wire.MouseRelease)
		g.mouse.tile = ui.Tile{}
	case tea.MouseClickMsg: // a release was lost, or a second button goes down
		g.mouse.tile = ui.Tile{}
		return false
	}
	return true
}

// own reports whether mouse events on a pane are the grid's own: its program takes none,
// the pane shows history, or Shift is down.
func own(env ui.Env, t ui.Tile, e tea.Mouse) bool {
	return !wantsMouse(t) || t.Still || e.Mod&tea.ModShift != 0 || env.ReadOnly || t.Session.State.Ended()
}

// alternate reports whether the wheel is arrow keys for the pane's program, which the host
// encodes.
func alternate(t ui.Tile) bool {
	const scroll = wire.FlagAlt | wire.FlagAltScroll
	return t.State.Flags&scroll == scroll
}

// wantsMouse reports whether the pane's program takes mouse events from this client.
func wantsMouse(t ui.Tile) bool {
	return t.State.Flags&(wire.FlagMouse|wire.FlagMouseMotion|wire.FlagMouseAny) != 0
}

// forward sends a mouse event to the pane's program if it wants such events, and reports
// whether it does.
func forward(env ui.Env, t ui.Tile, e tea.Mouse, a wire.MouseAction) bool {
	return wantsMouse(t) && send(env, t, e, a)
}

// send sends a mouse event in cells of the session's screen; not for presses on the frame.
func send(env ui.Env, t ui.Tile, e tea.Mouse, a wire.MouseAction) bool {
	in := t.Inner()
	if t.Pane == nil || env.ReadOnly || t.Session.State.Ended() || a == wire.MousePress && !in.Contains(e.X, e.Y) {
		return false
	}
	ox, oy := terminal.Offset(t.Pane, in.W, in.H)
	x, y := e.X-in.X+ox, e.Y-in.Y+oy
	t.Pane.Send(&wire.Input{Type: wire.InputMouse, Mouse: wire.MouseEvent{
		X: min(max(x, 0), max(t.State.Cols-1, 0)), Y: min(max(y, 0), max(t.State.Rows-1, 0)),
		Button: uint8(e.Button), Action: a,
		Shift: e.Mod&tea.ModShift != 0, Alt: e.Mod&tea.ModAlt != 0, Ctrl: e.Mod&tea.ModCtrl != 0,
	}})
	return true
}
