// Package screen declares what a terminal engine is: bytes of a PTY in, rows
// of cells out. The engines are in the packages below it: vt (our own) and
// vt10x (an adapter of hinshun/vt10x).
//
// Contract: an engine belongs to one owner, which serialises every call (the
// host holds one lock around it); no engine locks, starts a goroutine, reads a
// clock or does I/O. Feed never fails, never panics and never blocks, whatever
// the bytes. What an application asks the terminal to answer (device queries)
// is collected in order and taken with TakeReplies; what it tells the terminal
// out of band (titles, bells, OSC codes) goes to the Listener during Feed, in
// order with the replies.
//
// Generations: every change of what a row shows gives the row a generation
// larger than any before. A reader that remembers Gen() and later takes the
// rows whose Gen is larger has missed nothing.
package screen

import "ccdir/internal/cells"

// Limits of every engine. Sizes outside are clamped by New and Resize.
const (
	MinCols, MinRows = 1, 1
	MaxCols, MaxRows = 1000, 1000
)

// CellWidth and CellHeight are the size of a cell in pixels that applications are told
// (XTWINOPS 14 and 16), and that mouse positions in pixels assume. The real size is
// unknown: terminals of several sizes may show the screen.
const (
	CellWidth  = 8
	CellHeight = 16
)

// Engine is one emulated terminal.
type Engine interface {
	// Feed interprets p, the next bytes of the PTY. p is not kept.
	Feed(p []byte)

	// Resize changes the size; values are clamped to the limits. Text of the
	// main screen is kept (how well depends on the engine).
	Resize(cols, rows int)

	// Size returns the current size in cells.
	Size() (cols, rows int)

	// Gen is the generation of the newest change to any row, the cursor, the
	// modes or the title. It never decreases.
	Gen() uint64

	// Row returns row y (0 = top) of the active screen. The cells belong to the
	// engine and are valid until the next Feed or Resize; len(Cells) is the
	// number of columns. Row panics if y is out of range.
	Row(y int) cells.Row

	// Table is the table that the cells' ids belong to. An engine may replace
	// its table (and then raises the generation of every row) when it runs
	// full, so ask again after each Feed.
	Table() *cells.Table

	// State returns the cursor, the modes and the title.
	State() State

	// HistoryLen is the number of scrollback lines held now; HistoryTotal the
	// number ever pushed, so line i (0 = oldest held) has the lasting number
	// HistoryTotal()-HistoryLen()+i until a resize re-wraps the history.
	HistoryLen() int
	HistoryTotal() uint64

	// HistoryRow returns scrollback line i, 0 being the oldest held. The cells
	// are valid until the next call of any method; there may be fewer than the
	// number of columns (trailing blanks cut).
	HistoryRow(i int) cells.Row

	// HistoryEpoch changes whenever history lines were renumbered or removed
	// other than by falling off the old end (re-wrap, ED 3, reset): a reader
	// that caches lines drops them then.
	HistoryEpoch() uint64

	// ScrollHint returns how the rows Top to Bottom (inclusive) moved up by N since
	// generation since, if that, and repainting the rows whose Edited is newer than since,
	// describes all changes; otherwise ok is false. An engine may always return false.
	ScrollHint(since uint64) (hint Scroll, ok bool)

	// TakeReplies appends to dst the pending replies to the application, in order, and
	// forgets them. At most 64 KiB are kept between two calls; further replies are dropped
	// whole.
	TakeReplies(dst []byte) []byte
}

// Scroll is the movement of a region of rows.
type Scroll struct {
	Top, Bottom int
	// N is how many rows up; negative is down.
	N int
}

// State is the state of a screen besides its rows. It is comparable.
type State struct {
	Cursor Cursor
	Modes  Modes
	// Alt: the alternate screen is active.
	Alt bool
	// Title is the text of the last OSC 0 or 2, cut to 1024 bytes, valid
	// UTF-8, without control characters.
	Title string
	// Sync: the application is inside a synchronized update (mode 2026); take
	// no frame until it ends or 150 ms have passed (the reader's clock).
	Sync bool
}

// Cursor is the text cursor, zero-based, always inside the screen.
type Cursor struct {
	X, Y    int
	Visible bool
	// Shape is the DECSCUSR number: 0 default, 1/2 block, 3/4 underline, 5/6
	// bar (odd ones blink).
	Shape uint8
}

// MouseMode is which mouse events the application wants (DEC modes).
type MouseMode uint8

// Mouse modes, in order of how much they report.
const (
	MouseOff    MouseMode = iota
	MouseX10              // ?9: presses only
	MouseNormal           // ?1000: presses and releases
	MouseButton           // ?1002: and motion while a button is down
	MouseAny              // ?1003: and all motion
)

