// Package pane is one session as the grid follows it: the connection to the session's
// host, the picture that the host sends, and the way of what is typed into it. It knows
// no model and no terminal.
//
// A [Pane]'s goroutine, between Start and Close, dials the host, again and again if it
// has to, lays frames into the picture and writes the input; it owns what it starts and
// waits for it. All other methods may be called from any goroutine. None of them
// blocks but SendSoon (for RoomWithin), Close, Request and what CancelLong returns.
//
// Pictures and states are latest-wins: a reader sees the newest picture (Read), and
// report and wake, which must not block either, are told that there is one, not each.
// They are called on the goroutine that made the change, never while a lock is held.
//
// Input keeps its order, also between the two ways to the program: by the host, and
// straight into the terminal (the direct line), which is taken only while nothing that
// was given to the pane before is under way. It is lost in three cases, each told by the
// [State] or asked for: its queue of InputQueue is full, because the program does not
// read; the connection ends before it is sent, because nothing typed before a loss may
// arrive after it; the person cancels long text.
//
// The lock is a leaf: nothing is called while it is held but Read's function, which must
// not call the pane.
package pane
