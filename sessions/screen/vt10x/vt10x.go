// Package vt10x adapts hinshun/vt10x to the engine interface of package screen.
//
// It is the baseline beside our own engine (package vt): vt10x knows neither
// scrollback nor wide characters nor most modes, and crashes on some input. The
// adapter gives it whole characters, keeps what vt10x does not (modes, history,
// out-of-band strings, replies) and starts a fresh screen after a crash.
package vt10x

import (
	"ccdir/internal/cells"
	"ccdir/sessions/screen"

	upstream "github.com/hinshun/vt10x"
)

// Engine is a screen.Engine over vt10x. A style that its table has no room for
// is shown in the default style.
type Engine struct {
	opts       screen.Options
	term       upstream.Terminal
	cols, rows int
	table      *cells.Table
	cells      []cells.Row
	gen        uint64
	state      screen.State
	replies    []byte
	stale      bool // rows are to be compared before they are read
	filter     filter
	history    history
}

// maxReplies bounds what is kept between two calls of TakeReplies.
const maxReplies = 64 << 10

// New returns an engine of opts' size, clamped to the limits.
func New(opts screen.Options) *Engine {
	e := &Engine{opts: opts, table: cells.NewTable()}
	e.history.init(opts.HistoryLines, opts.HistoryBytes)
	e.filter.e = e
	e.start(clamp(opts.Cols, screen.MaxCols), clamp(opts.Rows, screen.MaxRows))
	return e
}

func clamp(n, most int) int { return max(1, min(n, most)) }

// start makes a fresh terminal of that size.
func (e *Engine) start(cols, rows int) {
	e.cols, e.rows = cols, rows
	e.term = upstream.New(upstream.WithSize(cols, rows), upstream.WithWriter(discard{}))
	e.filter.reset()
	e.state = screen.State{Cursor: screen.Cursor{Visible: true}}
	e.layout()
}

// discard swallows the replies of vt10x: the adapter gives its own.
type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// layout makes rows of the current size, all of them changed.
func (e *Engine) layout() {
	e.gen++
	e.cells = make([]cells.Row, e.rows)
	for y := range e.cells {
		e.cells[y] = cells.Row{Cells: make([]cells.Cell, e.cols), Gen: e.gen}
	}
	e.stale = true
}

// Feed interprets p.
func (e *Engine) Feed(p []byte) {
	e.stale = true
	e.filter.feed(p)
}

// write hands whole characters to vt10x; when that panics, the screen is
// started afresh.
func (e *Engine) write(p []byte) {
	if len(p) == 0 {
		return
	}
	defer e.contain()
	e.term.Write(p)
}

func (e *Engine) contain() {
	if recover() != nil {
		e.start(e.cols, e.rows)
	}
}

// Resize changes the size.
func (e *Engine) Resize(cols, rows int) {
	cols, rows = clamp(cols, screen.MaxCols), clamp(rows, screen.MaxRows)
	if cols == e.cols && rows == e.rows {
		return
	}
	e.sync()
	defer e.contain()
	e.cols, e.rows = cols, rows
	e.filter.resized()
	e.term.Resize(cols, rows)
	e.layout()
}

// Size returns the current size.
func (e *Engine) Size() (cols, rows int) { return e.cols, e.rows }

// Gen is the generation of the newest change.
func (e *Engine) Gen() uint64 {
	e.sync()
	return e.gen
}

// Row returns row y.
func (e *Engine) Row(y int) cells.Row {
	e.sync()
	return e.cells[y]
}

// Table is the table of the cells' ids.
func (e *Engine) Table() *cells.Table {
	e.sync()
	return e.table
}

// State returns the cursor, the modes and the title.
func (e *Engine) State() screen.State {
	e.sync()
	return e.state
}

// ScrollHint always says false.
func (e *Engine) ScrollHint(uint64) (screen.Scroll, bool) { return screen.Scroll{}, false }

// TakeReplies appends the replies to dst and forgets them.
func (e *Engine) TakeReplies(dst []byte) []byte {
	dst = append(dst, e.replies...)
	e.replies = e.replies[:0]
	return dst
}

// reply keeps a reply for the application, whole or not at all.
func (e *Engine) reply(p string) {
	if len(e.replies)+len(p) <= maxReplies {
		e.replies = append(e.replies, p...)
	}
}

// sync compares vt10x's screen with the rows handed out and raises the
// generations of those that differ.
func (e *Engine) sync() {
	if !e.stale {
		return
	}
	e.stale = false
	defer e.contain()
	changed := false
	for y := range e.cells {
		row := &e.cells[y]
		wrapped, differs := false, false
		for x := range row.Cells {
			c, wrap := e.cell(x, y)
			wrapped = wrap
			if c != row.Cells[x] {
				row.Cells[x], differs = c, true
			}
		}
		if differs || wrapped != row.Wrapped {
			row.Wrapped, row.Gen = wrapped, e.gen+1
			changed = true
		}
	}
	now := e.snapshot()
	if changed || now != e.state {
		e.state = now
		e.gen++
	}
}
