// Package rawio is input and output on terminals and unix sockets for processes
// that handle one key at a time: the session's host and the grid.
//
// The runtime's own files and connections cost such a process three things that
// it does not need, and rawio leaves them out:
//
//   - A process at rest that enters a system call wakes the monitor thread of
//     the Go runtime, which then looks around every 20 µs until the process
//     rests again. Calls on non-blocking descriptors cannot block, so they are
//     made past it.
//   - The runtime's poller watches every descriptor for both directions, so a
//     writer is woken whenever the other end has read. Here only reading is
//     watched, by an epoll instance of the descriptor's own that the runtime's
//     poller watches in turn; writing only while a write has to wait.
//   - A write deadline sets a timer. TryWrite writes what goes at once.
//
// On a machine with two processors that is two thirds of the context switches
// and a third of the CPU time of a key press.
//
// Contract: Read, Write, deadlines and Close behave as those of the file or
// connection taken over. One goroutine at a time may read; writes of several
// don't mix; the rest may be called at any time. A reader that finds data again
// and again without ever waiting makes ordinary calls, so that the monitor sees
// a busy process and goes on polling and preempting. On systems other than
// Linux what was given is used as it is.
package rawio
