// Package client connects a program of this machine to ccdir: it finds the daemon or
// starts one, calls its API over the unix socket, follows its streams through restarts,
// and opens connections to the hosts of sessions.
//
// Contract:
//
//   - New does no I/O. Connect makes sure that a daemon of our version answers
//     and starts one if none does. Every other call fails with ErrNotRunning if
//     none runs, and starts another one only in the place of one that crashed.
//   - Every call blocks until the daemon answers or its context ends. A Client
//     may be used by several goroutines at once.
//   - Calls that change something are retried while the daemon is away, for
//     some seconds, and carried out once (Client.retry). If a call ends without
//     an answer and may have been carried out, the error is an api.UnsureError.
//     With api.IfMatch a call is refused if its target has changed since.
//   - Streams (Watch, Follow) call back on the caller's goroutine, one message
//     at a time; a callback that blocks delays its own stream only. They redial
//     until their context ends. State is latest-wins: after each redial the
//     first message of Watch is a whole snapshot. Events are not lost: Follow
//     resumes after the last number that it has delivered.
//   - Errors are one line for people and say what to do. Those of the daemon
//     are *api.Error, with their code.
package client
