// Package scrollback translates rows of cells into the API's screen lines: numbers, text
// and runs of style. It is pure.
package scrollback

import (
	"strconv"
	"strings"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/wire"
)

// Saved decodes a saved screen and returns the lines that were asked for: count lines from
// number *from on, or the last ones if from is nil. A count of 0 is the screen.
func Saved(data []byte, from *uint64, count int) (out api.Screen, err error) {
	table := cells.NewTable()
	var all []api.ScreenLine
	n, rows := uint64(0), 0
	err = wire.DecodeSaved(data, table, func(history bool, row cells.Row) bool {
		if history {
			out.Total++
		} else {
			rows++
		}
		if from == nil || n >= *from {
			all = append(all, Describe(n, table, row))
		}
		n++
		return true
	})
	out.Lines = Choose(all, from, count, rows)
	return out, err
}

// Choose returns the lines that were asked for, as Saved does. The last rows of lines are
// the screen.
func Choose(lines []api.ScreenLine, from *uint64, count, rows int) []api.ScreenLine {
	if count == 0 {
		count = rows
	}
	count = min(count, api.MaxScreenLines)
	if from == nil {
		return append([]api.ScreenLine{}, lines[max(len(lines)-count, 0):]...)
	}
	out := []api.ScreenLine{}
	for _, l := range lines {
		if l.Line >= *from && len(out) < count {
			out = append(out, l)
		}
	}
	return out
}

// Describe translates a row, whose line number is n, into the API's terms.
func Describe(n uint64, t *cells.Table, row cells.Row) api.ScreenLine {
	out := api.ScreenLine{Line: n, Wrapped: row.Wrapped, Text: strings.TrimRight(string(t.AppendText(nil, row.Cells)), " ")}
	last := cells.StyleID(0)
	for x, c := range row.Cells {
		switch {
		case c.Style == 0:
		case c.Style == last:
			out.Runs[len(out.Runs)-1].N++
		default:
			out.Runs = append(out.Runs, describeRun(x, t, t.Style(c.Style)))
		}
		last = c.Style
	}
	return out
}

func describeRun(x int, t *cells.Table, s cells.Style) api.ScreenRun {
	run := api.ScreenRun{X: x, N: 1, FG: colorName(s.FG), BG: colorName(s.BG), Link: t.LinkURI(s.Link)}
	for _, f := range [...]struct {
		on   bool
		name string
	}{
		{s.Attrs&cells.Bold != 0, "bold"}, {s.Attrs&cells.Dim != 0, "dim"}, {s.Attrs&cells.Italic != 0, "italic"},
		{s.Underline != cells.UnderlineNone, "underline"}, {s.Attrs&cells.Blink != 0, "blink"}, {s.Attrs&cells.Inverse != 0, "inverse"},
		{s.Attrs&cells.Hidden != 0, "hidden"}, {s.Attrs&cells.Strike != 0, "strike"},
	} {
		if f.on {
			run.Flags = append(run.Flags, f.name)
		}
	}
	return run
}

// colorName is "0" to "255", "#rrggbb", or "" for the default colour.
func colorName(c cells.Color) string {
	if i, ok := c.Index(); ok {
		return strconv.Itoa(int(i))
	}
	if r, g, b, ok := c.RGB(); ok {
		const digits = "0123456789abcdef"
		return string([]byte{'#', digits[r>>4], digits[r&15], digits[g>>4], digits[g&15], digits[b>>4], digits[b&15]})
	}
	return ""
}
