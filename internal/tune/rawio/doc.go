// Package rawio is input and output on terminals and unix sockets for processes that handle
// one key at a time: the session's host and the grid.
//
// The runtime's own files and connections cost such a process three things that it does not
// need, and rawio avoids them:
//
//   - When a process at rest enters a system call, it wakes the runtime's monitor thread,
//     which then polls every 20 µs until the process rests again. Calls on non-blocking
//     descriptors cannot block, so they bypass the monitor.
//   - The runtime's poller watches every descriptor for both directions, so a writer is
//     woken whenever the other end has read. Here only reading is watched, by an epoll
//     instance of the descriptor's own, which the runtime's poller watches in turn; writing
//     is watched only while a write has to wait.
//   - A write deadline sets a timer. TryWrite writes without waiting instead.
//
// On a machine with two processors this saves two thirds of the context switches and a
// third of the CPU time of a key press.
//
// Contract: Read, Write, deadlines and Close behave as those of the file or connection
// taken over. One goroutine at a time may read; concurrent writes do not mix; the other
// methods may be called at any time. A reader that finds data repeatedly without waiting
// makes ordinary calls, so that the monitor sees a busy process and keeps polling and
// preempting. On systems other than Linux the given file or connection is used unchanged.
package rawio
