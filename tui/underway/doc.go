// Package underway keeps what the grid has begun away from its own goroutine and waits for:
// calls of the daemon, batches of calls, streams, and the queue's calls, which are made one after
// the other. What takes long is shown as Progress, and what a person began can be cancelled.
//
// Work belongs to the program's goroutine. It makes commands, which run elsewhere and bring
// messages (Over, Streamed, Crash); what follows from a message is an Outcome, which the grid
// carries out. What is bounded: batches (mostBatches), waiting calls of the queue
// (mostQueueSteps), values of a stream that wait for the program (streamAhead).
package underway

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/internal/text/textsafe"
	"ccdir/tui/ui"
)

// Within bounds a call of the daemon; patientWithin one that a person can cancel: long enough
// for a daemon that somebody has to bring back.
const (
	within        = 30 * time.Second
	patientWithin = time.Hour
)

// Outbox is what an update has caused so far: commands, which the program runs.
type Outbox []tea.Cmd

// Put adds a command, if it is one.
func (o *Outbox) Put(c tea.Cmd) {
	if c != nil {
		*o = append(*o, c)
	}
}

// Take returns all of them as one, and begins anew.
func (o *Outbox) Take() tea.Cmd {
	all := *o
	*o = nil
	return tea.Batch(all...)
}

// Way is how work leaves the program.
type Way struct {
	Ctx    context.Context // of the program
	Client ui.Client       // not nil
	Out    *Outbox
	// Waits is told of each command that waits for something else than the daemon's answer; it
	// gives it back.
	Waits func(tea.Cmd) tea.Cmd
}

// Work is what is under way; the zero value is nothing. The slices are replaced, never changed in
// place.
type Work struct {
	last    uint64   // number of the batch or call that was begun last
	batches []*batch // the oldest first
	calls   []*Call  // that a person began
	turns   ui.Turns
	streams map[ui.ID]*stream // of open components
	queue   queueSteps
}

// Over is the message that something away from the program is over.
type Over struct {
	ui.Result
	Err error
	// follows is what follows from it; nil: an error is told as that of What.
	follows func(w *Work, way Way, env ui.Env, r ui.Result, err error) Outcome
	What    string
}

// Crash is the message that a command has panicked: the program ends with that.
type Crash struct{ Err error }

// Outcome is what follows from a message. The grid carries Effects out, then what Then says,
// then tells To the value and the error if Tells, then carries Last out.
type Outcome struct {
	To      ui.ID
	Effects []ui.Effect
	// Then, if not nil, is asked when Effects are carried out. With Own it is not asked while To
	// is open: it tells that itself.
	Then  func(ui.Env) []ui.Effect
	Own   bool
	Tells bool
	Value any
	Err   error
	Last  []ui.Effect
}

// Took takes the message that something is over.
func (w *Work) Took(way Way, env ui.Env, msg Over) Outcome {
	if msg.follows != nil {
		return msg.follows(w, way, env, msg.Result, msg.Err)
	}
	return Outcome{Effects: failed(msg.What, msg.Err)}
}

// failed says that something has failed, if it has, and is named.
func failed(what string, err error) []ui.Effect {
	if err == nil || what == "" {
		return nil
	}
	return []ui.Effect{ui.Warn{Text: ui.Failure(what, err)}}
}

// away runs f away from the program, for so long at most and until ctx ends.
func away(ctx context.Context, way Way, most time.Duration, f func(context.Context, ui.Client) (ui.Result, error), over Over) {
	client := way.Client
	way.Out.Put(func() (msg tea.Msg) {
		defer func() {
			if r := recover(); r != nil {
				msg = Crash{&PanicError{Value: r, Stack: debug.Stack()}}
			}
		}()
		if over.Err = ctx.Err(); over.Err != nil {
			return over
		}
		ctx, cancel := context.WithTimeout(ctx, most)
		defer cancel()
		over.Result, over.Err = f(ctx, client)
		return over
	})
}

// PanicError is a bug: a part of the grid panicked. The terminal was restored
// and the sessions are not affected.
type PanicError struct {
	Value any
	Stack []byte
}

// Error is one line; Stack has the rest.
func (e *PanicError) Error() string {
	return fmt.Sprintf("the grid crashed (%s); the sessions go on: run ccdir again", textsafe.Line(fmt.Sprint(e.Value)))
}
