package wire

import "time"

// HostSpec is the input of `ccdir-shim host`: JSON on its standard input. Once the process
// runs or could not be started, the host writes one line of JSON (HostReady) to its
// standard output and closes its standard files.
type HostSpec struct {
	Session string `json:"session"`
	// Dir is the session's directory; it exists with mode 0700.
	Dir string `json:"dir"`
	// Socket is the path on which the host listens.
	Socket string `json:"socket"`
	// Ticket is the secret that clients present.
	Ticket string   `json:"ticket"`
	Argv   []string `json:"argv"`
	// Env is the complete environment of the process.
	Env  []string `json:"env"`
	CWD  string   `json:"cwd"`
	Cols int      `json:"cols"`
	Rows int      `json:"rows"`
	// Scrollback bounds the history, in lines; RingBytes the raw ring, in bytes (0: 2 MiB).
	Scrollback int `json:"scrollback"`
	RingBytes  int `json:"ring_bytes,omitempty"`
	// Engine is "vt" or "vt10x"; "" is the default.
	Engine string `json:"engine,omitempty"`
	// KittyKeyboard: the host answers the kitty keyboard query.
	KittyKeyboard bool `json:"kitty_keyboard,omitempty"`
	// Light: the theme is for light terminals; applications that ask for colours are told so
	// until a client has reported those of its terminal.
	Light bool `json:"light,omitempty"`
	// NoProgramStatus: the host leaves the query of the program status protocol (OSC 7501)
	// unanswered.
	NoProgramStatus bool `json:"no_program_status,omitempty"`
	// Yours: the session's processes act for the person, and may type into sessions.
	Yours bool `json:"yours,omitempty"`
	// Wall is the file of the plan (sandbox.Plan) behind which the process runs; "" for none. A
	// host that knows it says so in HostReady.Walled, or starts nothing.
	Wall string `json:"wall,omitempty"`
	// Network is the file of a plan with a list of hosts, and the host's task to let them through at
	// the socket that it names; "" for none.
	Network string `json:"network,omitempty"`
	// Lock is the daemon's lock file if a host that ends while no daemon runs removes the
	// directory of Socket; "" otherwise.
	Lock string `json:"lock,omitempty"`
	// Version is the version of the program that wrote the spec.
	Version string `json:"version"`
}

// HostReady is the host's one line of standard output.
type HostReady struct {
	PID     int    `json:"pid,omitempty"`
	HostPID int    `json:"host_pid,omitempty"`
	Error   string `json:"error,omitempty"`
	Walled  bool   `json:"walled,omitempty"`
}

// HostFile is host.json in the session's directory, by which daemons adopt a running host.
// It is written atomically before the process starts, once more with the process's pid
// before HostReady is sent, and removed only if the process could not be started;
// final.json beside it means that the host has finished.
type HostFile struct {
	PID int `json:"pid"`
	// Start is the host's start time, an opaque string that identifies the process together
	// with its pid; ChildStart is that of the process in the PTY.
	Start string `json:"start"`
	// ChildPID is 0 while the process is about to be started.
	ChildPID   int      `json:"child_pid"`
	ChildStart string   `json:"child_start"`
	Socket     string   `json:"socket"`
	Protocol   int      `json:"protocol"`
	Version    string   `json:"version"`
	Spec       HostSpec `json:"spec"`
}

// Final is final.json: how the process ended and what its screen was. It is written last,
// so that its existence means that the screen and ring files are complete.
type Final struct {
	ExitRecord
	Started time.Time `json:"started"`
	Cols    int       `json:"cols"`
	Rows    int       `json:"rows"`
	Title   string    `json:"title"`
	Written uint64    `json:"written"`
	// LastEvidence is the number of the last evidence, Evidence the ring's content, for a
	// daemon that was not connected.
	LastEvidence uint64     `json:"last_evidence"`
	Evidence     []Evidence `json:"evidence"`
	// RingStart is the position in the byte stream of the first byte of ring.raw.
	RingStart uint64 `json:"ring_start"`
}
