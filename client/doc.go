// Package client is how a program of this machine talks to ccdir: it finds the
// daemon or starts one, calls its API over the unix socket, follows its
// streams through restarts, and opens connections to the hosts of sessions.
//
// Contract:
//
//   - New does no I/O. Connect makes sure that a daemon of our version answers
//     and starts one if none does. Every other call fails with ErrNotRunning if
//     none runs, and starts another one only in the place of one that crashed.
//   - Every call blocks until the daemon answers or its context ends. A Client
//     may be used by several goroutines at once.
//   - What changes something for a person is repeated while the daemon is away,
//     for some seconds, and carried out once (act). If it ends without an answer
//     and may have been carried out, the error is an api.UnsureError.
//   - Streams (Watch, Follow) call back on the caller's goroutine, one message
//     at a time; a callback that blocks holds up its own stream and nothing
//     else. They redial for as long as their context lives. State is
//     latest-wins: after each redial Watch hands over a whole snapshot. Events
//     are not lost: Follow goes on after the last number that it handed over.
//   - Errors are one line for people and say what to do. Those of the daemon
//     are *api.Error, with their code.
package client
