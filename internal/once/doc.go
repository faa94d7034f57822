// Package once makes operations idempotent within one process: an operation has a key,
// runs at most once at a time per key, and a retry under the same key gets the outcome
// of the first run.
//
// It has three parts, of which a caller takes what it needs:
//
//   - Memory: the newest outcomes by key, bounded, first in first out.
//   - Flight: single flight, an exclusive section per key.
//   - Group: both together, for operations whose outcome lives in memory alone.
//
// Contract:
//
//   - Nothing here survives the process. Callers that must know their outcomes after a
//     restart keep them elsewhere, and use Flight around that.
//   - A key is known until Limit newer keys were put. A retry that comes later runs the
//     operation again, so the limit has to exceed the number of operations that can
//     begin while a caller still retries.
//   - A failed run is not remembered: its error goes to its own caller alone, and of
//     those that wait for the key the next one runs the operation.
//   - Waiters are served in no particular order, and each waits until its context ends.
//   - Memory is not safe for concurrent use; Flight and Group are. Neither holds a lock
//     while an operation runs.
//
// The package imports the standard library only, since hosts of sessions link it.
package once
