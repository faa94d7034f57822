package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/pane"
	"ccdir/tui/prompt"
	"ccdir/tui/terminal"
	"ccdir/tui/terminal/input"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
)

// pasteShown is from when on a paste is shown that its program has not taken yet.
const pasteShown = 500 * time.Millisecond

// dropWithin bounds the call that cancels a paste.
const dropWithin = 10 * time.Second

// notePaste takes what a pane tells of long text.
func (m *model) notePaste(id string, old, now pane.State) {
	switch {
	case now.Pasting == 0:
		delete(m.pastes, id)
	case m.pastes[id].IsZero():
		if m.pastes == nil {
			m.pastes = map[string]time.Time{}
		}
		m.pastes[id] = m.now()
	}
	if lost := now.Lost - old.Lost; lost > 0 {
		m.warn(fmt.Sprintf("%d KB of what was pasted into %s were not written to its program", kilobytes(lost), m.nameOf(id)))
	}
}

// kilobytes rounds up.
func kilobytes(n int) int { return (n + 1023) >> 10 }

func (m *model) nameOf(id string) string {
	if v := m.session(id); v != nil {
		return textsafe.Line(v.Name)
	}
	return id
}

// slowPastes are the sessions with a paste on its way that takes long by now, the
// focused one first.
func (m *model) slowPastes(now time.Time) (out []string) {
	for _, v := range m.Sessions {
		if began := m.pastes[v.ID]; !began.IsZero() && now.Sub(began) >= pasteShown {
			out = append(out, v.ID)
		}
	}
	if at := slices.Index(out, m.grid.Focus); at > 0 {
		out[0], out[at] = out[at], out[0]
	}
	return out
}

// pasteStep is how long until a paste is to be shown.
func (m *model) pasteStep(now time.Time) time.Duration {
	next := m.incoming.step(now)
	for _, began := range m.pastes {
		if left := pasteShown - now.Sub(began); left > 0 {
			next = min(next, left)
		}
	}
	return next
}

// pasteProgress shows the first of those pastes; nil if there is none.
func (m *model) pasteProgress(now time.Time) *progress {
	all := m.slowPastes(now)
	if p := m.incoming.progress(now); p != nil {
		p.more = len(all)
		return p
	}
	if len(all) == 0 {
		return nil
	}
	s := m.states[all[0]]
	return &progress{what: "pasting into " + m.nameOf(all[0]), done: s.Pasted >> 10, total: kilobytes(s.Pasting), unit: " KB",
		more: len(all) - 1, cancel: m.keys.Hint(keymap.CancelWork)}
}

// cancelPasting cancels what is on its way to a session.
func (m *model) cancelPasting(id string) {
	p := m.panes[id]
	if p == nil {
		return
	}
	rest := p.CancelLong()
	if rest == nil {
		return
	}
	m.call(ui.Nobody, ui.Call{Run: func(ctx context.Context, _ ui.Client) (ui.Result, error) {
		ctx, cancel := context.WithTimeout(ctx, dropWithin)
		defer cancel()
		return ui.Result{}, rest(ctx)
	}, Failed: func(_ ui.Env, err error) []ui.Effect {
		return []ui.Effect{ui.Warn{Text: "the paste into " + m.nameOf(id) + " could not be cancelled: " + ui.Problem(err)}}
	}})
}

// incoming is a paste that the terminal has begun to send: on a slow line it takes long
// until it is all here, and whatever is typed meanwhile comes behind it.
type incoming struct {
	began time.Time // zero: there is none
	bytes int       // received so far
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

// burst takes keys that came in one read. In the prompt bar they may be a paste;
// elsewhere they are keys.
func (m *model) burst(keys []input.Key) {
	if m.mode == modePrompt && m.overlay == nil {
		n, effects := m.prompt.Burst(m.env(), keys)
		keys = keys[n:]
		m.carryOut(ui.Prompt, effects)
	}
	if m.asksNow() {
		m.pastedAt = m.now()
		return
	}
	for _, k := range keys {
		m.key(k)
	}
}

// asksNow reports whether keys answer a question: keys that come in one read do not.
func (m *model) asksNow() bool {
	return m.overlay.asks()
}

// pasting reports whether a key that came then belongs to a paste that the terminal
// sends as keys.
func (m *model) pasting(at time.Time) bool {
	return at.Sub(m.pastedAt) < prompt.PasteGap || m.prompt.Pasting(at)
}

// openPrompt gives the keyboard to the prompt bar. With anew the text is for the sessions
// to, or for the one in focus if there are none; else for whom it was.
func (m *model) openPrompt(anew bool, to []string) {
	m.mode = modePrompt
	m.carryOut(ui.Prompt, m.prompt.Open(m.env(), anew, to))
}

// canQueue reports whether the client takes tasks.
func (m *model) canQueue() bool { _, ok := m.opts.Client.(ui.TaskAdder); return ok }

// banner says that the daemon does not answer, and what waits for it; "" if it does.
func (m *model) banner() string {
	if m.Offline == "" {
		return ""
	}
	banner, _ := m.OfflineBanner()
	return banner + m.awaited()
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
