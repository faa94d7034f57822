package wire

import "time"

// Hello is the client's first message.
type Hello struct {
	ProtocolMin int `json:"protocol_min"`
	ProtocolMax int `json:"protocol_max"`
	// Ticket authorises the connection; the host compares it in constant time.
	Ticket string `json:"ticket"`
	// Client names the program, for status and logs: "ccdir 0.1.0 (tui)".
	Client string `json:"client"`
	// ReadOnly connections may not send Input nor claim the size.
	ReadOnly bool `json:"read_only,omitempty"`
	// Looks: the client begins by looking. Whether its process may type is found
	// out when it first sends input, claims the size or has it changed, and not at
	// once; one that may not gets the Error then.
	Looks bool `json:"looks,omitempty"`
	// Evidence subscribes to evidence after that number; nil does not.
	Evidence *uint64 `json:"evidence,omitempty"`
	// Line is the token of MethodLine: this connection only fetches the descriptors
	// of another connection's direct line (wire/directline).
	Line string `json:"line,omitempty"`
	// Display: the client will answer the host's Line with a Line that carries the
	// descriptor of its own terminal.
	Display bool `json:"display,omitempty"`
}

// Welcome is the host's answer to Hello.
type Welcome struct {
	Protocol int    `json:"protocol"`
	Version  string `json:"version"`
	Session  string `json:"session"`
	// PID is the process in the PTY, HostPID the host.
	PID     int       `json:"pid"`
	HostPID int       `json:"host_pid"`
	Started time.Time `json:"started"`
	Status  Status    `json:"status"`
}

// Error ends a connection: the last message before the host closes it.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// View says what a client shows of the session: it may be sent at any time and
// replaces the one before. Frames flow while Visible.
type View struct {
	Visible bool `json:"visible"`
	// Cols and Rows are what the client has room for; 0 has no opinion.
	Cols int `json:"cols"`
	Rows int `json:"rows"`
	// Claim makes this client the owner of the session's size now (as its keys
	// and pastes do).
	Claim bool `json:"claim,omitempty"`
	// Refresh asks for a full frame.
	Refresh bool `json:"refresh,omitempty"`
	// MaxFPS paces frames during floods; 0 means 60.
	MaxFPS int `json:"max_fps,omitempty"`
}

// Status is what clients want to know of a session beside its rows; sent to
// every connection when it changes.
type Status struct {
	Cols int `json:"cols"`
	Rows int `json:"rows"`
	// OwnSize: this connection owns the size.
	OwnSize bool `json:"own_size"`
	// Pinned: `ccdir resize` fixed the size until the next owner.
	Pinned  bool   `json:"pinned,omitempty"`
	Title   string `json:"title"`
	Clients int    `json:"clients"`
	// Written is how many bytes the PTY has printed, ever.
	Written uint64 `json:"written"`
	// Connection is the number of this connection; 0 where the host is older than
	// what follows.
	Connection uint64 `json:"connection,omitempty"`
	// Taken is how many bytes of the text of this connection's Inputs were written or
	// dropped, and Dropped how many of them were dropped. It is told while and after
	// text of LongText and more is written, some times a second at most.
	Taken   uint64 `json:"taken,omitempty"`
	Dropped uint64 `json:"dropped,omitempty"`
}

// LongText is from how many bytes on the text of an Input is written in pieces, its
// progress told (Status.Taken), and what was not written yet may be dropped (MethodDrop).
const LongText = 1 << 10

// Exit tells that the process ended. The connection is closed after it.
type Exit struct {
	ExitRecord
}

// ExitRecord is how a process ended.
type ExitRecord struct {
	// Code is the exit code; 128+n after signal n.
	Code   int       `json:"code"`
	Signal string    `json:"signal,omitempty"`
	At     time.Time `json:"at"`
}

// Screen is the text at the end of the screen, sent when it differs from the one
// sent before. It is state: a slow client gets the latest.
type Screen struct {
	// At is when the application printed last.
	At time.Time `json:"at"`
	// Text has the lines, blanks at their ends cut, each ended by a newline; at
	// most 64 KiB, the beginning left out.
	Text string `json:"text"`
	// Moving: the screen has not stood still.
	Moving bool `json:"moving,omitempty"`
}
