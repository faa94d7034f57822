package tui

import (
	"context"
	"errors"
	"fmt"

	"ccdir/internal/api"
	"ccdir/internal/grid"
	"ccdir/internal/keymap"
	"ccdir/internal/textsafe"
	"ccdir/tui/paint"
)

// Restorer is what a Client also is that knows what ran before a reboot.
type Restorer interface {
	// RestoreOffer tells what does not run any more; from 0 is what is offered.
	RestoreOffer(ctx context.Context, from int) (api.RestoreOffer, error)
	// Restore begins it again.
	Restore(ctx context.Context, q api.Restore) ([]api.Restored, error)
	// RefuseRestore withdraws the offer.
	RefuseRestore(ctx context.Context) error
}

// restoreDialog offers what ran before the machine was restarted: all of it is
// chosen at first. It is a value.
type restoreDialog struct {
	popup uint64 // keys typed before this popup was on the screen are ignored
	offer api.RestoreOffer
	left  map[string]bool // ids that are not chosen; replaced, never changed
	at    int
}

func newRestoreDialog(popup uint64, o api.RestoreOffer) restoreDialog {
	d := restoreDialog{popup: popup, offer: o, left: map[string]bool{}}
	for _, s := range o.Sessions {
		if s.Problem != "" {
			d.left[s.ID] = true
		}
	}
	return d
}

// followOffer asks each daemon once what it offers. A grid that was just opened
// shows it; one that somebody works in says so.
func (m *model) followOffer() cmd {
	if !m.loaded || m.unseen || m.offline != "" || m.opts.ReadOnly || m.server.PID == 0 || m.server.PID == m.offered {
		return nil
	}
	first := m.offered == 0
	m.offered = m.server.PID
	return m.askOffer(func(m *model, o api.RestoreOffer) {
		switch {
		case len(o.Sessions) == 0:
		case first && m.overlay == nil && m.mode == modePane:
			m.overlay = newRestoreDialog(m.openPopup(), o)
		default:
			m.warn(fmt.Sprintf("%s can be begun again: %s", plural(len(o.Sessions), "session", "sessions"), m.keys.Hint(keymap.Restore)))
		}
	})
}

// openRestore shows the offer when it was asked for.
func (m *model) openRestore() cmd {
	return m.askOffer(func(m *model, o api.RestoreOffer) {
		if len(o.Sessions) == 0 {
			m.say("nothing to restore: all that ran goes on, or was ended (`ccdir restore --kept` lists what ran before)")
			return
		}
		m.overlay = newRestoreDialog(m.openPopup(), o)
	})
}

func (m *model) askOffer(then func(*model, api.RestoreOffer)) cmd {
	r, can := m.opts.Client.(Restorer)
	if !can {
		return nil
	}
	return m.call("asking what can be restored", func(c calls) (func(*model), error) {
		o, err := r.RestoreOffer(c.ctx, 0)
		return func(m *model) { then(m, o) }, err
	})
}

// restoreChosen begins the sessions that are chosen again.
func (m *model) restoreChosen(d restoreDialog) cmd {
	r, can := m.opts.Client.(Restorer)
	if !can {
		return nil
	}
	var steps []batchStep
	for _, s := range d.offer.Sessions {
		if d.left[s.ID] {
			continue
		}
		steps = append(steps, batchStep{textsafe.Line(s.Name), func(c calls) (func(*model), error) {
			list, err := r.Restore(c.ctx, api.Restore{Sessions: []string{s.ID}, Env: m.opts.Env})
			switch {
			case err != nil:
				return nil, err
			case len(list) != 1 || list[0].Session == nil && list[0].Error == "":
				return nil, errors.New("the daemon does not say what came of it")
			case list[0].Error != "":
				return nil, errors.New(list[0].Error)
			}
			return func(m *model) { m.upsert(*list[0].Session) }, nil
		}})
	}
	if len(steps) == 0 {
		m.say("none was chosen")
		return nil
	}
	return m.startBatch(batch{what: "restoring", noun: "session", steps: steps, abreast: 4})
}

// restoreWidth is the width of the dialog's inside.
const restoreWidth = 84

// heading says why there is something to restore.
func (d restoreDialog) heading(sc *scene) string {
	why := "Hosts have died"
	if d.offer.Reason == api.RestoreReboot {
		why = "The machine was restarted"
	}
	return fmt.Sprintf("%s. This ran until %s ago:", why, age(sc.now, d.offer.At))
}

