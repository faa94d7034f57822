package tui

import (
	"cmp"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/prompt"
	"ccdir/tui/terminal"
	"ccdir/tui/terminal/input"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
	"ccdir/wire"
)

// escapeGrace is how long after an Escape that closed something of ccdir's, or after one
// that was withheld, another Escape is not sent to the pane. A person who presses it once
// too often means ccdir; the agent would take it for "interrupt" or "cancel".
const escapeGrace = 500 * time.Millisecond

const escapeKey = "Escape"

// key handles a key, and keeps an Escape too many from the pane.
func (m *model) key(k input.Key) {
	m.grid.Released() // a release that was lost must not hold the panes
	open := m.takesKeys()
	if k.Name == escapeKey && !open && k.At.Before(m.escapeUntil) {
		m.escapeUntil = k.At.Add(escapeGrace)
		name := "the pane"
		if v := m.focused(); v != nil {
			name = textsafe.Line(v.Name)
		}
		m.say("Esc was not sent to " + name + ": it followed one that closed something; press it once more")
		return
	}
	m.pressed(k)
	if k.Name == escapeKey && open && !m.takesKeys() {
		m.escapeUntil = k.At.Add(escapeGrace)
	}
}

// takesKeys reports whether keys go to something of ccdir's and not to a pane.
func (m *model) takesKeys() bool {
	return m.overlay != nil || m.mode != modePane || m.copies.On(m.grid.Focus)
}

// typed handles what the reader handed over.
func (m *model) typed(t terminal.Typed) {
	switch {
	case t.Key != nil:
		m.key(*t.Key)
	case t.Burst != nil:
		m.burst(t.Burst)
	case t.TooLong:
		m.warn("the paste was dropped: it is larger than 15 MiB")
	case t.Paste != nil:
		m.paste(t.Paste)
	case t.Event != nil:
		m.pointed = t.At
		m.event(t.Event)
	}
}

// pressed decides who gets a key: the dialog, ccdir after the prefix key, the
// prompt bar, or the focused pane.
func (m *model) pressed(pressed input.Key) {
	if pressed.Name == "" {
		return
	}
	k := pressed.Main()
	if said := m.attention.Here(); said != "" && m.notice.text == said {
		m.notice = notice{}
	}
	if m.overlay.asks() && k.Plain() && (k.At.Sub(m.pastedAt) < prompt.PasteGap || m.prompt.Pasting(k.At)) {
		return // the end of a paste that was sent as keys
	}
	if m.overlay != nil && !(k.Name == m.keys.Prefix() && m.overlay.yieldsPrefix()) {
		m.overlay.key(m, k)
		return
	}
	if m.mode == modePrefix {
		m.mode = modePane
		m.command(k)
		return
	}
	if k.Name == m.keys.Prefix() {
		m.overlay = nil
		m.mode, m.prefixAt = modePrefix, cmp.Or(k.At, m.now())
		m.notice = notice{}
		return
	}
	m.grid.Lay(&m.World, m.room()) // several keys may come at once
	if m.offer(func(p ui.Part, env ui.Env) ([]ui.Effect, bool) { return p.Key(env, k) }) {
		return
	}
	if m.focused() == nil {
		m.command(k)
		return
	}
	m.toPane(pressed)
}

// burst takes keys that came in one read. In the prompt bar they may be a paste;
// elsewhere they are keys.
func (m *model) burst(keys []input.Key) {
	if m.mode == modePrompt && m.overlay == nil {
		n, effects := m.prompt.Burst(m.env(), keys)
		keys = keys[n:]
		m.carryOut(ui.Prompt, effects)
	}
	if m.overlay.asks() {
		m.pastedAt = m.now()
		return
	}
	for _, k := range keys {
		m.key(k)
	}
}

// paste goes where keys go.
func (m *model) paste(text []byte) {
	switch {
	case m.overlay != nil:
		m.overlay.paste(m, string(text))
	case m.offer(func(p ui.Part, env ui.Env) ([]ui.Effect, bool) { return p.Paste(env, text) }):
	case m.focused() != nil:
		m.toPaneInput(&wire.Input{Type: wire.InputPaste, Text: text})
	}
}

// offer offers input to the parts, one after the other, and reports whether one took it.
func (m *model) offer(f func(ui.Part, ui.Env) ([]ui.Effect, bool)) bool {
	for i, p := range m.parts {
		effects, taken := f(p, m.env())
		if m.carryOut(ui.ID(i+1), effects); taken {
			return true
		}
	}
	return false
}

// toPane gives a key to the focused pane.
func (m *model) toPane(k input.Key) { m.toPaneInput(terminal.KeyInput(k)) }

func (m *model) toPaneInput(in *wire.Input) {
	v := m.focused()
	switch {
	case v == nil:
	case m.opts.ReadOnly:
		m.warn("attached read-only: keys go nowhere; " + m.keys.Hint(keymap.Detach) + " leaves")
	case v.State.Ended():
		m.warn("this session has ended: " + m.keys.Hint(keymap.Restart) + " starts it again, " + m.keys.Hint(keymap.Kill) + " removes it")
	case !v.Away.IsZero():
		m.refuseAway(v)
	case m.wakes(v):
		m.wakeBy(*v, in)
	default:
		effects, swallowed := m.grid.Swallows(&m.World, m.now())
		if m.carryOut(ui.Grid, effects); swallowed {
			return
		}
		if p := m.hosts.Panes[v.ID]; p != nil {
			p.Send(in)
		}
	}
}

// refuseAway refuses input for a session whose machine does not answer, with a bell: it is not
// kept, because nobody can see what it would do.
func (m *model) refuseAway(v *api.Session) {
	age := format.Seconds(m.now(), v.Away)
	m.warn(strings.TrimSpace(textsafe.Line(v.Node) + " has not answered for " + age + ": nothing is typed there until it does"))
	if m.emit != nil {
		m.emit([]byte("\a"))
	}
}
