// Package journal is the one place where events are numbered, made durable and
// shown, together with the sessions that they change.
//
// Contract:
//
//   - Order. Append queues; one goroutine takes everything queued, gives
//     events their numbers, commits them in one transaction, and then
//     publishes them in that order. What a watcher or a reply tells of is on
//     disk. An idle log commits at once; a busy one commits what gathered
//     while the commit before was under way (group commit without waiting).
//   - Sessions are state: the newest value wins. A session's value is
//     published together with the event that it came with.
//   - Open permission requests are state too, and in every snapshot; nothing of
//     them is saved, because their hooks ask the next daemon.
//   - Watch takes the snapshot and subscribes in one critical section: the
//     first event after the snapshot has the number Seq+1.
//   - Watchers are bounded. One that falls behind its queue loses it and gets
//     a new snapshot as its next message: coarser, never a queue that grows
//     and never a silent loss. Readers that want each event read the store by
//     number (Tail does).
//   - Back-pressure. When the queue of Append is full, Append blocks: its
//     callers are hook calls and host connections, which wait.
//   - A commit that fails does not stop the service: what could not be saved is
//     kept (bounded), shown, and saved with a later commit.
package journal
