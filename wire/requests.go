package wire

import "encoding/json"

// Request asks the host for something; one Response answers it.
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
	MethodKill    = "kill"    // KillParams → nothing, at the begin of the kill
	MethodRest    = "rest"    // RestParams → RestResult, once the process was signalled or is left alone
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

// DropParams name long text (LongText) that is not written yet, among the first Inputs of
// the connection with that number, which need not be this connection. Shorter Inputs are
// not dropped. A bracketed paste that was written in part is ended.
type DropParams struct {
	Connection uint64 `json:"connection"`
	Inputs     uint64 `json:"inputs"`
}

// KeysParams are names of keys to write, encoded for the application's modes. An unknown
// name fails the request before anything is written.
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
	// From is the first position of the byte stream to return ("raw"). Bytes that have left
	// the ring are left out.
	From uint64 `json:"from,omitempty"`
}

// OutputResult is the screen as text, or raw bytes.
type OutputResult struct {
	Text string `json:"text,omitempty"`
	Raw  []byte `json:"raw,omitempty"`
	// Start and End are the positions of Raw in the byte stream.
	Start uint64 `json:"start,omitempty"`
	End   uint64 `json:"end,omitempty"`
	// Typing is set with the screen; nil from older hosts and from files.
	Typing *Typing `json:"typing,omitempty"`
}

// HistoryParams ask for scrollback lines as cells: Count lines from line
// number From (see screen.Engine.HistoryTotal); at most 1,000.
type HistoryParams struct {
	From  uint64 `json:"from"`
	Count int    `json:"count"`
	// Screen asks for the screen too, from the same moment.
	Screen bool `json:"screen,omitempty"`
}

// HistoryResult holds scrollback lines in the frame encoding (see DecodeRows).
type HistoryResult struct {
	// First is the number of the first line in Rows, Oldest that of the oldest line held,
	// Total one past the newest. Epoch changes when lines are renumbered.
	First  uint64 `json:"first"`
	Oldest uint64 `json:"oldest"`
	Total  uint64 `json:"total"`
	Epoch  uint64 `json:"epoch"`
	Rows   []byte `json:"rows"`
	// Screen is the rows of the screen in the same encoding, Cols its width, if asked for;
	// empty from older hosts.
	Screen []byte `json:"screen,omitempty"`
	Cols   int    `json:"cols,omitempty"`
	// Cursor is set together with Screen; nil from older hosts.
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
	// Keys are written first, for agents that end by keys. Then Signal is sent to the
	// process group: "HUP", "TERM", "INT", "KILL", "" for none.
	Keys   []string `json:"keys,omitempty"`
	Signal string   `json:"signal,omitempty"`
	// GraceMS is the time, in milliseconds, after which KILL is sent to the group if it
	// still runs; 0: never.
	GraceMS int `json:"grace_ms,omitempty"`
}

// RestParams end the process gently if nobody has used it since the caller read its screen: with
// TERM to its group and nothing after that. Hosts of older versions do not know it.
type RestParams struct {
	// Typed is Typing.Count as the caller read it. Unwatched: leave it alone, too, while somebody
	// watches (Typing.Watched).
	Typed     uint64 `json:"typed"`
	Unwatched bool   `json:"unwatched,omitempty"`
}

// RestResult says what came of it: signalled, or left alone for the reason Kept.
type RestResult struct {
	Kept string `json:"kept,omitempty"`
}

// Reasons of RestResult.Kept.
const (
	KeptTyped   = "typed"   // a person has typed meanwhile
	KeptWatched = "watched" // somebody watches
)

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

// ScreenParams ask for Screen messages on this connection, instead of an earlier request.
type ScreenParams struct {
	// Lines is the number of lines wanted, the last that are not empty; 0 ends the
	// messages.
	Lines int `json:"lines"`
	// QuietMS is how long the screen must stand still before it is sent. A screen that
	// keeps changing is sent every LimitMS.
	QuietMS int `json:"quiet_ms"`
	LimitMS int `json:"limit_ms"`
}
