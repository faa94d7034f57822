package tui

import (
	"context"
	"errors"
	"math"

	tea "charm.land/bubbletea/v2"

	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/tui/copymode"
	"ccdir/tui/pane"
	"ccdir/tui/terminal"
	"ccdir/tui/ui"
	"ccdir/wire"
)

// Limits of copy mode.
const (
	// copyChunk is how many lines are asked for at once.
	copyChunk = 1000
	// copyAhead is how many lines above the view are fetched before they are
	// needed.
	copyAhead = 500
	// maxCopyCells bounds the lines held by one view: 64 MiB.
	maxCopyCells = 8 << 20
)

// copyView is a pane in copy mode: its screen as it was, the history above it
// as far as it was fetched, the cursor and the selection. The program's
// goroutine owns it; scenes get copies.
type copyView struct {
	id   string
	pane *pane.Pane
	st   copymode.State
	// peek: the mouse opened it. Then it is left by itself at the bottom and by
	// every key that is typed, which goes to the pane.
	peek bool
	// dragging: the left button is down.
	dragging bool
	ended    bool

	// base is the host's number of line 0, known once it has answered; epoch is
	// the numbering's.
	known       bool
	base, epoch uint64
	loading     bool
	complete    bool   // there is nothing older, or nothing that is fetched
	all         bool   // everything is wanted, not only what is near the view
	toFirst     bool   // the cursor goes to the oldest line when it is here
	cols        int    // of the session's screen
	wrapped     int    // how often the lines were wrapped anew
	note        string // why older lines are missing
	gen         uint64 // of the pane's picture when it was taken

	count    int // typed before a motion
	toScroll int // lines that the wheel turned before the history was here
	editing  bool
	find     copyFind
}

// copies are the panes in copy mode, by session. copying is that of the focused
// session, nil if it is in none.
func (m *model) copying() *copyView { return m.copies[m.focus] }

// enterCopy puts a session's pane into copy mode, nil if there is nothing to
// see.
func (m *model) enterCopy(t tileView, peek bool) *copyView {
	if c := m.copies[t.session.ID]; c != nil {
		c.peek = c.peek && peek
		return c
	}
	if t.pane == nil {
		return nil
	}
	in := t.inner()
	page, cols, cur, gen, ok := snapshot(t.pane)
	if !ok {
		m.warn("there is nothing to copy in this pane yet")
		return nil
	}
	ox, oy := terminal.Offset(t.pane, in.W, in.H)
	c := &copyView{id: t.session.ID, pane: t.pane, peek: peek, gen: gen, ended: t.session.State.Ended(), find: copyFind{at: -1}}
	pos := copymode.Pos{Line: cur.Y, Col: cur.X}
	if c.ended {
		pos = copymode.Pos{Line: lastText(page)}
	}
	c.st = copymode.New(page, in.W, in.H, pos)
	c.st.Show(oy, ox)
	c.cols = cols
	m.copies[c.id] = c
	m.notice = notice{}
	return c
}

// lastText is the last line with text.
func lastText(b copymode.Buffer) int {
	n := b.End() - 1
	for n > b.First() && b.Len(n) == 0 {
		n--
	}
	return n
}

// startCopy is the action: copy mode for the focused pane.
func (m *model) startCopy(key string) cmd {
	for _, t := range m.tiles(m.shown()) {
		if !t.focused {
			continue
		}
		c := m.enterCopy(t, false)
		if c == nil {
			return nil
		}
		if key == "PPage" {
			c.st.Move(copymode.PageUp, 1)
		}
		return m.loadCopy(c)
	}
	return nil
}

// leaveCopy shows the pane itself again.
func (m *model) leaveCopy(id string) {
	if c := m.copies[id]; c != nil {
		c.stopFind()
		delete(m.copies, id)
	}
}

// syncCopies forgets the views of sessions that are gone and fits the others
// to their panes.
func (m *model) syncCopies(tiles []tileView) cmd {
	for id := range m.copies {
		if m.session(id) == nil {
			m.leaveCopy(id)
		}
	}
	var cmds []cmd
	for i := range tiles {
		c := m.copies[tiles[i].session.ID]
		if c == nil {
			continue
		}
		c.rewrap(m.states[c.id].Cols)
		if in := tiles[i].inner(); in.W > 0 && in.H > 0 && (c.st.W != in.W || c.st.H != in.H) {
			c.st.Resize(in.W, in.H)
		}
		cmds = append(cmds, m.loadCopy(c), m.findAgain(c), m.editCopy(c))
		shown := *c
		tiles[i].copy = &shown
	}
	return tea.Batch(cmds...)
}

// snapshot is what the pane shows, as a page of its own.
func snapshot(p *pane.Pane) (b copymode.Buffer, cols int, cur wire.Cursor, gen uint64, ok bool) {
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
	return copymode.NewBuffer(page), cols, cur, gen, true
}

// decodePage makes a page of rows in the encoding of frames.
func decodePage(first, cols int, data []byte) (*copymode.Page, error) {
	table := cells.NewTable()
	var rows []cells.Row
	err := wire.DecodeRows(data, table, func(_ int, r cells.Row) bool {
		r.Cells = append([]cells.Cell(nil), r.Cells...)
		rows = append(rows, r)
		return true
	})
	return copymode.NewPage(first, cols, table, rows), err
}

// loadCopy fetches what the view needs next; one call at a time.
func (m *model) loadCopy(c *copyView) cmd {
	above := c.st.Top - c.st.Buf.First()
	if c.loading || c.complete || c.known && !c.all && above > copyAhead {
		return nil
	}
	c.loading = true
	if c.ended {
		return m.loadSaved(c)
	}
	return m.loadHistory(c)
}

