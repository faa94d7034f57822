package tui

import (
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/terminal/input"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/listbox"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
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
	view  listbox.View
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
	if !m.Loaded || m.unseen || m.Offline != "" || m.opts.ReadOnly || m.Server.PID == 0 || m.Server.PID == m.offered {
		return nil
	}
	first := m.offered == 0
	m.offered = m.Server.PID
	return m.askOffer(func(m *model, o api.RestoreOffer) {
		switch {
		case len(o.Sessions) == 0:
		case first && m.overlay == nil && m.mode == modePane:
			m.overlay = newRestoreDialog(m.openPopup(), o)
		default:
			m.warn(fmt.Sprintf("%s can be begun again: %s", format.Plural(len(o.Sessions), "session", "sessions"), m.keys.Hint(keymap.Restore)))
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
			return func(m *model) { m.answered(*list[0].Session) }, nil
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
	return fmt.Sprintf("%s. This ran until %s ago:", why, format.Age(sc.Now, d.offer.At))
}

func (d restoreDialog) list() listbox.View             { return d.view }
func (d restoreDialog) with(v listbox.View) listDialog { d.view = v; return d }
func (d restoreDialog) mode() keymap.Mode              { return keymap.ModeRestore }
func (d restoreDialog) paste(m *model, text string)    { listPaste(m, d, text) }
func (d restoreDialog) draw(s *paint.Surface, sc *scene) paint.Cursor {
	return drawListDialog(d, s, sc)
}

func (d restoreDialog) content(sc *scene) listbox.Content {
	c := listbox.Content{
		Title: "restore", Head: modal.Styled(d.heading(sc), cells.Style{Attrs: cells.Bold}), Hint: "filter by name, directory or prompt",
		Width: restoreWidth, Click: keymap.RestoreChoose,
		Keys: []keymap.Named{keymap.ViewOpen.As("restore"), keymap.RestoreChoose.As("choose"), keymap.RestoreAll.As("all/none"), keymap.RestoreRefuse.As("don't offer again"), keymap.ViewClose.As("later")},
	}
	for _, v := range d.offer.Sessions {
		c.Items = append(c.Items, listbox.Item{
			ID: v.ID, Match: func() string { return v.Name + " " + v.CWD + " " + v.Prompt },
			Line: func(w int) string { return d.row(sc, v, w) },
		})
	}
	return c
}

// row is a session: whether it is chosen, its name, where it ran and what becomes
// of it.
func (d restoreDialog) row(sc *scene, v api.OfferedSession, w int) string {
	text, dim, mark := cells.Style{}, theme.FG(sc.Theme.Dim), "[x] "
	if d.left[v.ID] {
		text, mark = dim, "[ ] "
	}
	detail, st := "begins anew", dim
	switch {
	case v.Problem != "":
		detail, st = v.Problem, theme.FG(sc.Theme.Alert)
	case v.Resume:
		detail = "goes on: " + v.Prompt
	}
	third := max(8, w/4)
	return modal.Columns(w, modal.Column(mark+textsafe.Line(v.Name), third, text), modal.Column(format.Home(textsafe.Line(v.CWD), sc.Home), third, dim), modal.Column(textsafe.Line(detail), 0, st))
}

func (d restoreDialog) key(m *model, k input.Key) cmd {
	if !m.seen(d.popup, k.At) {
		return nil // in flight when the dialog appeared
	}
	if k.Name == "C-c" && !d.view.Typing {
		k.Name = "Escape"
	}
	return listKey(m, d, k)
}

// mouse: a click takes a session or leaves it out.
func (d restoreDialog) mouse(m *model, msg tea.MouseMsg) cmd {
	if !m.seen(d.popup, m.clickedAt()) {
		return nil
	}
	return listMouse(m, d, msg)
}

func (d restoreDialog) act(m *model, a keymap.Action, id string) (cmd, bool) {
	switch a {
	case keymap.ViewOpen:
		m.overlay = nil
		return m.restoreChosen(d), true
	case keymap.ViewClose:
		if !d.view.Query.Empty() {
			return nil, false
		}
		m.overlay = nil
		m.say("not now: " + m.keys.Hint(keymap.Restore) + " offers it again")
	case keymap.RestoreRefuse:
		m.overlay = nil
		r, can := m.opts.Client.(Restorer)
		if !can {
			return nil, true
		}
		return m.call("withdrawing the offer", func(c calls) (func(*model), error) {
			return func(m *model) { m.say("not offered again; `ccdir restore --kept` lists what is kept") }, r.RefuseRestore(c.ctx)
		}), true
	case keymap.RestoreChoose:
		d = d.choose(func(other string, left bool) bool { return left != (other == id) })
		m.overlay = d.with(d.view.Choose(d.content(m.nowScene()), 1))
	case keymap.RestoreAll:
		all := len(d.left) > 0
		m.overlay = d.choose(func(string, bool) bool { return !all })
	default:
		return nil, false
	}
	return nil, true
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
