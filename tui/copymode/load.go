package copymode

import (
	"context"
	"errors"
	"math"

	"ccdir/internal/cells"
	"ccdir/tui/copymode/core"
	"ccdir/tui/pane"
	"ccdir/tui/ui"
	"ccdir/wire"
)

// Limits of copy mode.
const (
	// chunk is how many lines are asked for at once.
	chunk = 1000
	// ahead is how many lines above the view are fetched before they are needed.
	ahead = 500
	// maxCells bounds the lines held by one view: 64 MiB.
	maxCells = 8 << 20
)

// snapshot is the pane's screen, as a page of its own.
func snapshot(p *pane.Pane) (b core.Buffer, cols int, cur wire.Cursor, gen uint64, ok bool) {
	var data []byte
	ok = p.Read(func(pic pane.Picture, _ uint64) {
		var enc wire.RowEncoder
		enc.Reset(pic.Table())
		var rows int
		cols, rows = pic.Size()
		for y := range rows {
			enc.Add(y, pic.Row(y))
		}
		data = enc.AppendTo(nil)
		cur, gen = pic.Cursor(), pic.Gen()
	})
	if !ok {
		return b, 0, cur, 0, false
	}
	page, err := decodePage(0, cols, data)
	if err != nil {
		return b, 0, cur, 0, false
	}
	return core.NewBuffer(page), cols, cur, gen, true
}

// decodePage makes a page of rows in the encoding of frames.
func decodePage(first, cols int, data []byte) (*core.Page, error) {
	table := cells.NewTable()
	var rows []cells.Row
	err := wire.DecodeRows(data, table, func(_ int, r cells.Row) bool {
		r.Cells = append([]cells.Cell(nil), r.Cells...)
		rows = append(rows, r)
		return true
	})
	return core.NewPage(first, cols, table, rows), err
}

// loaded is the answer to a call for lines: put lays them into the view, nil after an
// error.
type loaded struct {
	view *View
	put  func(*View)
}

// Receive takes the answer to a call that was asked for.
func (p *Panes) Receive(env ui.Env, value any, err error) []ui.Effect {
	switch a := value.(type) {
	case found:
		return p.found(a)
	case loaded:
		if v := a.view; p.views[v.id] == v {
			v.take(a.put, err)
		}
	}
	return nil
}

// take lays what came in into the view, or says why nothing did.
func (v *View) take(put func(*View), err error) {
	v.loading = false
	switch {
	case err == nil && put != nil:
		put(v)
	case errors.Is(err, pane.ErrNotConnected):
		v.cannot("no connection to the host: only the screen is here")
	case err != nil:
		v.cannot("the history cannot be had: " + ui.Problem(err))
	}
	v.goesOn()
	v.gotMore()
}

// cannot notes that no more lines come, and why.
func (v *View) cannot(why string) { v.known, v.complete, v.note = true, true, why }

// load fetches what the view needs next; one call at a time.
func (v *View) load() []ui.Effect {
	above := v.st.Top - v.st.Buf.First()
	if v.loading || v.complete || v.known && !v.all && above > ahead {
		return nil
	}
	v.loading = true
	if v.known && v.talk.on {
		return []ui.Effect{v.loadTurns()}
	}
	if v.ended {
		return []ui.Effect{v.loadSaved()}
	}
	return []ui.Effect{v.loadHistory()}
}

// call asks away from the program; f returns how the view takes the answer.
func (v *View) call(f func(context.Context, ui.Client) (func(*View), error)) ui.Effect {
	return ui.Call{Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		put, err := f(ctx, c)
		return ui.Result{Value: loaded{v, put}}, err
	}}
}

// loadHistory asks the session's host, first for the screen and where it stands, then for
// the lines above what is there.
func (v *View) loadHistory() ui.Effect {
	p, first := v.pane, v.st.Buf.First()
	ask := wire.HistoryParams{From: math.MaxUint64, Screen: true}
	if v.known {
		oldest := v.base - uint64(-first)
		ask = wire.HistoryParams{From: oldest - min(oldest, chunk), Count: int(min(oldest, chunk))}
	}
	known, base, epoch, wrapped := v.known, v.base, v.epoch, v.wrapped
	cols := v.cols
	return v.call(func(ctx context.Context, _ ui.Client) (func(*View), error) {
		var res wire.HistoryResult
		if err := p.Request(ctx, wire.MethodHistory, ask, &res); err != nil {
			return nil, err
		}
		if !known {
			return takeScreen(res)
		}
		if res.Epoch != epoch {
			return (*View).cutOff, nil
		}
		page, err := decodePage(int(int64(res.First-base)), cols, res.Rows)
		return func(v *View) {
			if v.wrapped != wrapped {
				return // they have other numbers by now
			}
			v.st.Prepend(page)
			v.loaded(res.First <= res.Oldest || v.st.Buf.First() == first)
		}, err
	})
}

