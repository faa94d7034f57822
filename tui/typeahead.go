package tui

import (
	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/pane"
	"ccdir/tui/terminal"
	"ccdir/tui/terminal/input"
	"ccdir/tui/ui"
)

// Keys typed while a dialog waits for the daemon are typeahead: they are for the session
// that the dialog starts, or for the pane whose request was answered. They are kept and
// handled when the wait has succeeded; if it fails, they are dropped.

// Limits of the typeahead: fewer inputs than a pane's queue has room for, and bytes of
// pastes.
const (
	mostTypeahead      = pane.InputQueue / 2
	mostTypeaheadBytes = 16 << 20
)

// typeahead are the keys typed while a dialog waits; zero: none.
type typeahead struct {
	typed []terminal.Typed
	size  int // bytes of pastes
	// ready: the dialog has what it waited for.
	ready bool
	// session is the one that was started, "" if the dialog waited for something else.
	session string
}

// typedAhead takes a key while a component waits.
func (m *model) typedAhead(l *layer, k input.Key) {
	switch {
	case k.Name == "Escape" && m.Offline != "" && l.call != nil:
		l.call.Cancel() // the component stays and says what is known of it
	case k.Name == "Escape", k.Name == "C-c" && l.call == nil: // else it is for the session that starts
		m.overlay = l.under
		m.typeahead = typeahead{}
	case m.typeahead.cancels(m.keys, k) && l.call != nil:
		m.typeahead = typeahead{}
		l.call.Cancel()
	default:
		if r, ok := l.Component.(ui.Repeater); ok && len(m.typeahead.typed) == 0 && r.Repeats(m.env(), k) {
			break
		}
		m.carryOut(ui.Nobody, m.typeahead.keep(terminal.Typed{Key: &k, At: k.At}))
	}
}

// keep keeps what was typed while a dialog waits, or says that there is no room.
func (h *typeahead) keep(t terminal.Typed) []ui.Effect {
	if len(h.typed) >= mostTypeahead || h.size+len(t.Paste) > mostTypeaheadBytes {
		return []ui.Effect{ui.Warn{Text: "too much was typed while the dialog waits: the rest was dropped"}}
	}
	h.typed, h.size = append(h.typed, t), h.size+len(t.Paste)
	return nil
}

// cancels reports whether k and the last key of the typeahead, the prefix key, cancel
// what the dialog waits for. That works at once: a daemon that hangs would never answer.
func (h *typeahead) cancels(keys *keymap.Map, k input.Key) bool {
	n := len(h.typed)
	if n == 0 || h.typed[n-1].Key == nil || h.typed[n-1].Key.Name != keys.Prefix() {
		return false
	}
	b, ok := keys.Lookup(k.Name)
	return ok && b.Action == keymap.CancelWork
}

// playTypeahead handles the typeahead once the dialog has what it waited for. It drops
// that of a dialog that has gone otherwise.
func (m *model) playTypeahead() {
	h := m.typeahead
	if !h.ready && m.overlay.waits() != "" {
		return
	}
	m.typeahead = typeahead{}
	if !h.ready {
		return
	}
	if h.session != "" && m.grid.Focus != h.session && len(h.typed) > 0 {
		m.warn("what you typed was not sent: " + textsafe.Line(m.AllNames()[h.session]) + " has lost the focus")
		return
	}
	for i, t := range h.typed {
		if m.overlay.waits() != "" { // by one of these keys: the rest is for what comes after that
			for _, t := range h.typed[i:] {
				m.carryOut(ui.Nobody, m.typeahead.keep(t))
			}
			break
		}
		m.typed(t)
	}
	m.settle()
}

// focusStarted gives a session that was started the focus, unless something was typed
// since, which typed is the time of: the focus is not taken from under a person's hands.
func (m *model) focusStarted(v api.Session, typed int64) {
	if m.router.LastInput() == typed {
		m.setFocus(v.ID)
		return
	}
	m.say(textsafe.Line(v.Name) + " has started; " + m.keys.Hint(keymap.Picker) + " goes to it")
}
