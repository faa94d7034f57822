package api

import (
	"context"
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
