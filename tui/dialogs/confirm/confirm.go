// Package confirm asks before something that cannot be undone. It owns the question and
// asks for nothing but what a yes does (Dialog.Yes): "y" does it, every other key
// doesn't. A question whose session has gone meanwhile asks no more, but stays for the
// key that is on its way to it, which must not reach a pane.
package confirm

import (
	tea "charm.land/bubbletea/v2"

	"ccdir/internal/cells"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// Dialog is a question.
type Dialog struct {
	Question, Detail string
	Yes              []ui.Effect // what a yes does, after the dialog was closed
	// Session is the id of the session that it is about, "" none: with its end, or if
	// Ended with its removal, there is nothing to ask any more.
	Session string
	Ended   bool

	stale bool // it asks no more: any key closes it
}

// The answers, as the dialog names them, and what it says when it asks no more.
const (
	footYes   = "y yes"
	footNo    = "any other key: no"
	footStale = "any key closes this"
)

// lines are the question and what is said about it.
func (d Dialog) lines(cols int) (w int, question, detail []string) {
	w = min(max(paint.Width(d.Question), min(paint.Width(d.Detail), 60), len(footYes+"   "+footNo)), max(10, cols-6))
	return w, modal.Wrap(d.Question, w), modal.Wrap(d.Detail, w)
}

// place is where the dialog is, and its inside.
func (d Dialog) place(env ui.Env) (box, in paint.Rect) {
	w, question, detail := d.lines(env.Cols)
	box = modal.Middle(env.Cols, env.Rows, w, len(question)+len(detail)+2)
	return box, paint.Rect{X: box.X + 2, Y: box.Y + 1, W: max(0, box.W-4), H: max(0, box.H-2)}
}

// Draw shows the question and its answers.
func (d Dialog) Draw(env ui.Env, s *paint.Surface) paint.Cursor {
	_, question, detail := d.lines(env.Cols)
	box, r := d.place(env)
	modal.Box(s, box, "sure?", env.Theme.Alert)
	for i, l := range question {
		modal.Line(s, r, i, l, cells.Style{Attrs: cells.Bold})
	}
	for i, l := range detail {
		modal.Line(s, r, len(question)+i, l, theme.FG(env.Theme.Dim))
	}
	foot := footYes + "   " + footNo
	if d.stale {
		foot = footStale
	}
	modal.Line(s, r, r.H-1, foot, theme.Bold(env.Theme.Alert))
	return paint.Cursor{}
}

// Key answers. A yes from before the question was on the screen is none; a no is one all
// the same.
func (d Dialog) Key(env ui.Env, k ui.Key) (ui.Component, []ui.Effect) {
	yes := k.Name == "y" || k.Name == "Y"
	switch {
	case yes && env.Early:
		return d, nil
	case yes && !d.stale:
		return d, append([]ui.Effect{ui.Close{}}, d.Yes...)
	}
	return d, []ui.Effect{ui.Close{}}
}

// Mouse answers by a click on an answer; one beside the dialog is a no.
func (d Dialog) Mouse(env ui.Env, msg tea.MouseMsg) (ui.Component, []ui.Effect) {
	e, ok := modal.Clicked(msg)
	if !ok || env.Early {
		return d, nil
	}
	box, in := d.place(env)
	foot := e.Y == in.Y+in.H-1
	switch {
	case foot && box.Contains(e.X, e.Y) && e.X < in.X+paint.Width(footYes):
		return d.Key(env, ui.Key{Name: "y", At: env.Now})
	case foot || !box.Contains(e.X, e.Y):
		return d, []ui.Effect{ui.Close{}}
	}
	return d, nil
}

// Refresh ends the question when its session has gone or ended.
func (d Dialog) Refresh(env ui.Env) (ui.Component, []ui.Effect) {
	if d.Session == "" || d.stale {
		return d, nil
	}
	name := textsafe.Line(env.Names[d.Session])
	switch v := env.Session(d.Session); {
	case v == nil:
		d.Question = name + " was removed meanwhile."
	case v.State.Ended() && !d.Ended:
		d.Question = name + " has ended meanwhile."
	default:
		return d, nil
	}
	d.Detail, d.stale = "", true
	return d, nil
}

// Asks: each key is an answer.
func (d Dialog) Asks() bool { return true }

// YieldsPrefix: the prefix key answers no and is then handled as usual.
func (d Dialog) YieldsPrefix() bool { return true }
