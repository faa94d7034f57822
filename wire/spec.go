package wire

import "time"

// HostSpec is what a host is started with: JSON on the standard input of
// `ccdir-shim host`. The host answers one line of JSON (HostReady) on its
// standard output once the process runs (or could not be started), then closes
// its standard files.
type HostSpec struct {
	Session string `json:"session"`
	// Dir is the session's directory (exists, 0700).
	Dir string `json:"dir"`
	// Socket is where the host listens.
	Socket string `json:"socket"`
	// Ticket is what clients must present.
	Ticket string   `json:"ticket"`
	Argv   []string `json:"argv"`
	// Env is the complete environment of the process.
	Env  []string `json:"env"`
	CWD  string   `json:"cwd"`
	Cols int      `json:"cols"`
	Rows int      `json:"rows"`
	// Scrollback is the history's capacity in lines, RingBytes that of the raw
	// ring (0: 2 MiB).
	Scrollback int `json:"scrollback"`
	RingBytes  int `json:"ring_bytes,omitempty"`
	// Engine is "vt" or "vt10x"; "" is the default.
	Engine string `json:"engine,omitempty"`
	// KittyKeyboard: answer the kitty keyboard query.
	KittyKeyboard bool `json:"kitty_keyboard,omitempty"`
	// NoProgramStatus leaves the query of the program status protocol (OSC
	// 7501) without an answer.
	NoProgramStatus bool `json:"no_program_status,omitempty"`
	// Yours: what runs in the session speaks for the person: it may type into
	// sessions.
	Yours bool `json:"yours,omitempty"`
	// Lock is the daemon's lock file, if the directory of Socket is to be removed with
	// the last socket in it: by hosts that end while no daemon runs.
	Lock string `json:"lock,omitempty"`
	// Version of the program that wrote the spec.
	Version string `json:"version"`
}

// HostReady is the host's one line of standard output.
type HostReady struct {
	PID     int    `json:"pid,omitempty"`
	HostPID int    `json:"host_pid,omitempty"`
	Error   string `json:"error,omitempty"`
}

// HostFile is host.json in the session's directory, what a daemon adopts a
// running host by: written (temporary file, fsync, rename) before HostReady is
// sent, removed by nobody (final.json beside it means that the host is done).
type HostFile struct {
	PID int `json:"pid"`
	// Start is the host's start time as the system tells it (an opaque string,
	// equal for the same process only); ChildStart that of the process.
	Start      string   `json:"start"`
	ChildPID   int      `json:"child_pid"`
	ChildStart string   `json:"child_start"`
	Socket     string   `json:"socket"`
	Protocol   int      `json:"protocol"`
	Version    string   `json:"version"`
	Spec       HostSpec `json:"spec"`
}

// Final is final.json: how a session's process ended and what its screen was.
// It is written last, so the screen and ring files beside it are complete when
// it exists.
type Final struct {
	ExitRecord
	Started time.Time `json:"started"`
	Cols    int       `json:"cols"`
	Rows    int       `json:"rows"`
	Title   string    `json:"title"`
	Written uint64    `json:"written"`
	// LastEvidence is the number of the last evidence; Evidence the ring's
	// content, so that a daemon that was away reads on.
	LastEvidence uint64     `json:"last_evidence"`
	Evidence     []Evidence `json:"evidence"`
	// RingStart is the position in the byte stream of the first byte of
	// ring.raw.
	RingStart uint64 `json:"ring_start"`
}
