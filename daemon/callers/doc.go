// Package callers tells which session the process at the other end of a connection belongs to, and
// decides what it may do there.
//
// An agent runs as the same user as the person, so the user of a connection proves nothing. The
// ancestors of its process do: they lead up to the host of a session, or to this daemon, which runs
// commands for agents and programs that look at their files. On Linux hosts and the daemon are
// subreapers, so that detached processes are found too; on macOS they are not. The environment of
// the process is the second evidence, for other systems and for processes that another server
// started.
//
// Contract: an origin (api.Origin) is one of four. The zero value is the person. Inside with a
// session has that session's rights; inside without one is a process of some session, or of one of
// ccdir's tools, and has no session's rights; Nobody was started by the daemon for no session. A
// process that cannot be looked at is none of these: Identify returns an error, and its call is
// refused. An origin holds for the moment of the question; package access asks once for each
// connection to the socket, and for each call over TCP.
//
// Callers owns nothing but the rate of its records: sessions, event log, policy and tools are asked
// through the interfaces of Options. It has no goroutine, and its methods may be called at the same
// time. Identify reads some three files of /proc, and asks the session's goroutine whether the
// session speaks for the person. Permit blocks while a person is asked, Answer until the answer is
// recorded, Refused until its row is in the ledger; Permit ends with its context. Errors are one line
// for whoever called; what is refused is a row of the ledger and an event, at most one per second
// after the first twenty.
//
// Reap is for the daemon's process alone, from when it has become a subreaper.
package callers
