package wire

import "encoding/json"

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
