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
		helpRow{text: "Permission is answered by the request that ccdir holds, never by keys typed into the dialog in the pane."},
		helpRow{text: "[ ] starting  [*] idle  [~] working  [!] asks you"},
		helpRow{text: "[!!] wants permission  [-] ending  [x] ended"})
}

const helpWidth = 66

// helpLine is a row of the help as it is drawn: long texts take several.
type helpLine struct {
	heading, keys, text string
	dim                 bool
}

// helpKeyWidth is the column of the keys in w columns.
func helpKeyWidth(w int) int { return min(14, w/3) }

func helpLines(k *keymap.Map, f keymap.Facts, w int) []helpLine {
	var out []helpLine
	for _, row := range helpRows(k, f) {
		text, room := row.text, w
		if row.disabled != "" {
			text += " (" + row.disabled + ")"
		}
		if row.keys != "" {
			room -= helpKeyWidth(w)
		}
		l := helpLine{heading: row.heading, keys: row.keys, dim: row.disabled != ""}
		parts := wrap(text, room)
		if len(parts) == 0 {
			parts = []string{""}
		}
		for _, l.text = range parts {
			out = append(out, l)
			if l.keys != "" {
				l.keys = " "
			}
			l.heading = ""
		}
	}
	return out
}

// helpRoom is the size of the dialog's inside.
func helpRoom(cols, rows int) (w, h int) { return max(1, min(helpWidth, cols-4)), max(1, rows-2) }

func (d help) draw(s *paint.Surface, sc *scene) paint.Cursor {
	w, h := helpRoom(sc.cols, sc.rows)
	lines := helpLines(sc.keys, d.facts, w)
	r := drawPopup(s, sc, helpWidth, min(len(lines)+1, h), "keys", sc.theme.accent)
	room := r.H - 1
	top := d.clamp(len(lines), room)
	for i := 0; i < room && top+i < len(lines); i++ {
		l := lines[top+i]
		if l.heading != "" {
			line(s, r, i, l.heading, bold(sc.theme.accent))
			continue
		}
		x, st := 0, grid.Style{}
		if l.dim {
			st = fg(sc.theme.dim)
		}
		if l.keys != "" {
			x = helpKeyWidth(w)
			s.Text(r.X, r.Y+i, x-1, paint.Cut(l.keys, x-1), grid.Style{FG: st.FG, Attrs: grid.Bold})
		}
		s.Text(r.X+x, r.Y+i, r.W-x, l.text, st)
	}
	foot := "Esc close"
	if len(lines) > room {
		foot += "   ↑ ↓ PgUp PgDn scroll"
	}
	line(s, r, r.H-1, foot, fg(sc.theme.dim))
	return paint.Cursor{}
}

func (d help) clamp(rows, room int) int { return max(0, min(d.top, rows-max(room, 1))) }

func (d help) key(m *model, k keyMsg) cmd {
	w, h := helpRoom(m.cols, m.rows)
	rows := len(helpLines(m.keys, d.facts, w))
	room := max(1, min(rows+1, h)-1)
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
