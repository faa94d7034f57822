// Package pane follows one session: the connection to its host, the picture that the host
// sends, and the input for its program. It knows no model and no terminal.
//
// Between Start and Close the goroutine of a [Pane] dials the host, redials after a loss,
// applies frames to the picture and sends the input; it waits for the goroutines that it
// starts. All other methods may be called from any goroutine. Only SendSoon (for
// RoomWithin), Close, Request and the function that CancelLong returns block.
//
// Pictures and states are latest-wins: Read gives the newest picture; Config.Report and
// Config.Wake say that there is a newer one, and need not be called for each. They are
// called on the goroutine that made the change, without a lock, and must not block.
//
// Input keeps its order across the two ways to the program: over the host, and straight
// into the PTY (the direct line). The direct line is used only while everything given to
// the pane before has been sent. Input is lost in three cases, which the [State] reports
// unless the person asked for it: the queue of InputQueue is full because the program does
// not read; the connection ends before it is sent (input from before a loss must not arrive
// after it); the person cancels long text.
//
// The lock is a leaf: only Read's function is called while it is held, and must not call
// the pane.
package pane
