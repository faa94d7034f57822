package api

import (
	"context"
	"encoding/json"
	"time"
)

// HeaderKey is the header with the idempotency key of a call: of calls with the same key
// one is carried out, and retries get its answer. On the control socket it is
// ControlCall.Key.
const HeaderKey = "Idempotency-Key"

// HeaderReplayed is set ("true") in an answer that was recorded for an earlier call with
// the same key.
const HeaderReplayed = "Idempotency-Replayed"

// HeaderMatch is the header with the precondition of a call: the version
// (Session.Version, Task.Version) that its target must have, as HeaderVersion of an
// earlier answer had it. On the control socket it is ControlCall.Match.
const HeaderMatch = "If-Match"

// HeaderVersion is the header of an answer with the version of the session or task in it.
const HeaderVersion = "ETag"

// MaxKey bounds a key, in bytes.
const MaxKey = 128

// Bounds of the idempotency records: their age, and their number per caller (the newest
// ones stay).
const (
	KeysKept = 24 * time.Hour
	MaxKeys  = 1000
)

// Call identifies a call with a key in the records of what it changes; the zero value is
// a call without a key. It never comes over the wire.
type Call struct {
	// ID is unique among all calls of all callers.
	ID string
	// Begun is when the first attempt began, in a retry whose first attempt has an
	// unknown outcome: its change may be recorded already. Zero in a first attempt.
	Begun time.Time
}

// CallRecord is the idempotency record of a call with a key. It never comes over the wire.
type CallRecord struct {
	// Owner is the caller: Person, or the id of a session. Each has keys of its own.
	Owner, Key string
	// At is when the first attempt began.
	At time.Time
	// Print is a hash of the request: a retry has the same.
	Print []byte
	// Target is what the call was for when it began, with its version, in the words of
	// its route; "" if the route needs none.
	Target string
	// Status is the answer's HTTP status; 0: the call began, and its outcome is unknown.
	Status int
	// Location and Body are of the answer.
	Location string
	Body     []byte
}

type matchKey struct{}

// IfMatch returns ctx for a call of a client that is meant for one version of a session
// or task: if that has changed, the call fails with CodePrecondition and does nothing.
func IfMatch(ctx context.Context, version string) context.Context {
	return context.WithValue(ctx, matchKey{}, version)
}

// MatchOf returns the version of IfMatch, "" if ctx has none.
func MatchOf(ctx context.Context) string {
	version, _ := ctx.Value(matchKey{}).(string)
	return version
}

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
