package wire

// Frame is a change of the screen, or all of it. Binary on the wire; Rows stay
// encoded until they are laid into a Mirror.
type Frame struct {
	// Full: every row is in the frame; what was before is void.
	Full bool
	// Gen numbers the picture that the frame brings its reader to: no two pictures
	// of a host have the same number, and later ones have higher ones.
	Gen        uint64
	Cols, Rows int
	Cursor     Cursor
	// Flags say what the client has to know of the application's modes.
	Flags FrameFlags
	// HistoryTotal and HistoryEpoch as in screen.Engine.
	HistoryTotal, HistoryEpoch uint64
	HistoryLen                 int
	// Written is the position in the PTY's byte stream that the frame shows.
	Written uint64
	// Scroll is applied before the rows: rows ScrollTop…ScrollBottom moved up
	// by ScrollN (0 none, negative down).
	ScrollTop, ScrollBottom, ScrollN int
	// Data are the encoded rows. It belongs to the frame.
	Data []byte
}

// Cursor as in screen.Cursor.
type Cursor struct {
	X, Y    int
	Visible bool
	Shape   uint8
}

// FrameFlags are bits of a Frame. Numbers are for ever.
type FrameFlags uint16

// Flags of a frame.
const (
	FlagAlt          FrameFlags = 1 << 0 // the alternate screen is shown
	FlagMouse        FrameFlags = 1 << 1 // the application takes mouse presses
	FlagMouseMotion  FrameFlags = 1 << 2 // and motion with a button down
	FlagMouseAny     FrameFlags = 1 << 3 // and any motion
	FlagReverse      FrameFlags = 1 << 4 // whole screen reversed (DECSCNM)
	FlagBracketed    FrameFlags = 1 << 5 // bracketed paste is on
	FlagAltScroll    FrameFlags = 1 << 6 // wheel becomes arrow keys
	FlagFocusReports FrameFlags = 1 << 7 // focus events are wanted
)
