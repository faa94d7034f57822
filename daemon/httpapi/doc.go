// Package httpapi serves the daemon's HTTP API: JSON, streams as server-sent events,
// WebSockets. Every failure is an api.Error with the status of its code.
//
// Contract:
//
//   - Handlers have no state of their own; all of it is in Deps. The exceptions are the
//     idempotency records of calls in flight and of those that could not be saved.
//   - A call with an idempotency key is carried out once, over the death of the daemon
//     too (see once.go). Other calls are carried out as often as they come.
//   - Bodies are bounded, a caller that stops sending is dropped, and a panic costs one
//     call.
//   - A stream has heartbeats and write deadlines: a reader that is too slow for them is
//     dropped, and no other one waits for it.
//   - Who may connect and who calls is in package access.
//   - Streams and blocked calls end with the server's base context.
package httpapi
