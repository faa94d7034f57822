// Package journal numbers events, makes them durable and publishes them, together
// with the sessions that they change.
//
// Contract:
//
//   - Order. Append queues. One goroutine takes everything queued, numbers the
//     events, commits them in one transaction and publishes them in that order.
//     A published message is durable. An idle journal commits at once; a busy one
//     commits what arrived during the previous commit (group commit without a delay).
//   - Overflow. When the store refuses a batch (usually ENOSPC), the batch is
//     appended to the overflow file, whose blocks were allocated beforehand. It is
//     acknowledged when it is on disk there. Until the store has everything again,
//     all later batches follow into the same backlog, and the store is retried once
//     per second with the whole backlog in one transaction. The next daemon replays
//     the file. Readers (Events, Keys, Records, KnownID, KnownKey) see both places.
//   - What may be lost. When the overflow file is full, or the file system does not
//     write in place (btrfs, ZFS), Append reports the store's error: the batch is
//     published and kept in memory (bounded, oldest events are dropped first), and is
//     lost if the daemon dies before a retry succeeds.
//   - Sessions, tasks and the arrangement of the grid are state: the newest value
//     wins. A session's value is published together with its event.
//   - Open permission requests are published and in every snapshot, but not saved:
//     their hooks ask the next daemon again.
//   - Watch takes the snapshot and subscribes in one critical section: the first
//     event after the snapshot has the number Seq+1.
//   - Watchers are bounded. One that falls behind loses its queue and gets a new
//     snapshot as its next message. Readers that need every event use Tail, which
//     reads the store by number.
//   - Back-pressure. When the queue is full, Append blocks its callers: hook calls
//     and host connections. A full queue means that the disk is slower than they are.
package journal