// takeScreen lays the host's screen over the pane's: from then on it is known where the
// history ends.
func takeScreen(res wire.HistoryResult) (func(*View), error) {
	if len(res.Screen) == 0 { // an older host
		return func(v *View) {
			v.known, v.base, v.epoch = true, res.Total, res.Epoch
			v.complete = res.Total == res.Oldest
		}, nil
	}
	page, err := decodePage(0, res.Cols, res.Screen)
	return func(v *View) {
		v.known, v.base, v.epoch = true, res.Total, res.Epoch
		v.complete = res.Total == res.Oldest
		v.cols = res.Cols
		v.st.Replace(core.NewBuffer(page))
		v.gen = v.pane.Generation()
	}, err
}

// loaded notes whether that was all.
func (v *View) loaded(all bool) {
	v.complete = v.complete || all
	if !v.complete && v.st.Buf.Cells() > maxCells {
		v.complete, v.note = true, "older lines are not loaded: `ccdir output --scrollback` has them"
	}
}

// loadSaved reads what is left of a session that has ended.
func (v *View) loadSaved() ui.Effect {
	id, cols := v.id, v.cols
	return v.call(func(ctx context.Context, c ui.Client) (func(*View), error) {
		data, err := c.Saved(ctx, id)
		if err != nil {
			return nil, err
		}
		b, err := decodeSaved(ctx, data, cols)
		return func(v *View) {
			v.known, v.complete = true, true
			v.st.Replace(b)
		}, err
	})
}

// decodeSaved makes pages of a saved screen with its history; of a long history
// the newest lines.
func decodeSaved(ctx context.Context, data []byte, cols int) (core.Buffer, error) {
	var pages []*core.Page
	var rows []cells.Row
	table, first, history := cells.NewTable(), 0, 0
	flush := func() {
		if len(rows) > 0 {
			pages = append(pages, core.NewPage(first, cols, table, rows))
			first, rows = first+len(rows), nil
		}
	}
	err := wire.DecodeSaved(data, table, func(old bool, r cells.Row) bool {
		if !old && history == first+len(rows) {
			flush() // the screen has a page of its own
		}
		if old {
			history++
		}
		if len(rows) >= chunk {
			flush()
		}
		rows = append(rows, cells.Row{Cells: append([]cells.Cell(nil), r.Cells...), Wrapped: r.Wrapped})
		return ctx.Err() == nil
	})
	flush()
	return core.Join(pages, history, maxCells), err
}

// gotMore goes on with what waited for older lines.
func (v *View) gotMore() {
	if v.toFirst {
		v.st.Move(core.First, 0)
		v.toFirst = !v.complete
	}
	if v.toScroll != 0 && (v.complete || v.st.Buf.First() < 0) {
		v.st.Scroll(v.toScroll)
		v.toScroll = 0
	}
	v.find.stale = v.find.query != "" && (v.complete || v.find.at < 0)
}

// rewrap wraps the lines anew when the session's screen has got another width, as its
// host does: what is seen is what was seen before, and cursor and selection stay on their
// characters. Lines above those that were fetched have other numbers then.
func (v *View) rewrap(cols int) {
	if v.ended || cols <= 0 || cols == v.cols {
		return
	}
	v.stopFind()
	v.st.Reflow(cols)
	v.cols = cols
	v.wrapped++
	f := &v.find
	if f.query != "" || f.typing {
		f.kept = f.kept || f.at >= 0
		f.matches, f.at, f.stale = nil, -1, f.query != ""
		f.origin.Reflow(cols)
	}
	if v.known && !v.complete {
		v.cutOff()
	}
}

// cutOff: what is older than the lines that are here cannot be laid above them.
func (v *View) cutOff() {
	v.complete, v.note = true, "older lines were wrapped anew: r shows them"
}
