package wire

import "time"

// Hello is the client's first message.
type Hello struct {
	ProtocolMin int `json:"protocol_min"`
	ProtocolMax int `json:"protocol_max"`
	// Ticket authorises the connection; the host compares it in constant time.
	Ticket string `json:"ticket"`
	// Client names the program, for logs: "ccdir 0.1.0 (tui)".
	Client string `json:"client"`
	// ReadOnly connections may neither send Input nor claim the size.
	ReadOnly bool `json:"read_only,omitempty"`
	// Looks: the client begins by watching. The host checks whether its process may type
	// only when it first sends input or changes the size, and refuses it then with an
	// Error.
	Looks bool `json:"looks,omitempty"`
	// Evidence subscribes to evidence after that number; nil: no evidence.
	Evidence *uint64 `json:"evidence,omitempty"`
	// Line is the token of MethodLine: this connection only fetches the descriptors of
	// another connection's direct line (wire/directline).
	Line string `json:"line,omitempty"`
	// Display: the client will answer the host's Line with a Line that carries the
	// descriptor of its own terminal.
	Display bool `json:"display,omitempty"`
	// Far: the client is on another machine. No descriptor can travel, so it gets no direct
	// line; and the host keeps little written that the client has not read, because old
	// frames would wait in front of new ones on a slow line.
	Far bool `json:"far,omitempty"`
}

// Welcome is the host's answer to Hello.
type Welcome struct {
	Protocol int    `json:"protocol"`
	Version  string `json:"version"`
	Session  string `json:"session"`
	// PID is the process in the PTY, HostPID the host's.
	PID     int       `json:"pid"`
	HostPID int       `json:"host_pid"`
	Started time.Time `json:"started"`
	Status  Status    `json:"status"`
}

// Error is the last message before the host closes the connection.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// View is how a client shows the session. It may be sent at any time and replaces the
// earlier View. Frames are sent while Visible.
type View struct {
	Visible bool `json:"visible"`
	// Cols and Rows are the client's room in cells; 0: no opinion.
	Cols int `json:"cols"`
	Rows int `json:"rows"`
	// Claim makes this client the owner of the session's size now, as its keys and pastes
	// do.
	Claim bool `json:"claim,omitempty"`
	// Refresh asks for a full frame.
	Refresh bool `json:"refresh,omitempty"`
	// MaxFPS paces frames during floods; 0 means 60.
	MaxFPS int `json:"max_fps,omitempty"`
	// Colours are those of the client's terminal, for applications that ask; zero: unknown.
	Colours Colours `json:"colours,omitzero"`
}

// Colours are a terminal's default colours.
type Colours struct {
	Known      bool `json:"known"`
	Foreground RGB  `json:"foreground"`
	Background RGB  `json:"background"`
}

// RGB is a colour.
type RGB struct{ R, G, B uint8 }

// Status is a session's state besides its screen, sent to every connection when it changes.
type Status struct {
	Cols int `json:"cols"`
	Rows int `json:"rows"`
	// OwnSize: this connection owns the session's size.
	OwnSize bool `json:"own_size"`
	// Pinned: `ccdir resize` has fixed the size until the owner changes.
	Pinned  bool   `json:"pinned,omitempty"`
	Title   string `json:"title"`
	Clients int    `json:"clients"`
	// Written is the number of bytes that the PTY has ever printed.
	Written uint64 `json:"written"`
	// Connection is the number of this connection; 0 from hosts without the fields below.
	Connection uint64 `json:"connection,omitempty"`
	// Taken is the number of bytes of this connection's Inputs that were written or
	// dropped, Dropped those that were dropped. While long text (LongText) is written they
	// are reported a few times a second.
	Taken   uint64 `json:"taken,omitempty"`
	Dropped uint64 `json:"dropped,omitempty"`
}

// LongText is the size, in bytes, from which the text of an Input is written in pieces: its
// progress is reported (Status.Taken), and the rest can be dropped (MethodDrop).
const LongText = 1 << 10

// Exit reports the end of the process. The host closes the connection after it.
type Exit struct {
	ExitRecord
}

// ExitRecord is how a process ended.
type ExitRecord struct {
	// Code is the exit code; 128+n after signal n.
	Code   int       `json:"code"`
	Signal string    `json:"signal,omitempty"`
	At     time.Time `json:"at"`
	// Stopped: the system told the host to end (at a logout or shutdown), and the process
	// ended by that.
	Stopped bool `json:"stopped,omitempty"`
}

// Screen is the text at the bottom of the screen, sent when it has changed. It is
// latest-wins: a slow client misses earlier texts.
type Screen struct {
	// At is when the application last printed.
	At time.Time `json:"at"`
	// Text is the lines, without blanks at their ends, each with a newline; of more than 64
	// KiB the beginning is cut.
	Text string `json:"text"`
	// Moving: the screen has not stood still.
	Moving bool `json:"moving,omitempty"`
}

// Copy is text that the application puts into the clipboard (OSC 52). It is sent to the client
// that owns the session's size, whose person used the session last. It is latest-wins.
type Copy struct {
	// Text is valid UTF-8 without control characters but tabs and line ends.
	Text string `json:"text,omitempty"`
	// TooLong: the application's text is longer than a host takes, and Text is empty.
	TooLong bool `json:"too_long,omitempty"`
}