// copyCall runs f away from the program and gives its result to the view, if it
// is still there.
func (m *model) copyCall(c *copyView, f func(calls) (func(*copyView), error)) cmd {
	put := func(g func(*copyView)) func(*model) {
		return func(m *model) {
			if m.copies[c.id] == c {
				c.loading = false
				g(c)
				c.gotMore()
			}
		}
	}
	return m.callOr("", func(cl calls) (func(*model), error) {
		g, err := f(cl)
		return put(g), err
	}, func(m *model, err error) {
		put(func(c *copyView) {
			c.known, c.complete, c.note = true, true, "the history cannot be had: "+ui.Problem(err)
			if errors.Is(err, pane.ErrNotConnected) {
				c.note = "no connection to the host: only the screen is here"
			}
		})(m)
	})
}

// loadHistory asks the session's host, first for the screen and where it
// stands, then for the lines above what is there.
func (m *model) loadHistory(c *copyView) cmd {
	p, first := c.pane, c.st.Buf.First()
	ask := wire.HistoryParams{From: math.MaxUint64, Screen: true}
	if c.known {
		oldest := c.base - uint64(-first)
		ask = wire.HistoryParams{From: oldest - min(oldest, copyChunk), Count: int(min(oldest, copyChunk))}
	}
	known, base, epoch, cols, wrapped := c.known, c.base, c.epoch, c.cols, c.wrapped
	return m.copyCall(c, func(cl calls) (func(*copyView), error) {
		var res wire.HistoryResult
		if err := p.Request(cl.ctx, wire.MethodHistory, ask, &res); err != nil {
			return nil, err
		}
		if !known {
			return takeScreen(res)
		}
		if res.Epoch != epoch {
			return (*copyView).cutOff, nil
		}
		page, err := decodePage(int(int64(res.First-base)), cols, res.Rows)
		return func(c *copyView) {
			if c.wrapped != wrapped {
				return // they have other numbers by now
			}
			c.st.Prepend(page)
			c.loaded(res.First <= res.Oldest || c.st.Buf.First() == first)
		}, err
	})
}

// takeScreen lays the host's screen over the pane's: from then on it is known
// where the history ends.
func takeScreen(res wire.HistoryResult) (func(*copyView), error) {
	if len(res.Screen) == 0 { // an older host
		return func(c *copyView) {
			c.known, c.base, c.epoch = true, res.Total, res.Epoch
			c.complete = res.Total == res.Oldest
		}, nil
	}
	page, err := decodePage(0, res.Cols, res.Screen)
	return func(c *copyView) {
		c.known, c.base, c.epoch = true, res.Total, res.Epoch
		c.complete = res.Total == res.Oldest
		c.cols = res.Cols
		c.st.Replace(copymode.NewBuffer(page))
		c.gen = c.pane.Generation()
	}, err
}

// loaded notes whether that was all.
func (c *copyView) loaded(all bool) {
	c.complete = c.complete || all
	if !c.complete && c.st.Buf.Cells() > maxCopyCells {
		c.complete, c.note = true, "older lines are not loaded: `ccdir output --scrollback` has them"
	}
}

// loadSaved reads what is left of a session that has ended.
func (m *model) loadSaved(c *copyView) cmd {
	id, cols := c.id, c.cols
	return m.copyCall(c, func(cl calls) (func(*copyView), error) {
		data, err := cl.Saved(cl.ctx, id)
		if err != nil {
			return nil, err
		}
		b, err := decodeSaved(cl.ctx, data, cols)
		return func(c *copyView) {
			c.known, c.complete = true, true
			c.st.Replace(b)
		}, err
	})
}

// decodeSaved makes pages of a saved screen with its history; of a long history
// the newest lines.
func decodeSaved(ctx context.Context, data []byte, cols int) (copymode.Buffer, error) {
	var pages []*copymode.Page
	var rows []cells.Row
	table, first, history := cells.NewTable(), 0, 0
	flush := func() {
		if len(rows) > 0 {
			pages = append(pages, copymode.NewPage(first, cols, table, rows))
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
		if len(rows) >= copyChunk {
			flush()
		}
		rows = append(rows, cells.Row{Cells: append([]cells.Cell(nil), r.Cells...), Wrapped: r.Wrapped})
		return ctx.Err() == nil
	})
	flush()
	return copymode.Join(pages, history, maxCopyCells), err
}

// gotMore goes on with what waited for older lines.
func (c *copyView) gotMore() {
	if c.toFirst {
		c.st.Move(copymode.First, 0)
		c.toFirst = !c.complete
	}
	if c.toScroll != 0 && (c.complete || c.st.Buf.First() < 0) {
		c.st.Scroll(c.toScroll)
		c.toScroll = 0
	}
	c.find.stale = c.find.query != "" && (c.complete || c.find.at < 0)
}

// pasteInCopy: into the pattern that is typed, or, where the mouse had opened
// the view, to the program in the pane.
func (m *model) pasteInCopy(c *copyView, text []byte) {
	switch {
	case c.find.typing:
		m.warn("nothing was pasted: a pattern is typed")
	case c.peek:
		m.leaveCopy(c.id)
		m.toPaneInput(&wire.Input{Type: wire.InputPaste, Text: text})
	default:
		m.warn("this pane is in copy mode: nothing was pasted; " + m.keys.Hint(keymap.CopyLeave) + " leaves it")
	}
}
