package tui

import (
	"fmt"
	"time"

	"ccdir/tui/terminal/input"
)

// incoming is a paste that the terminal has begun to send: on a slow line it takes long
// until it is all here, and whatever is typed meanwhile comes behind it.
type incoming struct {
	began time.Time // zero: there is none
	bytes int       // that are here
}

// incomingMsg tells the program of such a paste; all: it is here.
type incomingMsg struct {
	at    time.Time
	bytes int
	all   bool
}

// incomingStep is how often the program is told how far a paste is.
const incomingStep = 100 * time.Millisecond

// tell tells the program of a paste that has begun and not ended with a read, and of its
// end.
func (r *reader) tell(dec *input.Decoder, at time.Time) {
	switch size, pasting := dec.Pasting(); {
	case !pasting && !r.toldPaste.IsZero():
		r.toldPaste = time.Time{}
		r.program(incomingMsg{at: at, all: true})
	case pasting && at.Sub(r.toldPaste) >= incomingStep:
		r.toldPaste = at
		r.program(incomingMsg{at: at, bytes: size})
	}
}

// comes takes how far a paste is.
func (m *model) comes(msg incomingMsg) {
	i := &m.incoming
	switch {
	case msg.all:
		*i = incoming{}
		return
	case i.began.IsZero():
		i.began = msg.at
	}
	i.bytes = msg.bytes
}

// progress shows it when it takes long; nil if there is none or if it does not.
func (i incoming) progress(now time.Time) *progress {
	if i.began.IsZero() || now.Sub(i.began) < pasteShown {
		return nil
	}
	return &progress{what: fmt.Sprintf("a paste comes in: %d KB so far", kilobytes(i.bytes))}
}

// step is how long until it is to be shown.
func (i incoming) step(now time.Time) time.Duration {
	left := pasteShown - now.Sub(i.began)
	if i.began.IsZero() || left <= 0 {
		return 1<<63 - 1
	}
	return left
}
