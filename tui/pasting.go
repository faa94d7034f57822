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
	"ccdir/tui/terminal"
	"ccdir/tui/terminal/input"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
)

// pasteShown is from when on a paste is shown that its program has not taken yet.
const pasteShown = 500 * time.Millisecond

// dropWithin bounds the call that cancels a paste.
const dropWithin = 10 * time.Second

// notePaste notes since when long text is on its way to a session.
func (w *works) notePaste(s pane.State, now time.Time) {
	switch {
	case s.Pasting == 0:
		delete(w.pastes, s.ID)
	case w.pastes[s.ID].IsZero():
		if w.pastes == nil {
			w.pastes = map[string]time.Time{}
		}
		w.pastes[s.ID] = now
	}
}

// kilobytes rounds up.
func kilobytes(n int) int { return (n + 1023) >> 10 }

// pasteProgress shows the first of the pastes that take long by now, that into the focused
// pane before others; nil if there is none.
func (m *model) pasteProgress(now time.Time) *progress {
	var all []string
	for _, v := range m.Sessions {
		if began := m.pastes[v.ID]; !began.IsZero() && now.Sub(began) >= pasteShown {
			all = append(all, v.ID)
		}
	}
	if p := m.incoming.progress(now); p != nil {
		p.more = len(all)
		return p
	}
	if len(all) == 0 {
		return nil
	}
	id := all[max(0, slices.Index(all, m.grid.Focus))]
	s := m.states[id]
	return &progress{what: "pasting into " + m.nameOf(id), done: s.Pasted >> 10, total: kilobytes(s.Pasting), unit: " KB",
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

// comes takes how far it is.
func (i *incoming) comes(msg terminal.Incoming) {
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
	if m.overlay.asks() {
		m.pastedAt = m.now()
		return
	}
	for _, k := range keys {
		m.key(k)
	}
}

// openPrompt gives the keyboard to the prompt bar. With anew the text is for the sessions
// to, or for the one in focus if there are none; else for whom it was.
func (m *model) openPrompt(anew bool, to []string) {
	m.mode = modePrompt
	m.carryOut(ui.Prompt, m.prompt.Open(m.env(), anew, to))
}

// canQueue reports whether the client takes tasks.
func (g *given) canQueue() bool { _, ok := g.opts.Client.(ui.TaskAdder); return ok }

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
