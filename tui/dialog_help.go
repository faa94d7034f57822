package tui

import (
	"strings"

	"ccdir/internal/grid"
	"ccdir/internal/keymap"
	"ccdir/tui/paint"
)

// help shows the table of keys.
type help struct {
	top   int
	facts keymap.Facts
}

// helpRow is a line of the help: a heading, or keys and what they do.
type helpRow struct{ heading, keys, text, disabled string }

func helpRows(k *keymap.Map, f keymap.Facts) []helpRow {
	rows := []helpRow{{keys: k.Prefix(), text: "the prefix key: press it, then one of these"}}
	group := ""
	for _, b := range k.Bindings() {
		if len(b.Keys) == 0 {
			continue
		}
		if b.Group != group {
			group = b.Group
			rows = append(rows, helpRow{}, helpRow{heading: group})
		}
		keys := strings.Join(b.Keys, " ")
		if b.Action == keymap.FocusN && len(b.Keys) == 9 {
			keys = b.Keys[0] + "…" + b.Keys[8]
		}
		rows = append(rows, helpRow{keys: keys, text: b.Text, disabled: b.Disabled(f)})
	}
	return append(rows, helpRow{},
		helpRow{heading: "Everything else"},
		helpRow{text: "All other keys, paste and the mouse go to the focused pane."},
		helpRow{text: "A click focuses a pane; the wheel goes to what is below it."},
		helpRow{text: "[ ] starting  [*] idle  [~] working  [!] asks you"},
		helpRow{text: "[!!] wants permission  [-] ending  [x] ended"})
}

const helpWidth = 66

func (d help) draw(s *paint.Surface, sc *scene) paint.Cursor {
	rows := helpRows(sc.keys, d.facts)
	h := min(len(rows)+1, max(1, sc.rows-2))
	r := drawPopup(s, sc, helpWidth, h, "keys", sc.theme.accent)
	room := r.H - 1
	top := d.clamp(len(rows), room)
	for i := 0; i < room && top+i < len(rows); i++ {
		row := rows[top+i]
		if row.heading != "" {
			line(s, r, i, row.heading, bold(sc.theme.accent))
			continue
		}
		x := 0
		if row.keys != "" {
			x = min(14, r.W/3)
			s.Text(r.X, r.Y+i, x-1, paint.Cut(row.keys, x-1), grid.Style{Attrs: grid.Bold})
		}
		text, st := row.text, grid.Style{}
		if row.disabled != "" {
			text, st = text+" ("+row.disabled+")", fg(sc.theme.dim)
		}
		s.Text(r.X+x, r.Y+i, r.W-x, paint.Cut(text, r.W-x), st)
	}
	foot := "Esc close"
	if len(rows) > room {
		foot += "   ↑ ↓ PgUp PgDn scroll"
	}
	line(s, r, r.H-1, foot, fg(sc.theme.dim))
	return paint.Cursor{}
}

func (d help) clamp(rows, room int) int { return max(0, min(d.top, rows-max(room, 1))) }

func (d help) key(m *model, k keyMsg) cmd {
	rows := len(helpRows(m.keys, d.facts))
	room := max(1, min(rows+1, m.rows-2)-1)
	d.top = d.clamp(rows, room)
	switch k.name {
	case "Escape", "q", "?", "C-c", "Enter":
		m.overlay = nil
		return nil
	case "Up", "k":
		d.top--
	case "Down", "j":
		d.top++
	case "PPage", "C-b":
		d.top -= room
	case "NPage", "Space", "C-f":
		d.top += room
	case "Home", "g":
		d.top = 0
	case "End", "G":
		d.top = rows
	}
	d.top = d.clamp(rows, room)
	m.overlay = d
	return nil
}

func (d help) paste(*model, string) {}
