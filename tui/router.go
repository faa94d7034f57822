package tui

import (
	"sync/atomic"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"ccdir/tui/pane"
	"ccdir/tui/terminal/input"
	"ccdir/wire"
)

// route is where the reader may send keys without asking the program: to pane,
// unless it is nil or the key is the prefix key.
type route struct {
	pane   *pane.Pane
	prefix string
}

// router is what reader and program share: the route that holds, and how many
// inputs are under way to the program. As long as there are any the reader goes
// on handing everything to the program, so that nothing overtakes.
type router struct {
	now     atomic.Pointer[route]
	pending atomic.Int64
	typedAt atomic.Int64  // unix nanoseconds of the last input
	lead    atomic.Uint32 // the byte of the prefix key (see prefixByte)
}

func (r *router) set(n route) {
	if old := r.now.Load(); old == nil || *old != n {
		r.now.Store(&n)
	}
}

// direct is the pane to which a key goes at once, nil if the program has to
// decide.
func (r *router) direct(name string) *pane.Pane {
	if r.pending.Load() != 0 {
		return nil
	}
	at := r.now.Load()
	if at == nil || name == at.prefix {
		return nil
	}
	return at.pane
}

// handled tells that the program has dealt with one input.
func (r *router) handled() { r.pending.Add(-1) }

// touched remembers that a person has just typed into the focused pane.
func (r *router) touched(at time.Time) { r.typedAt.Store(at.UnixNano()) }

// keyInput is a key for a host. What an input method commits at once (several
// characters) has no name and is text as it is.
func keyInput(name string, k tea.Key) *wire.Input {
	if input.IsText(k) && utf8.RuneCountInString(k.Text) > 1 {
		return &wire.Input{Type: wire.InputRaw, Text: []byte(k.Text)}
	}
	return &wire.Input{Type: wire.InputKey, Text: []byte(name)}
}

// directText is the text that a key types if it may pass by the host: it means the
// same to every program, and nothing to the session's state. Digits do: they answer
// dialogs.
func directText(k input.Key) string {
	text := typedText(k)
	if len(text) == 1 && text[0] >= '0' && text[0] <= '9' {
		return ""
	}
	return text
}
