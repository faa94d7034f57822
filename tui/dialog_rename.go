package tui

import (
	"strings"

	"ccdir/internal/api"
	"ccdir/internal/grid"
	"ccdir/internal/textsafe"
	"ccdir/tui/paint"
)

// rename asks for a session's new name.
type rename struct {
	id, old string
	name    editor
	back    overlay // what comes after it, nil nothing
}

func newRename(v api.Session) rename {
	return rename{id: v.ID, old: v.Name, name: newEditor(v.Name)}
}

// The dialog's inside, and its last line.
const (
	renameWidth = 44
	renameRows  = 3
	renameFoot  = "Enter rename   Esc cancel"
)

func (d rename) draw(s *paint.Surface, sc *scene) paint.Cursor {
	r := drawPopup(s, sc, renameWidth, renameRows, "rename "+textsafe.Line(d.old), sc.theme.accent)
	line(s, r, 0, "New name:", grid.Style{})
	if r.H < 2 {
		return paint.Cursor{}
	}
	at := d.name.draw(s, r.X, r.Y+1, r.W, grid.Style{Attrs: grid.Bold})
	line(s, r, 2, renameFoot, fg(sc.theme.dim))
	return paint.Cursor{X: r.X + at, Y: r.Y + 1, Visible: true}
}

func (d rename) key(m *model, k keyMsg) cmd {
	switch k.name {
	case "Escape", "C-c":
		m.overlay = d.back
		return nil
	case "Enter", "KPEnter":
		m.overlay = d.back
		name := strings.TrimSpace(d.name.String())
		if name == "" || name == d.old {
			return nil
		}
		return m.call("renaming", func(c calls) (func(*model), error) {
			v, err := c.RenameSession(c.ctx, d.id, name)
			return func(m *model) { m.upsert(v) }, err
		})
	}
	d.name, _ = d.name.key(k.name, k.key)
	m.overlay = d
	return nil
}

func (d rename) paste(m *model, text string) {
	d.name = d.name.insert(strings.TrimSpace(text))
	m.overlay = d
}
