package sessions

import (
	"context"
	"errors"
	"io/fs"
	"strconv"
	"strings"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/wire"
)

// Lines returns lines of what a session printed, as cells: count of them from
// line number from on. Without from they are the last ones; count 0 is the screen.
// Lines that are not kept any more are left out. Of a session that has ended,
// lines are numbered from the oldest that was kept.
func (r *Registry) Lines(ctx context.Context, ref string, from *uint64, count int) (out api.Screen, err error) {
	s, err := r.paned(ref)
	if err != nil {
		return out, err
	}
	if from != nil && count == 0 {
		count = api.MaxScreenLines
	}
	out, err = s.liveLines(ctx, from, count)
	if api.CodeOf(err) != api.CodeNotRunning {
		return out, err
	}
	saved, err := r.Buffer(ctx, ref, wire.OutputParams{Format: wire.FormatCells, Scrollback: true})
	if err != nil {
		return out, err
	}
	var size api.Session
	if err := s.do(ctx, func() { size = s.cur }); err != nil {
		return out, err
	}
	out, err = savedLines(saved.Raw, from, count)
	out.Cols, out.Rows = size.Cols, size.Rows
	if errors.Is(err, fs.ErrNotExist) {
		err = api.Errorf(api.CodeNotFound, "nothing is left of the screen of session %s: `ccdir events --session %[1]s` tells what it did", s.id)
	}
	return out, err
}

// liveLines asks the host.
func (s *session) liveLines(ctx context.Context, from *uint64, count int) (out api.Screen, err error) {
	var have wire.HistoryResult
	ask := wire.HistoryParams{Screen: true}
	if from != nil {
		ask.From, ask.Count = *from, min(count, api.MaxScreenLines)
	}
	if err := s.request(ctx, wire.MethodHistory, ask, &have); err != nil {
		return out, err
	}
	var screen []api.ScreenLine
	rows := 0
	table := cells.NewTable()
	if err := wire.DecodeRows(have.Screen, table, func(y int, row cells.Row) bool {
		screen, rows = append(screen, describeLine(have.Total+uint64(y), table, row)), rows+1
		return true
	}); err != nil {
		return out, err
	}
	out = api.Screen{Cols: have.Cols, Rows: rows, Oldest: have.Oldest, Total: have.Total, Epoch: have.Epoch, Lines: screen}
	if c := have.Cursor; c != nil {
		out.Cursor = &api.ScreenCursor{X: c.X, Y: c.Y, Visible: c.Visible, Shape: int(c.Shape)}
	}
	if from == nil && count > rows { // the last ones: some of the history, too
		ask.From, ask.Count = have.Total-min(uint64(count-rows), have.Total-have.Oldest), count-rows
		again, total := have, have.Total
		if err := s.request(ctx, wire.MethodHistory, wire.HistoryParams{From: ask.From, Count: ask.Count}, &again); err != nil {
			return out, err
		}
		have.Rows, have.First = again.Rows, again.First
		if again.Epoch != have.Epoch || again.Total < total {
			have.Rows = nil // numbered anew between the two questions
		}
	}
	var history []api.ScreenLine
	table = cells.NewTable()
	if len(have.Rows) > 0 {
		err = wire.DecodeRows(have.Rows, table, func(y int, row cells.Row) bool {
			if n := have.First + uint64(y); n < have.Total { // later ones are on the screen that we have
				history = append(history, describeLine(n, table, row))
			}
			return true
		})
	}
	out.Lines = choose(append(history, screen...), from, count, rows)
	return out, err
}

// savedLines are lines of a saved screen.
func savedLines(data []byte, from *uint64, count int) (out api.Screen, err error) {
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
			all = append(all, describeLine(n, table, row))
		}
		n++
		return true
	})
	out.Lines = choose(all, from, count, rows)
	return out, err
}

// choose is the part of the lines, of which the last rows are the screen, that
// was asked for.
func choose(lines []api.ScreenLine, from *uint64, count, rows int) []api.ScreenLine {
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

// describeLine is a row in the words of the API.
func describeLine(n uint64, t *cells.Table, row cells.Row) api.ScreenLine {
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
