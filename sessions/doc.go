// Package sessions is the registry of sessions: it starts, adopts and ends
// hosts, weighs the evidence about each session, and keeps what is told of it.
//
// Contract:
//
//   - Each session has one actor: a goroutine that owns its state and does one
//     thing after another. Whoever wants something of a session puts it into
//     the actor's bounded mailbox and waits; a full mailbox makes callers wait,
//     and they are hook calls, host connections and API calls, which can.
//   - State is the result of a pure function (Fold) of the evidence, in the
//     order in which the actor met it. What won, and why, is kept.
//   - What changes a session is given to the Journal by its actor, in order;
//     whoever caused it is answered when the journal has made it durable.
//   - Hosts outlive the registry. Close ends the connections and leaves them
//     running; the next registry adopts them by host.json, reads on from the
//     last number of evidence, and empties the spools of hooks before Start
//     returns.
//   - The registry opens no database and knows no HTTP: it declares what it
//     needs (Journal, Store, Launcher).
//
// Locks: Registry.mu guards the maps alone and is held for no I/O; no lock is
// taken under it.
package sessions
