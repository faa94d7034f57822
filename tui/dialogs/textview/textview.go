// Package textview is a dialog of text that scrolls. It owns the place in the text and
// the box, which is as high as the text; what is shown is a Text. It asks for nothing
// but to be closed, and passes on what its Text asks for.
package textview

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/internal/keymap"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/sgr"
	"ccdir/tui/widget/theme"
)

// Text is the content of such a dialog. It is a value.
type Text interface {
	// Lines are its title and its lines in w columns.
	Lines(env ui.Env, w int) (title string, lines []string)
	// Own is the action that opened it: its key closes it too.
	Own() keymap.Action
}

// Live is a Text that follows what is known (ui.Refresher, ui.Receiver, ui.Waker).
type Live interface {
	Refresh(env ui.Env) (Text, []ui.Effect)
	Receive(env ui.Env, value any, err error) Text
	NextWake(env ui.Env) time.Time
}

// Folded is a Text that has more to show: Enter shows that, or the first again. Else Enter
// closes the dialog.
type Folded interface {
	// Turned is the other side, Other names it.
	Turned() Text
	Other() string
}

// Dialog is the dialog.
type Dialog struct {
	Text  Text
	pager modal.Pager
}

// New shows a text from its beginning.
func New(t Text) Dialog { return Dialog{Text: t} }

// width is the width of the dialog's inside.
const width = 96

// plan lays the dialog out.
func (d Dialog) plan(env ui.Env) (box paint.Rect, title string, p modal.Pager) {
	w := max(1, min(width, env.Cols-4))
	title, lines := d.Text.Lines(env, w)
	box = modal.Middle(env.Cols, env.Rows, width, min(len(lines)+1, max(1, env.Rows-2)))
	return box, title, d.pager.Fill(lines, box.W-4, box.H-3)
}

// Draw draws it with its keys and, if it scrolls, the place in the last line.
func (d Dialog) Draw(env ui.Env, s *paint.Surface) paint.Cursor {
	box, title, p := d.plan(env)
	modal.Box(s, box, title, env.Theme.Accent)
	in := paint.Rect{X: box.X + 2, Y: box.Y + 1, W: max(0, box.W-4), H: max(0, box.H-2)}
	p.Draw(s, paint.Rect{X: in.X, Y: in.Y, W: in.W, H: max(0, in.H-1)})
	keys, w := []keymap.Named{keymap.ViewClose.As("close")}, in.W
	if f, ok := d.Text.(Folded); ok {
		keys = append(keys, keymap.ViewOpen.As(f.Other()))
	}
	if where := p.Position(); where != "" {
		keys = append(keys, keymap.ViewPageDown.As("more"), keymap.ViewPageUp.As("back"))
		if n := paint.Width(where); n+12 < w {
			s.Text(in.X+w-n, in.Y+in.H-1, n, where, theme.FG(env.Theme.Dim))
			w -= n + 2
		}
	}
	if in.H > 0 {
		sgr.Draw(s, in.X, in.Y+in.H-1, w, modal.Keys(env.Keys, env.Theme, w, keys))
	}
	return paint.Cursor{}
}

// Key scrolls or closes.
func (d Dialog) Key(env ui.Env, k ui.Key) (ui.Component, []ui.Effect) {
	b, ok := env.Keys.LookupIn(keymap.ModeViews, k.Name)
	after, bound := env.Keys.Lookup(k.Name)
	if f, folded := d.Text.(Folded); folded && ok && b.Action == keymap.ViewOpen {
		return Dialog{Text: f.Turned()}, nil
	}
	if k.Name == "C-c" || !ok && bound && after.Action == d.Text.Own() || ok && (b.Action == keymap.ViewClose || b.Action == keymap.ViewOpen) {
		return d, []ui.Effect{ui.Close{All: true}}
	}
	_, _, p := d.plan(env)
	d.pager, _ = p.Moved(b.Action)
	return d, nil
}

// Mouse scrolls by the wheel; a click beside the dialog closes it.
func (d Dialog) Mouse(env ui.Env, msg tea.MouseMsg) (ui.Component, []ui.Effect) {
	box, _, p := d.plan(env)
	e := msg.Mouse()
	switch msg.(type) {
	case tea.MouseWheelMsg:
		d.pager = p.Wheel(e.Button)
	case tea.MouseClickMsg:
		if !box.Contains(e.X, e.Y) {
			return d, []ui.Effect{ui.Close{All: true}}
		}
	}
	return d, nil
}

// YieldsPrefix: nothing is lost.
func (d Dialog) YieldsPrefix() bool { return true }

// Refresh lets the text follow what is known.
func (d Dialog) Refresh(env ui.Env) (ui.Component, []ui.Effect) {
	live, ok := d.Text.(Live)
	if !ok {
		return d, nil
	}
	var effects []ui.Effect
	d.Text, effects = live.Refresh(env)
	return d, effects
}

// Receive gives the text an answer.
func (d Dialog) Receive(env ui.Env, value any, err error) (ui.Component, []ui.Effect) {
	if live, ok := d.Text.(Live); ok {
		d.Text = live.Receive(env, value, err)
	}
	return d, nil
}

// NextWake is when the text changes.
func (d Dialog) NextWake(env ui.Env) time.Time {
	if live, ok := d.Text.(Live); ok {
		return live.NextWake(env)
	}
	return time.Time{}
}
