package wire

// Frame is a change of the screen, or all of it. It is binary on the wire; rows stay
// encoded until a Mirror applies them.
type Frame struct {
	// Full: the frame has every row; earlier frames are void.
	Full bool
	// Gen numbers the picture that results from the frame. Numbers of one host are unique
	// and grow.
	Gen        uint64
	Cols, Rows int
	Cursor     Cursor
	// Flags are the application's modes that clients need.
	Flags FrameFlags
	// HistoryTotal and HistoryEpoch are those of screen.Engine.
	HistoryTotal, HistoryEpoch uint64
	HistoryLen                 int
	// Written is the position in the PTY's byte stream up to which the frame shows output.
	Written uint64
	// The scroll comes before the rows: rows ScrollTop to ScrollBottom (inclusive) moved up
	// by ScrollN; 0: no scroll, negative: down.
	ScrollTop, ScrollBottom, ScrollN int
	// Data is the encoded rows, owned by the frame.
	Data []byte
}

// Cursor is screen.Cursor on the wire.
type Cursor struct {
	X, Y    int
	Visible bool
	Shape   uint8
}

// FrameFlags are the bits of Frame.Flags. Numbers are for ever.
type FrameFlags uint16

// Flags of a frame.
const (
	FlagAlt          FrameFlags = 1 << 0 // the alternate screen is shown
	FlagMouse        FrameFlags = 1 << 1 // the application takes mouse presses
	FlagMouseMotion  FrameFlags = 1 << 2 // and motion while a button is down
	FlagMouseAny     FrameFlags = 1 << 3 // and any motion
	FlagReverse      FrameFlags = 1 << 4 // whole screen reversed (DECSCNM)
	FlagBracketed    FrameFlags = 1 << 5 // bracketed paste is on
	FlagAltScroll    FrameFlags = 1 << 6 // the wheel becomes arrow keys
	FlagFocusReports FrameFlags = 1 << 7 // the application wants focus events
)
