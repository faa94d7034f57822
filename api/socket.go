package api

import "encoding/json"

// Subprotocols of the WebSockets. A client offers the one it speaks; over TCP a
// browser, which cannot set headers, offers SubprotocolToken followed by the
// token as well, which is never chosen.
const (
	SubprotocolAttach  = "ccdir.attach.v1"
	SubprotocolControl = "ccdir.control.v1"
	SubprotocolToken   = "ccdir.token."
)

// AttachInput is a text message of a client of /v1/sessions/ID/attach. A binary
// message is the same as type input with its bytes. Type says which of the
// fields count.
type AttachInput struct {
	// Type is one of the Attach… constants.
	Type string `json:"type"`
	// Data is what the terminal sent (input), or the text of a paste.
	Data string `json:"data,omitempty"`
	// Keys are key names as tmux spells them (keys).
	Keys []string `json:"keys,omitempty"`
	// Cols and Rows are the terminal's (resize).
	Cols int `json:"cols,omitempty"`
	Rows int `json:"rows,omitempty"`
	// Bytes counts the bytes of binary messages that were processed since the last ack
	// (ack).
	Bytes int `json:"bytes,omitempty"`
}

// Types of AttachInput.
const (
	AttachData    = "input"   // Data is written as it is
	AttachKeys    = "keys"    // Keys are encoded for the application's modes
	AttachPaste   = "paste"   // Data is pasted: bracketed if the application asked for it
	AttachResize  = "resize"  // the terminal has Cols and Rows now
	AttachPause   = "pause"   // send no more output; what changes meanwhile is not queued
	AttachResume  = "resume"  // go on, from the screen as it is
	AttachRefresh = "refresh" // draw the whole screen again
	AttachAck     = "ack"     // Bytes were dealt with
)

// AttachEvent is a text message of the server on /v1/sessions/ID/attach.
type AttachEvent struct {
	// Type is one of the Attached… constants.
	Type string `json:"type"`
	// Session is the session's id (attached).
	Session string `json:"session,omitempty"`
	// Cols and Rows are the session's size (attached, status): a terminal of
	// another size shows a part, or more than there is.
	Cols int `json:"cols,omitempty"`
	Rows int `json:"rows,omitempty"`
	// OwnSize: this connection's size is the session's.
	OwnSize bool `json:"own_size,omitempty"`
	// ReadOnly: input is refused.
	ReadOnly bool `json:"read_only,omitempty"`
	// Title is the application's, made harmless (attached, status).
	Title string `json:"title,omitempty"`
	// Clients counts who is attached (status).
	Clients int `json:"clients,omitempty"`
	// ExitCode is how the process ended (exit); 128+n after signal n.
	ExitCode *int `json:"exit_code,omitempty"`
	// Error says what was wrong with a message, or why the connection ends.
	Error *Error `json:"error,omitempty"`
}

// Types of AttachEvent.
const (
	AttachedHello  = "attached" // the first message
	AttachedStatus = "status"   // size, title or number of clients changed
	AttachedExit   = "exit"     // the process ended; the connection is closed after it
	AttachedError  = "error"    // a message was refused, or the connection ends
)

// ControlCall is one message of a client of /v1/control.
type ControlCall struct {
	// ID is the caller's: a number or a string. The reply has it.
	ID json.RawMessage `json:"id"`
	// Method is the operation's id in the OpenAPI description, or "cancel", which
	// ends the stream that was begun with the id in params.
	Method string `json:"method"`
	// Params are the parameters of path and query and the fields of the body, by
	// name. A body that is no object is given as "body".
	Params json.RawMessage `json:"params,omitempty"`
	// Key is the call's idempotency key (the header Idempotency-Key).
	Key string `json:"key,omitempty"`
	// Match is the call's precondition (the header If-Match), without quotes.
	Match string `json:"match,omitempty"`
}

// ControlReply is one message of the server on /v1/control: a result or an error. A
// stream sends any number of events before it.
type ControlReply struct {
	ID json.RawMessage `json:"id"`
	// Result is the answer, null for calls that have none.
	Result json.RawMessage `json:"result,omitempty"`
	Error  *Error          `json:"error,omitempty"`
	// Event is an element of a stream, whose result follows when it ends.
	Event json.RawMessage `json:"event,omitempty"`
}
