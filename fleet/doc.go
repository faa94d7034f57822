// Package fleet is the queue of a fleet: several machines that share one queue of tasks on NATS JetStream.
//
// Contract:
//
//   - One server leads at a time (Lead). It owns an orchestrator.Queue with places, whose store is the
//     stream QUEUE (Log): each commit expects the sequence of the one before, so that a leader which was
//     deposed cannot commit. What is acknowledged is on the server's disk: servers that do not sync each
//     write are refused (Check).
//   - A machine takes part by a Member beside its daemon, over an outgoing connection. It tells of itself,
//     takes orders, asks the leader for each attempt (a claim) before it gives that to its daemon, and
//     reports what becomes of it until the leader has saved it. The daemon's own queue, policy, approvals
//     and ledger do the rest.
//   - An attempt is started at most once: claims are saved before they are answered and refused for
//     attempts that were given anew; the daemon takes a request once.
//   - Everything here blocks until NATS or the daemon has answered, or its context ends.
//
// Only this package, its folders and cmd/ccdir-fleet import NATS.
package fleet
