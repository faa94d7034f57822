package render

import (
	"fmt"
	"strconv"
	"strings"

	"ccdir/internal/cells"
)

// Document is the output of "ccdir screen --json". Checks and tools build on it:
// fields are added, never changed.
type Document struct {
	Cols int `json:"cols"`
	Rows int `json:"rows"`
	// Grid holds one string a row, trailing spaces cut.
	Grid []string `json:"grid"`
	// Cursor is column and row, zero-based.
	Cursor  [2]int `json:"cursor"`
	Alt     bool   `json:"alt"`
	Title   string `json:"title"`
	Replies string `json:"replies"`
	// Scrollback is the main screen's history, oldest line first.
	Scrollback []string `json:"scrollback"`
	Attrs      []Run    `json:"attrs"`
}

// Run is a number of cells of one row that are not in the default rendition.
type Run struct {
	X int `json:"x"`
	Y int `json:"y"`
	N int `json:"n,omitempty"` // left out: 1
	// FG and BG are "0" to "255" or "#rrggbb"; left out: default.
	FG string `json:"fg,omitempty"`
	BG string `json:"bg,omitempty"`
	// Flags are names joined by commas, in the order of flagNames.
	Flags string `json:"flags"`
}

// Describe makes the document of what was played.
func Describe(p Played) Document {
	st := p.State()
	d := Document{
		Cursor:     [2]int{st.Cursor.X, st.Cursor.Y},
		Alt:        st.Alt,
		Title:      st.Title,
		Replies:    string(p.Replies),
		Scrollback: []string{},
		Attrs:      []Run{},
	}
	d.Cols, d.Rows = p.Size()
	for y := range d.Rows {
		row := p.Row(y)
		d.Grid = append(d.Grid, rowText(p.Table(), row.Cells))
		d.Attrs = appendRuns(d.Attrs, p.Table(), row.Cells, y)
	}
	for i := range p.HistoryLen() {
		row := p.HistoryRow(i)
		d.Scrollback = append(d.Scrollback, rowText(p.Table(), row.Cells))
	}
	return d
}

func rowText(t *cells.Table, cells []cells.Cell) string {
	return strings.TrimRight(string(t.AppendText(nil, cells)), " ")
}

func appendRuns(runs []Run, t *cells.Table, cells []cells.Cell, y int) []Run {
	var last *Run
	for x, c := range cells {
		r := describeStyle(t.Style(c.Style))
		if r == (Run{}) {
			last = nil
			continue
		}
		if last != nil && last.FG == r.FG && last.BG == r.BG && last.Flags == r.Flags {
			last.N = max(last.N, 1) + 1
			continue
		}
		r.X, r.Y = x, y
		runs = append(runs, r)
		last = &runs[len(runs)-1]
	}
	return runs
}

func describeStyle(s cells.Style) Run {
	if s == (cells.Style{}) {
		return Run{}
	}
	return Run{FG: colorName(s.FG), BG: colorName(s.BG), Flags: flagNames(s)}
}

func colorName(c cells.Color) string {
	if i, ok := c.Index(); ok {
		return strconv.Itoa(int(i))
	}
	if r, g, b, ok := c.RGB(); ok {
		return fmt.Sprintf("#%02x%02x%02x", r, g, b)
	}
	return ""
}

func flagNames(s cells.Style) string {
	var names []string
	for _, f := range [...]struct {
		on   bool
		name string
	}{
		{s.Attrs&cells.Bold != 0, "bold"},
		{s.Attrs&cells.Dim != 0, "dim"},
		{s.Attrs&cells.Italic != 0, "italic"},
		{s.Underline != cells.UnderlineNone, "underline"},
		{s.Attrs&cells.Blink != 0, "blink"},
		{s.Attrs&cells.Inverse != 0, "inverse"},
		{s.Attrs&cells.Hidden != 0, "hidden"},
		{s.Attrs&cells.Strike != 0, "strike"},
	} {
		if f.on {
			names = append(names, f.name)
		}
	}
	return strings.Join(names, ",")
}
