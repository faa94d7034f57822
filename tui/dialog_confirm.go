package tui

import (
	"fmt"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/terminal/input"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// confirm asks before something that cannot be undone. "y" does it, every
// other key doesn't.
type confirm struct {
	question, detail string
	popup            uint64 // keys typed before this popup was on the screen are ignored
	yes              func(m *model) cmd
	back             overlay // what comes after it, nil nothing
	// of is the session that it is about, "" none: with its end, or if ended with its
	// removal, there is nothing to ask any more.
	of    string
	ended bool
	over  bool // it asks no more: any key closes it
}

// The answers, as the dialog names them.
const (
	confirmYes = "y yes"
	confirmNo  = "any other key: no"
	// What it says when it asks no more.
	confirmOver = "any key closes this"
)

// lines are the question and what is said about it, in w columns.
func (d confirm) lines(cols int) (w int, question, detail []string) {
	w = min(max(paint.Width(d.question), min(paint.Width(d.detail), 60), len(confirmYes+"   "+confirmNo)), max(10, cols-6))
	return w, modal.Wrap(d.question, w), modal.Wrap(d.detail, w)
}

// place is where the dialog is, and its inside.
func (d confirm) place(cols, rows int) (box, in paint.Rect) {
	w, question, detail := d.lines(cols)
	box = modal.Middle(cols, rows, w, len(question)+len(detail)+2)
	return box, paint.Rect{X: box.X + 2, Y: box.Y + 1, W: max(0, box.W-4), H: max(0, box.H-2)}
}

func (d confirm) draw(s *paint.Surface, sc *scene) paint.Cursor {
	_, question, detail := d.lines(sc.Cols)
	box, r := d.place(sc.Cols, sc.Rows)
	modal.Box(s, box, "sure?", sc.Theme.Alert)
	for i, l := range question {
		modal.Line(s, r, i, l, cells.Style{Attrs: cells.Bold})
	}
	for i, l := range detail {
		modal.Line(s, r, len(question)+i, l, theme.FG(sc.Theme.Dim))
	}
	foot := confirmYes + "   " + confirmNo
	if d.over {
		foot = confirmOver
	}
	modal.Line(s, r, r.H-1, foot, theme.Bold(sc.Theme.Alert))
	return paint.Cursor{}
}

func (d confirm) key(m *model, k input.Key) cmd {
	yes := k.Name == "y" || k.Name == "Y"
	if yes && !m.seen(d.popup, k.At) {
		return nil // in flight when the question appeared; a no is one all the same
	}
	m.overlay = d.back
	switch {
	case yes && !d.over:
		return d.yes(m)
	case k.Name == m.keys.Prefix():
		m.overlay, m.mode = nil, modePrefix
	}
	return nil
}

func (d confirm) paste(*model, string) {}

// askKill asks whether to kill a session, or to remove one that has ended.
func (m *model) askKill(v api.Session) {
	name := textsafe.Line(v.Name)
	d := confirm{popup: m.openPopup()}
	id, external, version := v.ID, v.External, v.Version()
	d.of, d.ended = id, v.State.Ended()
	if v.State.Ended() {
		d.question = "Remove " + name + " from the list?"
		d.detail = "Its last screen and its history are forgotten."
		d.yes = func(m *model) cmd {
			return m.call("removing "+name, func(c calls) (func(*model), error) {
				return nil, c.RemoveSession(c.ctx, id)
			})
		}
	} else {
		d.question = "Kill " + name + "?"
		d.detail = "The agent is asked to end, and is killed if it doesn't."
		if v.External && v.LeftOf == "" {
			d.question = "End " + name + ", which was started outside ccdir?"
			d.detail = fmt.Sprintf("Process %d is asked to end, and is killed if it doesn't.", v.PID)
		}
		d.yes = func(m *model) cmd {
			m.say("ending " + name + "…")
			return m.call("killing "+name, func(c calls) (func(*model), error) {
				v, err := c.KillSession(api.IfMatch(c.ctx, version), id, api.Kill{External: external})
				return func(m *model) { m.answered(v) }, err
			})
		}
	}
	m.overlay = d
}
