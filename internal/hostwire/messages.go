package hostwire

import (
	"encoding/json"
	"time"
)

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
	// Line is the token of MethodLine: this connection takes the descriptors of
	// another one's direct line (DialLine) and is of no other use.
	Line string `json:"line,omitempty"`
	// Display: the Line that comes is answered by one with the descriptor of the
	// terminal itself (ReceiveDisplay).
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

// Evidence is one numbered fact that the host saw.
type Evidence struct {
	// Seq counts from 1 without gaps for the life of the host.
	Seq uint64    `json:"seq"`
	At  time.Time `json:"at"`
	// Name is one of the Evidence… constants.
	Name string `json:"name"`
	// Fields hold the fact's parts; values are at most 4 KiB each.
	Fields map[string]string `json:"fields,omitempty"`
}

// Names of evidence.
const (
	EvidenceStarted = "started" // fields: pid
	EvidencePSP     = "psp"     // OSC 7501; fields as the application sent them, base64 decoded
	EvidenceTitle   = "title"   // fields: text
	EvidenceBell    = "bell"
	EvidenceCWD     = "cwd"    // OSC 7; fields: url
	EvidenceNotify  = "notify" // OSC 9, 777; fields: text
	EvidencePrompt  = "prompt" // OSC 133; fields: mark
	EvidenceKeys    = "keys"   // keys that a client typed; fields: keys (names of Escape, C-c, C-d, C-z, Enter, digits, "text" for the rest)
	EvidenceActive  = "active" // first output after at least a second of silence
	EvidenceExit    = "exit"   // fields: code, signal
	EvidenceAltOn   = "alt"    // fields: on
	EvidenceTx      = "tx"     // a transaction ended; fields: id, outcome
	EvidenceEngine  = "engine" // the terminal engine failed and was reset; fields: error
)

// EvidenceLost tells a subscriber that evidence up to To was dropped from the
// ring before it could be sent.
type EvidenceLost struct {
	To uint64 `json:"to"`
	// PSP is the latest program status per id, so that no state is lost.
	PSP []Evidence `json:"psp,omitempty"`
}

// Request asks the host for something; Response answers it.
type Request struct {
	ID     uint64          `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params,omitempty"`
}

// Methods of requests, with the types of their parameters and results.
const (
	MethodTx      = "tx"      // Tx → TxResult
	MethodOutput  = "output"  // OutputParams → OutputResult
	MethodHistory = "history" // HistoryParams → HistoryResult
	MethodResize  = "resize"  // ResizeParams → Status (pins the size)
	MethodKill    = "kill"    // KillParams → nothing; answered when it was begun
	MethodStats   = "stats"   // → Stats
	MethodKeys    = "keys"    // KeysParams → nothing
	MethodPing    = "ping"    // → nothing, in order with Input of this connection
	MethodScreen  = "screen"  // ScreenParams → nothing; Screen messages follow
	MethodDrop    = "drop"    // DropParams → nothing: don't write what is left of long text
	MethodLine    = "line"    // → LineResult: a direct line for this connection's text, once
)

