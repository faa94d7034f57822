package tui

import (
	"fmt"
	"time"

	"ccdir/tui/terminal"
)

// incoming is a paste that the terminal has begun to send: on a slow line it takes long
// until it is all here, and whatever is typed meanwhile comes behind it.
type incoming struct {
	began time.Time // zero: there is none
	bytes int       // that are here
}

// comes takes how far a paste is.
func (m *model) comes(msg terminal.Incoming) {
	i := &m.incoming
	switch {
	case msg.All:
		*i = incoming{}
		return
	case i.began.IsZero():
		i.began = msg.At
	}
	i.bytes = msg.Bytes
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
