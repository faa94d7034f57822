package tui

import (
	"strings"

	"ccdir/internal/grid"
	"ccdir/internal/keymap"
	"ccdir/tui/paint"
)

// help shows the table of keys; what is typed filters it.
type help struct {
	top    int
	filter editor
	facts  keymap.Facts
}

// helpRow is a line of the help: a heading, or keys and what they do.
type helpRow struct{ heading, keys, text, disabled string }

func (d help) rows(k *keymap.Map) []helpRow {
	words := strings.Fields(strings.ToLower(d.filter.String()))
	rows := []helpRow{}
	if len(words) == 0 {
		rows = append(rows, helpRow{keys: k.Prefix(), text: "the prefix key: press it, then one of these"})
	}
	group := ""
	for _, b := range k.Bindings() {
		if len(b.Keys) == 0 || !helpMatches(b, words) {
			continue
		}
		if b.Group != group {
			group = b.Group
			rows = append(rows, helpRow{}, helpRow{heading: helpHeading(b.Group)})
		}
		keys := strings.Join(b.Keys, " ")
		if b.Action == keymap.FocusN && len(b.Keys) == 9 {
			keys = b.Keys[0] + "…" + b.Keys[8]
		}
		rows = append(rows, helpRow{keys: keys, text: b.Text, disabled: b.Disabled(d.facts)})
	}
	if len(words) > 0 {
		if len(rows) == 0 {
			return []helpRow{{text: "no key matches"}}
		}
		return rows[1:]
	}
	return append(rows, helpRow{},
		helpRow{heading: "Everything else"},
		helpRow{text: "All other keys, paste and the mouse go to the focused pane."},
		helpRow{text: "A click focuses a pane; the wheel goes to what is below it. Dragging a border moves it; two clicks on a frame zoom."},
		helpRow{text: "Permission is answered by the request that ccdir holds, never by keys typed into the dialog in the pane."},
		helpRow{text: "[ ] starting  [*] idle  [~] working  [!] asks you"},
		helpRow{text: "[!!] wants permission  [-] ending  [x] ended"})
}

// helpHeading is a group, and whether its keys need the prefix key.
func helpHeading(group string) string {
	if keymap.ModeOf(group) != keymap.ModePrefix {
		return group + " (without the prefix key)"
	}
	return group
}

// helpMatches reports whether all words are in a binding's text, group, name or
// keys.
func helpMatches(b keymap.Binding, words []string) bool {
	text := strings.ToLower(b.Text + " " + b.Group + " " + string(b.Action) + " " + strings.Join(b.Keys, " "))
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

const helpWidth = 72

// helpLine is a row of the help as it is drawn: long texts take several.
type helpLine struct {
	heading, keys, text string
	dim                 bool
}

// helpKeyWidth is the column of the keys in w columns.
func helpKeyWidth(w int) int { return min(18, w/3) }

func (d help) lines(k *keymap.Map, w int) []helpLine {
	var out []helpLine
	for _, row := range d.rows(k) {
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
	lines := d.lines(sc.keys, w)
	// The size is that without the filter: typing does not move the dialog.
	r := drawPopup(s, sc, helpWidth, min(len(help{facts: d.facts}.lines(sc.keys, w))+1, h), "keys", sc.theme.accent)
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
	return d.drawFoot(s, sc, r, len(lines) > room)
}

// drawFoot is the filter, and the keys of the dialog.
func (d help) drawFoot(s *paint.Surface, sc *scene, r paint.Rect, scrolls bool) paint.Cursor {
	y := r.Y + r.H - 1
	if r.H < 1 {
		return paint.Cursor{}
	}
	if d.filter.empty() {
		foot := "type to filter   Esc close"
		if scrolls {
			foot += "   ↑ ↓ PgUp PgDn scroll"
		}
		line(s, r, r.H-1, foot, fg(sc.theme.dim))
		return paint.Cursor{}
	}
	s.Text(r.X, y, r.W, "/ ", bold(sc.theme.accent))
	at := d.filter.draw(s, r.X+2, y, r.W-2, grid.Style{Attrs: grid.Bold})
	return paint.Cursor{X: r.X + 2 + at, Y: y, Visible: true}
}

func (d help) clamp(rows, room int) int { return max(0, min(d.top, rows-max(room, 1))) }

func (d help) key(m *model, k keyMsg) cmd {
	w, h := helpRoom(m.cols, m.rows)
	rows := len(d.lines(m.keys, w))
	room := max(1, h-1)
	d.top = d.clamp(rows, room)
	switch k.name {
	case "Escape", "C-c", "Enter":
		if m.overlay = nil; !d.filter.empty() && k.name == "Escape" {
			m.overlay = help{facts: d.facts}
		}
		return nil
	case "Up":
		d.top--
	case "Down":
		d.top++
	case "PPage":
		d.top -= room
	case "NPage":
		d.top += room
	case "Home":
		d.top = 0
	case "End":
		d.top = rows
	default:
		d.filter, _ = d.filter.key(k.name, k.key)
		rows = len(d.lines(m.keys, w))
		d.top = 0
	}
	d.top = d.clamp(rows, room)
	m.overlay = d
	return nil
}

func (d help) paste(m *model, text string) {
	d.filter, d.top = d.filter.insert(strings.Join(strings.Fields(text), " ")), 0
	m.overlay = d
}