// MouseEncoding is how mouse events are written to the application.
type MouseEncoding uint8

// Mouse encodings.
const (
	MouseLegacy    MouseEncoding = iota // CSI M + three bytes
	MouseUTF8                           // ?1005
	MouseSGR                            // ?1006
	MouseURXVT                          // ?1015
	MouseSGRPixels                      // ?1016; we report cells times cell size
)

// Modes are the modes that decide how input is encoded, and what a client
// has to know to draw.
type Modes struct {
	AppCursor      bool // DECCKM ?1
	AppKeypad      bool // DECKPAM
	BracketedPaste bool // ?2004
	FocusEvents    bool // ?1004
	AltScroll      bool // ?1007: wheel becomes arrows on the alternate screen
	NewLine        bool // LNM: Enter sends CR LF
	ReverseVideo   bool // DECSCNM ?5
	Mouse          MouseMode
	MouseEncoding  MouseEncoding
	// KittyFlags are the flags of the kitty keyboard protocol in force.
	KittyFlags uint8
	// ColorScheme: ?2031, the application wants colour scheme reports.
	ColorScheme bool
	// ModifyOtherKeys is xterm's resource of that name (XTMODKEYS, CSI > 4 ; n
	// m): 0 off, 1 or 2.
	ModifyOtherKeys uint8
}

// KittyKept are the flags of the kitty keyboard protocol that can be in force: tell keys apart
// (1), all keys as sequences (8), and their text (16). An engine drops others that an
// application asks for, so that what it reports holds.
const KittyKept = 1 | 8 | 16

// Leaver is an Engine that remembers the alternate screen when it was left. An application
// that draws there clears it as it ends, and only a few words remain.
type Leaver interface {
	Engine
	// LeftScreen returns that screen if no more than within bytes, give or take one Feed,
	// came since it was left; nil otherwise, and while it is shown. The cells belong to the
	// engine, like those of Row.
	LeftScreen(within int) []cells.Row
}

// ProgramEnder is an Engine that can end the modes of a program that was killed.
type ProgramEnder interface {
	Engine
	// ProgramModes reports whether modes are set that a shell does not set at its prompt: of
	// mouse, focus, keys, cursor or screen.
	ProgramModes() bool
	// EndProgram sets these modes to what a shell expects, between two Feeds. It does
	// nothing if the shell marks its prompts (OSC 133), which end them too.
	EndProgram()
}

// Listener receives out-of-band messages of the application, during Feed, in order.
// Implementations must not call the engine and must not keep data.
type Listener interface {
	// Bell is a BEL in ground state.
	Bell()
	// OSC is an operating system command: its number and the bytes after the
	// first ";", terminator removed, at most 64 KiB (longer ones are dropped).
	// Codes that the engine acts on itself (titles, links) are told too.
	// Return a non-nil reply to have it written to the application, in order
	// with the engine's own replies.
	OSC(code int, data []byte) (reply []byte)
}

// TerminatorListener is a Listener that also learns how an operating system command ended,
// so that its reply can end in the same way, and of commands that are dropped. If an engine
// calls neither method, BEL is assumed.
type TerminatorListener interface {
	Listener
	// OSCTerminator is called just before OSC: bel is true for BEL, false for ST.
	OSCTerminator(bel bool)
	// OSCTooLong tells of a command that OSC does not because it is too long.
	OSCTooLong(code int)
}

// SchemeListener is a Listener that knows the colours of the person's terminal. Without one the
// query of the scheme (CSI ? 996 n) has no answer.
type SchemeListener interface {
	Listener
	// LightScheme reports whether that terminal has a light background.
	LightScheme() bool
}

// SchemeReport tells an application the scheme (CSI ? 997 ; 1 n dark, 2 light): what the query
// is answered with, and what follows a change in mode 2031.
func SchemeReport(light bool) string {
	if light {
		return "\x1b[?997;2n"
	}
	return "\x1b[?997;1n"
}

// Options are the same for every engine.
type Options struct {
	Cols, Rows int
	// HistoryLines bounds the scrollback in lines; 0 is none.
	HistoryLines int
	// HistoryBytes bounds the scrollback in bytes; 0 is 64 MiB.
	HistoryBytes int
	// Listener may be nil.
	Listener Listener
	// Name and Version are what XTVERSION answers; no answer when empty.
	Name, Version string
	// KittyKeyboard: answer the kitty keyboard query, so that applications
	// turn the protocol on.
	KittyKeyboard bool
}
