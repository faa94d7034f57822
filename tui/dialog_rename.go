package tui

import (
	"strings"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/terminal/input"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// rename asks for a session's new name.
type rename struct {
	id, old string
	name    edit.Line
	back    overlay // what comes after it, nil nothing
	// problem is why the name was not taken, "" if nothing is wrong with it.
	problem string
}

func newRename(v api.Session) rename {
	return rename{id: v.ID, old: v.Name, name: edit.NewLine(v.Name)}
}

// The dialog's inside, and its last line.
const (
	renameWidth = 44
	renameRows  = 3
	renameFoot  = "Enter rename   Esc cancel"
)

func (d rename) draw(s *paint.Surface, sc *scene) paint.Cursor {
	box, problem := d.place(sc)
	modal.Box(s, box, "rename "+textsafe.Line(d.old), sc.Theme.Accent)
	r := paint.Rect{X: box.X + 2, Y: box.Y + 1, W: max(0, box.W-4), H: max(0, box.H-2)}
	modal.Line(s, r, 0, "New name:", cells.Style{})
	if r.H < 2 {
		return paint.Cursor{}
	}
	at := d.name.Draw(s, r.X, r.Y+1, r.W, cells.Style{Attrs: cells.Bold})
	for i, l := range problem {
		modal.Line(s, r, 2+i, l, theme.Bold(sc.Theme.Alert))
	}
	modal.Line(s, r, r.H-1, renameFoot, theme.FG(sc.Theme.Dim))
	return paint.Cursor{X: r.X + at, Y: r.Y + 1, Visible: true}
}

// place is where the dialog is, and its problem in lines.
func (d rename) place(sc *scene) (box paint.Rect, problem []string) {
	if d.problem != "" {
		problem = modal.Wrap(d.problem, min(renameWidth, max(8, sc.Cols-6)))
	}
	return modal.Middle(sc.Cols, sc.Rows, renameWidth, renameRows+len(problem)), problem
}

func (d rename) key(m *model, k input.Key) cmd {
	switch k.Name {
	case "Escape", "C-c":
		m.overlay = d.back
		return nil
	case "Enter":
		m.overlay = d.back
		name := strings.TrimSpace(d.name.String())
		if name == "" || name == d.old {
			return nil
		}
		if m.session(d.id) == nil {
			m.warn(textsafe.Line(d.old) + " was removed meanwhile")
			return nil
		}
		return d.submit(m, name)
	}
	d.name, _ = d.name.Key(k.Name, k.Text())
	d.problem = ""
	m.overlay = d
	return nil
}

func (d rename) paste(m *model, text string) {
	d.name = d.name.Insert(strings.TrimSpace(text))
	m.overlay = d
}

// submit gives the session its name. If that is not possible the dialog comes back with
// what was written and the reason, unless the person has gone on.
func (d rename) submit(m *model, name string) cmd {
	typed := m.router.typedAt.Load()
	before, over := m.prompt.join("renaming") // of any: names are given up and taken
	return ending(m.callOr("renaming", func(c calls) (func(*model), error) {
		if err := await(c.ctx, before); err != nil {
			return nil, err
		}
		v, err := c.RenameSession(c.ctx, d.id, name)
		return func(m *model) { m.answered(v) }, err
	}, func(m *model, err error) {
		code := api.CodeOf(err)
		if m.router.typedAt.Load() != typed || code != api.CodeInvalid && code != api.CodeConflict {
			m.failed("renaming to "+textsafe.Line(name), err)
			return
		}
		d.problem = ui.Problem(err)
		m.overlay = d
	}), over)
}