// Response answers the request of the same id.
type Response struct {
	ID     uint64          `json:"id"`
	Error  *Error          `json:"error,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
}

// Tx is input that the host carries out as a unit: nothing else is written to
// the PTY in between. A repeated ID writes nothing and returns the outcome of
// the first (the host remembers the last 1,024).
type Tx struct {
	ID    string   `json:"id"`
	Steps []TxStep `json:"steps"`
	// NoDialog: write nothing while the program status (OSC 7501) of the
	// application itself is "blocked"; looked at before each step.
	NoDialog bool `json:"no_dialog,omitempty"`
	// Typed: write nothing if Typing.Count is another number by now. A refusal for
	// this reason is not remembered: the id may be used again.
	Typed *uint64 `json:"typed,omitempty"`
	// Person: what a person typed or pasted, for Typing.
	Person bool `json:"person,omitempty"`
}

// Typing is what a person (an attached terminal, MethodKeys, Tx.Person) has
// typed: deliveries must neither mix with it nor lose it.
type Typing struct {
	// Count grows with every key, paste or piece of raw input.
	Count uint64 `json:"count"`
	// AgoMS is how long ago the last one was, in milliseconds.
	AgoMS int64 `json:"ago_ms"`
	// Draft: text was typed and neither Enter, Ctrl-C nor Ctrl-U since. A guess,
	// for applications whose input line cannot be read from the screen.
	Draft bool `json:"draft,omitempty"`
}

// TxStep is one step: exactly one of the fields is set.
type TxStep struct {
	// Keys are key names, encoded for the modes at that moment.
	Keys []string `json:"keys,omitempty"`
	// Paste is pasted, always bracketed if the application has asked for it.
	Paste *string `json:"paste,omitempty"`
	// Raw is written as it is.
	Raw []byte `json:"raw,omitempty"`
	// EchoMS waits until the screen changed and was then quiet for 20 ms, at
	// most that many milliseconds.
	EchoMS int `json:"echo_ms,omitempty"`
	// ReadyMS waits until the application has asked for bracketed paste, at
	// most that many milliseconds; the transaction ends here if it does not.
	ReadyMS int `json:"ready_ms,omitempty"`
}

// Outcomes of a transaction.
const (
	TxWritten = "written" // every step was carried out
	TxFailed  = "failed"  // the process ended or a write failed; some steps may have been carried out
	TxRunning = "running" // a repeat arrived while the first is under way
	TxRefused = "refused" // a condition did not hold: Reason says which, Written whether it was in the middle
)

// TxResult is the outcome of a transaction.
type TxResult struct {
	Outcome string `json:"outcome"`
	Error   string `json:"error,omitempty"`
	// Repeat: the id was known, nothing was written now.
	Repeat bool `json:"repeat,omitempty"`
	// EchoSeen: the screen changed in the (last) echo step.
	EchoSeen bool `json:"echo_seen,omitempty"`
	// Reason is TxDialog or TxNotReady if Outcome is TxRefused; Written tells
	// that some steps were carried out by then.
	Reason  string `json:"reason,omitempty"`
	Written bool   `json:"written,omitempty"`
}

// Reasons of TxRefused.
const (
	TxDialog   = "dialog"    // the application shows a dialog (Tx.NoDialog)
	TxNotReady = "not_ready" // it did not ask for bracketed paste (TxStep.ReadyMS)
	TxTyped    = "typed"     // a person typed meanwhile (Tx.Typed)
)

// DropParams name long text (LongText) that was pasted or sent raw and has not been
// written yet: in the first Inputs of the connection of that number, which may be
// another one than that of the request. Other Inputs are not touched. A bracketed
// paste of which a part was written is ended.
type DropParams struct {
	Connection uint64 `json:"connection"`
	Inputs     uint64 `json:"inputs"`
}

// KeysParams are key names to write, encoded for the application's modes. A
// name that is not known fails the request before anything is written.
type KeysParams struct {
	Keys []string `json:"keys"`
}

// OutputParams ask for the screen or the raw bytes.
type OutputParams struct {
	// Format is "text", "ansi", "cells" (the saved form, OutputResult.Raw) or
	// "raw" (the ring, OutputResult.Raw).
	Format string `json:"format"`
	// Scrollback puts the history before the screen.
	Scrollback bool `json:"scrollback,omitempty"`
	// From is the position in the byte stream to start at ("raw"); older bytes
	// than the ring holds are left out.
	From uint64 `json:"from,omitempty"`
}

// OutputResult is the screen as text, or raw bytes.
type OutputResult struct {
	Text string `json:"text,omitempty"`
	Raw  []byte `json:"raw,omitempty"`
	// Start and End are the positions of Raw in the byte stream.
	Start uint64 `json:"start,omitempty"`
	End   uint64 `json:"end,omitempty"`
	// Typing goes with the screen; nil from older hosts and from files.
	Typing *Typing `json:"typing,omitempty"`
}

// HistoryParams ask for scrollback lines as cells: Count lines from line
// number From (see screen.Engine.HistoryTotal); at most 1,000.
type HistoryParams struct {
	From  uint64 `json:"from"`
	Count int    `json:"count"`
	// Screen asks for the screen too, as it is at the same moment.
	Screen bool `json:"screen,omitempty"`
}

// HistoryResult holds scrollback lines in the frame encoding (see DecodeRows).
type HistoryResult struct {
	// First is the number of the first line in Rows, Oldest that of the oldest
	// held, Total one past the newest; Epoch changes when lines were renumbered.
	First  uint64 `json:"first"`
	Oldest uint64 `json:"oldest"`
	Total  uint64 `json:"total"`
	Epoch  uint64 `json:"epoch"`
	Rows   []byte `json:"rows"`
	// Screen are the rows of the screen in the same encoding, and Cols its
	// columns, if they were asked for (and the host is not older).
	Screen []byte `json:"screen,omitempty"`
	Cols   int    `json:"cols,omitempty"`
	// Cursor comes with Screen (and not from older hosts).
	Cursor *CursorInfo `json:"cursor,omitempty"`
}

// CursorInfo is Cursor in JSON.
type CursorInfo struct {
	X       int   `json:"x"`
	Y       int   `json:"y"`
	Visible bool  `json:"visible,omitempty"`
	Shape   uint8 `json:"shape,omitempty"`
}

// ResizeParams pin the session's size.
type ResizeParams struct {
	Cols int `json:"cols"`
	Rows int `json:"rows"`
}

// KillParams end the process.
type KillParams struct {
	// Keys are written first (the polite way of some agents), then Signal is
	// sent to the process group ("HUP", "TERM", "INT", "KILL", "" for none)…
	Keys   []string `json:"keys,omitempty"`
	Signal string   `json:"signal,omitempty"`
	// … and KILL to the group if it still runs after GraceMS; 0 never.
	GraceMS int `json:"grace_ms,omitempty"`
}

// Stats are figures of one host process.
type Stats struct {
	Written      uint64 `json:"written"`
	Read         uint64 `json:"read"`
	HistoryLines int    `json:"history_lines"`
	HeapBytes    uint64 `json:"heap_bytes"`
	Goroutines   int    `json:"goroutines"`
	Clients      int    `json:"clients"`
	Frames       uint64 `json:"frames"`
}

// Input is what a person did in an attached terminal. Binary on the wire.
type Input struct {
	// Type says which of the fields count.
	Type InputType
	// Text: the text of InputKey (a key name, or several joined by spaces),
	// InputPaste, InputRaw.
	Text []byte
	// Mouse for InputMouse.
	Mouse MouseEvent
	// Focused for InputFocus.
	Focused bool
}

// InputType tells inputs apart. Numbers are for ever.
type InputType uint8

// Types of input.
const (
	// InputKey is one key press: Text holds its name as tmux spells it, with
	// the text it produces for printable ones ("a", "é", "C-c", "M-x", "Up",
	// "S-F5", "Space").
	InputKey InputType = 1
	// InputPaste is pasted text: bracketed if the application asked for it.
	InputPaste InputType = 2
	// InputRaw is written as it is.
	InputRaw InputType = 3
	// InputMouse is a mouse event in the pane's cells; dropped unless the
	// application wants it.
	InputMouse InputType = 4
	// InputFocus tells that the pane got or lost the focus; sent on if the
	// application wants to know.
	InputFocus InputType = 5
)

// MouseEvent is a mouse event in cells of the session's screen, zero-based.
type MouseEvent struct {
	X, Y int
	// Button: 0 none (motion), 1 left, 2 middle, 3 right, 4 wheel up, 5 wheel
	// down, 6 wheel left, 7 wheel right, 8-11 the further ones.
	Button uint8
	Action MouseAction
	Shift  bool
	Alt    bool
	Ctrl   bool
}

// MouseAction is what happened to the button.
type MouseAction uint8

// Mouse actions.
const (
	MousePress   MouseAction = 0
	MouseRelease MouseAction = 1
	MouseMotion  MouseAction = 2
)

// ScreenParams ask for Screen messages on this connection from now on, in place
// of what was asked for before.
type ScreenParams struct {
	// Lines is how many of the last lines that are not empty are told; 0 ends it.
	Lines int `json:"lines"`
	// QuietMS is how long the screen must have stood still to be told. One that
	// keeps moving is told every LimitMS.
	QuietMS int `json:"quiet_ms"`
	LimitMS int `json:"limit_ms"`
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
