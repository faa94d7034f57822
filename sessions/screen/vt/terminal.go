package vt

import (
	"ccdir/internal/cells"
	"ccdir/sessions/screen"
)

var _ screen.Engine = (*Terminal)(nil)

// Terminal is one emulated terminal. It belongs to one owner: nothing in it
// locks. The zero value is not usable; see [New].
type Terminal struct {
	opt        screen.Options
	cols, rows int
	table      *cells.Table

	main, alt page
	cur       *page // the active one of the two
	hist      *history
	below     []wrappedRow // text that a lower screen cut off; see resize.go

	pen          pen
	charset      charsets
	tabs         []bool
	mode         modes
	kitty        [2]kittyStack // main, alternate screen
	commandEnded bool          // the shell has said so, and its prompt has not begun
	marked       bool          // the shell marks its prompts
	title        string
	titles       []string // pushed by CSI 22 t
	shape        uint8    // DECSCUSR

	protects bool // some cell may be protected (DECSCA)

	fed     uint64 // bytes, those of the Feed that runs among them
	altLeft uint64 // what fed was when the alternate screen was left last

	parser  parser
	joiner  cells.Joiner
	last    lastCluster
	damage  damage
	replies []byte
	intern  interning
}

// lastCluster is where the last printed cluster stands, as long as nothing but
// text and renditions came after it.
type lastCluster struct {
	joinable bool // marks may still join it
	repeat   bool // REP may repeat it: nothing at all came after it
	x        int  // column of its head, on the cursor's row
}

// New returns a terminal with an empty screen. Sizes are clamped to the limits
// of package screen.
func New(opt screen.Options) *Terminal {
	t := &Terminal{opt: opt, table: cells.NewTable()}
	t.cols, t.rows = clampSize(opt.Cols, opt.Rows)
	t.cur = &t.main
	t.main.alloc(t.cols, t.rows)
	t.hist = newHistory(opt.HistoryLines, opt.HistoryBytes)
	t.resetState()
	t.damage.next, t.damage.movedBottom = 1, -1
	t.touchAll()
	t.settle(t.State())
	return t
}

func clampSize(cols, rows int) (int, int) {
	return max(screen.MinCols, min(cols, screen.MaxCols)), max(screen.MinRows, min(rows, screen.MaxRows))
}

// Size implements [screen.Engine].
func (t *Terminal) Size() (cols, rows int) { return t.cols, t.rows }

// Table implements [screen.Engine].
func (t *Terminal) Table() *cells.Table { return t.table }

// Row implements [screen.Engine].
func (t *Terminal) Row(y int) cells.Row {
	l := t.cur.lines[y]
	return cells.Row{Cells: l.cells, Gen: max(l.edited, t.cur.moved[y]), Edited: l.edited, Wrapped: l.wrapped}
}

// State implements [screen.Engine].
func (t *Terminal) State() screen.State {
	m := &t.mode
	return screen.State{
		Cursor: screen.Cursor{
			X: min(t.cur.x, t.cols-1), Y: t.cur.y, Visible: m.cursor, Shape: t.shape,
		},
		Modes: screen.Modes{
			AppCursor: m.appCursor, AppKeypad: m.appKeypad, BracketedPaste: m.paste,
			FocusEvents: m.focus, AltScroll: m.altScroll, NewLine: m.newLine,
			ReverseVideo: m.reverse, Mouse: m.mouse, MouseEncoding: m.mouseEncoding,
			KittyFlags: t.kittyStack().flags(), ColorScheme: m.colorScheme,
			ModifyOtherKeys: m.modifyOtherKeys,
		},
		Alt:   t.cur == &t.alt,
		Title: t.title,
		Sync:  m.sync,
	}
}

// Feed implements [screen.Engine].
func (t *Terminal) Feed(p []byte) {
	if len(p) == 0 {
		return
	}
	before := t.State()
	t.fed += uint64(len(p))
	t.damage.next = t.damage.gen + 1
	if t.intern.wanted {
		t.rebuildTable()
	}
	t.parse(p)
	if t.damage.touched && t.cur == &t.main {
		t.below = nil
	}
	t.settle(before)
}

// resetState sets everything but the cells to what it is at power-up (RIS).
func (t *Terminal) resetState() {
	t.pen = pen{}
	t.charset = charsets{}
	t.mode = defaultModes()
	t.kitty = [2]kittyStack{}
	t.shape = 0
	t.main.home()
	t.alt.home()
	t.main.top, t.main.bottom = 0, t.rows-1
	t.alt.top, t.alt.bottom = 0, t.rows-1
	t.main.saved, t.alt.saved = savedCursor{}, savedCursor{}
	t.tabs = defaultTabs(t.cols)
	t.last = lastCluster{}
}

// fullReset is RIS (ESC c): screens, history and state as at the start. The
// title stays, as in xterm.
func (t *Terminal) fullReset() {
	t.cur = &t.main
	t.resetState()
	for _, l := range t.main.lines {
		clear(l.cells)
		l.wrapped = false
		l.edited = t.damage.next
	}
	t.hist.reset()
	t.titles = nil
	t.protects = false
	t.switched()
}
