package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/tui/paint"
	"ccdir/tui/terminal/input"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// help shows the table of keys, in as many columns as it takes and there is room
// for; what is typed filters it.
type help struct {
	top    int
	filter edit.Line
	facts  keymap.Facts
}

// helpRow is a line of the help: a heading, or keys and what they do.
type helpRow struct{ heading, keys, text, disabled string }

// groups are the rows that belong together: they stay in one column.
func (d help) groups(k *keymap.Map) (out [][]helpRow) {
	words := strings.Fields(strings.ToLower(d.filter.String()))
	if len(words) == 0 {
		out = append(out, []helpRow{{keys: k.Prefix(), text: "the prefix key: press it, then one of these"}})
	}
	group := ""
	for _, b := range k.Bindings() {
		if len(b.Keys) == 0 || !helpMatches(b, words) {
			continue
		}
		if b.Group != group {
			group = b.Group
			out = append(out, []helpRow{{heading: helpHeading(b.Group)}})
		}
		keys := strings.Join(b.Keys, " ")
		if b.Action == keymap.FocusN && len(b.Keys) == 9 {
			keys = b.Keys[0] + "…" + b.Keys[8]
		}
		last := &out[len(out)-1]
		*last = append(*last, helpRow{keys: keys, text: b.Text, disabled: b.Disabled(d.facts)})
	}
	if rows := helpEditing(words); len(rows) > 1 {
		out = append(out, rows)
	}
	switch {
	case len(words) == 0:
		return append(out, helpNotes)
	case len(out) == 0:
		return [][]helpRow{{{text: "no key matches"}}}
	}
	return out
}

// helpEditing are the keys of texts that match, below their heading.
func helpEditing(words []string) []helpRow {
	rows := []helpRow{{heading: "Writing text (prompt bar, answers, fields)"}}
	for _, l := range edit.KeyLines() {
		if hasWords(l.Text+" writing text editing "+l.Keys, words) {
			rows = append(rows, helpRow{keys: l.Keys, text: l.Text})
		}
	}
	return rows
}

// hasWords reports whether a text has all words, which are in lower case.
func hasWords(text string, words []string) bool {
	text = strings.ToLower(text)
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}

// helpNotes are what the table of keys does not say.
var helpNotes = []helpRow{
	{heading: "Everything else"},
	{text: "All other keys, paste and the mouse go to the focused pane."},
	{text: "A click focuses a pane; the wheel goes to what is below it. Dragging a border moves it; two clicks on a frame zoom."},
	{text: "Permission is answered by the request that ccdir holds, never by keys typed into the dialog in the pane."},
	{text: "[ ] starting  [*] idle  [~] working  [!] asks you"},
	{text: "[!!] wants permission  [-] ending  [x] ended"},
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
	return hasWords(b.Text+" "+b.Group+" "+string(b.Action)+" "+strings.Join(b.Keys, " "), words)
}

// Widths of the help: of a column, and between two of them.
const (
	helpWidth = 72
	helpLeast = 56
	helpGap   = 3
)

// helpLine is a row of the help as it is drawn: long texts take several.
type helpLine struct {
	heading, keys, text string
	dim                 bool
}

// helpKeyWidth is the column of the keys in w columns.
func helpKeyWidth(w int) int { return min(18, w/3) }

