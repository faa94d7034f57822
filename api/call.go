package api

import "time"

// HeaderKey is the header that names a call, so that it can be repeated: of calls
// with the same key one is carried out, and the others get its answer. On the
// control socket it is ControlCall.Key.
const HeaderKey = "Idempotency-Key"

// HeaderReplayed is set ("true") in an answer that was kept of an earlier call with
// the same key.
const HeaderReplayed = "Idempotency-Replayed"

// MaxKey bounds a key, in bytes.
const MaxKey = 128

// Bounds of what is kept of calls with keys: for how long, and how many of one
// caller, the newest ones.
const (
	KeysKept = 24 * time.Hour
	MaxKeys  = 1000
)

// Call is a call with a key, as what it changes knows it; the zero value is one
// without. It never comes over the wire.
type Call struct {
	// ID names it among all calls of all callers.
	ID string
	// Begun is when it began, if a daemon before this one may have carried it out:
	// then it is looked whether its change is recorded already.
	Begun time.Time
}

// KeyedCall is what is kept of a call with a key; it never comes over the wire.
type KeyedCall struct {
	// Owner is who called: Person, or the id of a session. Keys of different owners
	// have nothing to do with one another.
	Owner, Key string
	// At is when it came first.
	At time.Time
	// Print is a hash of what was asked for.
	Print []byte
	// Note is what the call was about when it was begun, in the words of its route.
	Note string
	// Status is that of its answer; 0: it was begun, and no end is known.
	Status int
	// Location and Body are of the answer.
	Location string
	Body     []byte
}