// restoreFoot is the dialog's last line.
const restoreFoot = "Enter restore   Space choose   a all/none   d don't offer again   Esc later"

// place is where the dialog and its rows are, and which of them comes first.
func (d restoreDialog) place(cols, rows int) (box, in paint.Rect, top int) {
	box = popupBox(&scene{cols: cols, rows: rows}, restoreWidth, min(len(d.offer.Sessions)+4, max(4, rows-4)))
	in = paint.Rect{X: box.X + 2, Y: box.Y + 2, W: max(0, box.W-4), H: max(0, box.H-5)}
	return box, in, max(0, d.at-in.H+1)
}

func (d restoreDialog) draw(s *paint.Surface, sc *scene) paint.Cursor {
	n := len(d.offer.Sessions)
	box, rows, top := d.place(sc.cols, sc.rows)
	drawBox(s, sc, box, "restore", sc.theme.accent)
	r := paint.Rect{X: box.X + 2, Y: box.Y + 1, W: max(0, box.W-4), H: max(0, box.H-2)}
	line(s, r, 0, d.heading(sc), grid.Style{Attrs: grid.Bold})
	for i := 0; i < rows.H && top+i < n; i++ {
		d.drawOne(s, sc, paint.Rect{X: rows.X, Y: rows.Y + i, W: rows.W, H: 1}, d.offer.Sessions[top+i], top+i == d.at)
	}
	line(s, r, r.H-1, restoreFoot, fg(sc.theme.dim))
	return paint.Cursor{}
}

func (d restoreDialog) drawOne(s *paint.Surface, sc *scene, r paint.Rect, v api.OfferedSession, at bool) {
	text, dim, mark := grid.Style{}, fg(sc.theme.dim), "[x] "
	if d.left[v.ID] {
		text, mark = dim, "[ ] "
	}
	if at {
		text = grid.Style{Attrs: grid.Inverse}
		dim = text
		s.Fill(r, text)
	}
	detail := "begins anew"
	switch {
	case v.Problem != "":
		detail = v.Problem
		if !at {
			dim = fg(sc.theme.alert)
		}
	case v.Resume:
		detail = "goes on: " + v.Prompt
	}
	put := func(x, w int, text string, st grid.Style) {
		if w = min(w, r.X+r.W-x); w > 0 {
			s.Text(x, r.Y, w, paint.Cut(textsafe.Line(text), w), st)
		}
	}
	third := max(8, r.W/4)
	put(r.X, third, mark+v.Name, text)
	put(r.X+third+1, third, homely(v.CWD, sc.home), dim)
	put(r.X+2*third+2, r.W, detail, dim)
}

func (d restoreDialog) key(m *model, k keyMsg) cmd {
	if !m.seen(d.popup, k.at) {
		return nil // in flight when the dialog appeared
	}
	n := len(d.offer.Sessions)
	switch k.name {
	case "Escape", "q", "C-c":
		m.overlay = nil
		m.say("not now: " + m.keys.Hint(keymap.Restore) + " offers it again")
		return nil
	case "Enter", "KPEnter":
		m.overlay = nil
		return m.restoreChosen(d)
	case "d":
		m.overlay = nil
		r, can := m.opts.Client.(Restorer)
		if !can {
			return nil
		}
		return m.call("withdrawing the offer", func(c calls) (func(*model), error) {
			return func(m *model) { m.say("not offered again; `ccdir restore --kept` lists what is kept") }, r.RefuseRestore(c.ctx)
		})
	case "Up", "k", "C-p":
		d.at--
	case "Down", "j", "C-n":
		d.at++
	case "Space":
		d = d.choose(func(id string, left bool) bool { return left != (id == d.offer.Sessions[d.at].ID) })
		d.at++
	case "a":
		all := len(d.left) > 0
		d = d.choose(func(string, bool) bool { return !all })
	}
	d.at = max(0, min(d.at, n-1))
	m.overlay = d
	return nil
}

// choose says anew which sessions are left out.
func (d restoreDialog) choose(leave func(id string, left bool) bool) restoreDialog {
	left := map[string]bool{}
	for _, s := range d.offer.Sessions {
		if leave(s.ID, d.left[s.ID]) {
			left[s.ID] = true
		}
	}
	d.left = left
	return d
}

func (d restoreDialog) paste(*model, string) {}