// helpLines are the lines of a group in w columns.
func helpLines(group []helpRow, w int) (out []helpLine) {
	for _, row := range group {
		text, room := row.text, w
		if row.disabled != "" {
			text += " (" + row.disabled + ")"
		}
		if row.keys != "" {
			room -= helpKeyWidth(w)
		}
		l := helpLine{heading: row.heading, keys: row.keys, dim: row.disabled != ""}
		parts := modal.Wrap(text, room)
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

// helpPlan is the help laid out: columns of lines, of the same width, and how many
// lines the longest has.
type helpPlan struct {
	columns [][]helpLine
	w, h    int // of a column
	box     paint.Rect
	room    int // lines in view
}

// plan lays the help out for a screen: in the fewest columns that hold all of it,
// else in as many as there is room for.
func (d help) plan(k *keymap.Map, cols, rows int) helpPlan {
	inside, room := max(1, cols-4), max(1, rows-3)
	most := max(1, (inside+helpGap)/(helpLeast+helpGap))
	all := help{facts: d.facts}.groups(k) // typing does not move the dialog
	var p helpPlan
	for n := 1; n <= most; n++ {
		p.w = min(helpWidth, (inside+helpGap)/n-helpGap)
		if n == 1 {
			p.w = min(helpWidth, inside)
		}
		if p.columns, p.h = helpColumns(all, p.w, n); p.h <= room {
			break
		}
	}
	n := len(p.columns)
	p.room = min(p.h, room)
	p.box = modal.Middle(cols, rows, n*(p.w+helpGap)-helpGap, p.room+1)
	if !d.filter.Empty() {
		p.columns, p.h = helpColumns(d.groups(k), p.w, n)
		if one, h := helpColumns(d.groups(k), p.w, 1); h <= p.room {
			p.columns, p.h = one, h
		}
	}
	return p
}

// helpColumns puts groups into at most n columns of w, in their order and as even
// as whole groups allow.
func helpColumns(groups [][]helpRow, w, n int) (columns [][]helpLine, h int) {
	var blocks [][]helpLine
	total := 0
	for _, g := range groups {
		l := helpLines(g, w)
		blocks = append(blocks, l)
		total += len(l) + 1
		h = max(h, len(l))
	}
	for h = max(h, (total+n-1)/n-1); ; h++ {
		columns = [][]helpLine{nil}
		for _, b := range blocks {
			last := &columns[len(columns)-1]
			switch {
			case len(*last) == 0:
				*last = append(*last, b...)
			case len(*last)+1+len(b) <= h:
				*last = append(append(*last, helpLine{}), b...)
			default:
				columns = append(columns, append([]helpLine(nil), b...))
			}
		}
		if len(columns) <= n {
			return columns, h
		}
	}
}

func (d help) draw(s *paint.Surface, sc *scene) paint.Cursor {
	p := d.plan(sc.Keys, sc.Cols, sc.Rows)
	modal.Box(s, p.box, "keys", sc.Theme.Accent)
	in := paint.Rect{X: p.box.X + 2, Y: p.box.Y + 1, W: max(0, p.box.W-4), H: max(0, p.box.H-2)}
	top := d.clamp(p)
	for c, lines := range p.columns {
		r := paint.Rect{X: in.X + c*(p.w+helpGap), Y: in.Y, W: p.w, H: max(0, in.H-1)}
		for i := 0; i < r.H && top+i < len(lines); i++ {
			drawHelpLine(s, sc, r, i, lines[top+i])
		}
	}
	return d.drawFoot(s, sc, in, p.h > p.room)
}

func drawHelpLine(s *paint.Surface, sc *scene, r paint.Rect, i int, l helpLine) {
	if l.heading != "" {
		modal.Line(s, r, i, l.heading, theme.Bold(sc.Theme.Accent))
		return
	}
	x, st := 0, cells.Style{}
	if l.dim {
		st = theme.FG(sc.Theme.Dim)
	}
	if l.keys != "" {
		x = helpKeyWidth(r.W)
		s.Text(r.X, r.Y+i, x-1, paint.Cut(l.keys, x-1), cells.Style{FG: st.FG, Attrs: cells.Bold})
	}
	s.Text(r.X+x, r.Y+i, r.W-x, l.text, st)
}

// drawFoot is the filter, and the keys of the dialog.
func (d help) drawFoot(s *paint.Surface, sc *scene, r paint.Rect, scrolls bool) paint.Cursor {
	y := r.Y + r.H - 1
	if r.H < 1 {
		return paint.Cursor{}
	}
	if d.filter.Empty() {
		foot := "type to filter   Esc close"
		if scrolls {
			foot += "   ↑ ↓ PgUp PgDn scroll"
		}
		modal.Line(s, r, r.H-1, foot, theme.FG(sc.Theme.Dim))
		return paint.Cursor{}
	}
	s.Text(r.X, y, r.W, "/ ", theme.Bold(sc.Theme.Accent))
	at := d.filter.Draw(s, r.X+2, y, r.W-2, cells.Style{Attrs: cells.Bold})
	return paint.Cursor{X: r.X + 2 + at, Y: y, Visible: true}
}

func (d help) clamp(p helpPlan) int { return max(0, min(d.top, p.h-p.room)) }

func (d help) key(m *model, k input.Key) cmd {
	p := d.plan(m.keys, m.cols, m.rows)
	d.top = d.clamp(p)
	switch k.Name {
	case "Escape", "C-c", "Enter":
		if m.overlay = nil; !d.filter.Empty() && k.Name == "Escape" {
			m.overlay = help{facts: d.facts}
		}
		return nil
	case "Up":
		d.top--
	case "Down":
		d.top++
	case "PPage":
		d.top -= p.room
	case "NPage":
		d.top += p.room
	case "Home":
		d.top = 0
	case "End":
		d.top = p.h
	default:
		d.filter, _ = d.filter.Key(k.Name, k.Text())
		d.top, p = 0, d.plan(m.keys, m.cols, m.rows)
	}
	d.top = d.clamp(p)
	m.overlay = d
	return nil
}

// mouse: the wheel scrolls; a click beside the dialog closes it.
func (d help) mouse(m *model, msg tea.MouseMsg) cmd {
	p := d.plan(m.keys, m.cols, m.rows)
	e := msg.Mouse()
	switch msg.(type) {
	case tea.MouseWheelMsg:
		d.top = d.clamp(p) + modal.WheelLines*modal.WheelSteps(e.Button)
		d.top = d.clamp(p)
		m.overlay = d
	case tea.MouseClickMsg:
		if !p.box.Contains(e.X, e.Y) {
			m.overlay = nil
		}
	}
	return nil
}

func (d help) paste(m *model, text string) {
	d.filter, d.top = d.filter.Insert(strings.Join(strings.Fields(text), " ")), 0
	m.overlay = d
}
