package ansi

import (
	"bytes"
	"encoding/json"
	"slices"

	"ccdir/internal/cells"
)

// rowsEvent has the rows of a screen that have changed, for clients that show text instead of a terminal.
type rowsEvent struct {
	Type string `json:"type"` // "rows"
	Cols int    `json:"cols"`
	Rows int    `json:"rows"`
	// All: rows that are not in Set are empty.
	All bool           `json:"all,omitempty"`
	Set map[int][]span `json:"set,omitempty"`
	// Cursor is the column and the row of the cursor; none: it is hidden.
	Cursor []int `json:"cursor,omitempty"`
}

// span is a text in one style.
type span struct {
	Text string `json:"t"`
	// FG and BG are colours as in cells.Color, Attrs is cells.Attr.
	FG    cells.Color `json:"f,omitempty"`
	BG    cells.Color `json:"b,omitempty"`
	Attrs cells.Attr  `json:"a,omitempty"`
	// Underline: the text is underlined, in whatever way.
	Underline bool `json:"u,omitempty"`
}

// DrawRows is Draw for clients that show rows of text: a JSON object with the rows that have changed; nil
// if nothing has. A screen is drawn by one of the two alone.
func (s *Screen) DrawRows() []byte {
	if s.mirror.NeedsRefresh() {
		return nil
	}
	e := rowsEvent{Type: "rows", Set: map[int][]span{}}
	e.Cols, e.Rows = s.mirror.Size()
	if s.cols > 0 {
		e.Cols, e.Rows = min(e.Cols, s.cols), min(e.Rows, s.rows)
	}
	if e.All = s.table != s.mirror.Table() || len(s.cells) != e.Rows || e.Rows > 0 && len(s.cells[0]) != e.Cols; e.All {
		s.table = s.mirror.Table()
		s.cells = make([][]cells.Cell, e.Rows)
		for y := range s.cells {
			s.cells[y] = make([]cells.Cell, e.Cols)
		}
	}
	for y := range e.Rows {
		if want := s.mirror.Row(y).Cells[:e.Cols]; !slices.Equal(s.cells[y], want) {
			copy(s.cells[y], want)
			e.Set[y] = spans(s.table, want)
		}
	}
	cursor := s.mirror.Cursor()
	if !e.All && len(e.Set) == 0 && cursor == s.cursor {
		return nil
	}
	if s.cursor = cursor; cursor.Visible && cursor.X < e.Cols && cursor.Y < e.Rows {
		e.Cursor = []int{cursor.X, cursor.Y}
	}
	data, _ := json.Marshal(e) // numbers and texts: it cannot fail
	return data
}

// spans are the cells of a row as texts, without blanks at its end that show nothing.
func spans(t *cells.Table, row []cells.Cell) []span {
	for len(row) > 0 && row[len(row)-1].Blank() && row[len(row)-1].Style == 0 {
		row = row[:len(row)-1]
	}
	list := []span{}
	var text []byte
	for i, c := range row {
		if c.Span == cells.Tail {
			continue
		}
		start := len(text)
		text = t.AppendGlyph(text, c.Glyph)
		if bytes.ContainsFunc(text[start:], turns) {
			if text = slices.Concat(text[:start], bytes.Map(func(r rune) rune {
				if turns(r) {
					return -1
				}
				return r
			}, text[start:])); len(text) == start {
				text = append(text, ' ')
			}
		}
		next := i + 1
		if c.Span == cells.Wide {
			next++
		}
		if next < len(row) && row[next].Style == c.Style {
			continue
		}
		st := t.Style(c.Style)
		list = append(list, span{Text: string(text), FG: st.FG, BG: st.BG, Attrs: st.Attrs &^ cells.Protected, Underline: st.Underline != cells.UnderlineNone})
		text = text[:0]
	}
	return list
}

// turns reports whether a character changes the direction of what follows: in a terminal it stands in its cell,
// in a text it would turn others around.
func turns(r rune) bool {
	switch {
	case r == 0x61c, r == 0x200e, r == 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return true
	}
	return false
}
