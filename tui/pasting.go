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
	"ccdir/tui/lists/chooser"
	"ccdir/tui/pane"
	"ccdir/tui/terminal"
	"ccdir/tui/terminal/input"
	"ccdir/tui/ui"
	"ccdir/tui/underway"
	"ccdir/tui/widget/format"
)

// pasteShown is from when on a paste is shown that its program has not taken yet.
const pasteShown = 500 * time.Millisecond

// dropWithin bounds the call that cancels a paste.
const dropWithin = 10 * time.Second

// notePaste notes since when long text is on its way to a session.
func (m *model) notePaste(s pane.State, now time.Time) {
	switch {
	case s.Pasting == 0:
		delete(m.pastes, s.ID)
	case m.pastes[s.ID].IsZero():
		if m.pastes == nil {
			m.pastes = map[string]time.Time{}
		}
		m.pastes[s.ID] = now
	}
}

// kilobytes rounds up.
func kilobytes(n int) int { return (n + 1023) >> 10 }

// pasteProgress shows the first of the pastes that take long by now, that into the focused
// pane before others; nil if there is none.
func (m *model) pasteProgress(now time.Time) *underway.Progress {
	var all []string
	for _, v := range m.Sessions {
		if began := m.pastes[v.ID]; !began.IsZero() && now.Sub(began) >= pasteShown {
			all = append(all, v.ID)
		}
	}
	if p := m.incoming.progress(now); p != nil {
		p.More = len(all)
		return p
	}
	if len(all) == 0 {
		return nil
	}
	id := all[max(0, slices.Index(all, m.grid.Focus))]
	s := m.states[id]
	return &underway.Progress{What: "pasting into " + m.nameOf(id), Done: s.Pasted >> 10, Total: kilobytes(s.Pasting), Unit: " KB",
		More: len(all) - 1, Cancel: m.keys.Hint(keymap.CancelWork)}
}

// pasteStep is how long until what is shown of them changes.
func (m *model) pasteStep(now time.Time) time.Duration {
	next := m.incoming.step(now)
	for _, began := range m.pastes {
		if left := pasteShown - now.Sub(began); left > 0 {
			next = min(next, left)
		}
	}
	return next
}

// awaited says what waits for the daemon, and how to cancel it; "" if nothing does.
func (m *model) awaited() string {
	switch l := m.overlay.waiter(ui.Nobody); {
	case l != nil:
		return " · " + l.waits() + " waits for it (Esc cancels)"
	case m.prompt.Shows() && m.mode == modePrompt:
		return " · what you sent waits for it (" + m.keys.Hint(keymap.PromptClose) + " cancels)"
	case len(m.prompt.Jobs()) > 0:
		return " · what you sent waits for it (" + m.keys.Hint(keymap.CancelWork) + " cancels)"
	case m.work.Busy():
		return " · what was begun waits for it"
	}
	return ""
}

// progress is what is under way, with the key that cancels it if that key is heard now.
func (m *model) progress(now time.Time) *underway.Progress {
	p := m.work.Progress(now, m.pasteProgress(now), m.keys.Hint(keymap.CancelWork))
	if p != nil && !m.overlay.leavesPrefix() {
		p.Cancel = ""
	}
	return p
}

// cancellable is what is in flight.
func (m *model) cancellable() []underway.Item {
	all := m.work.Items(m.now())
	for _, j := range m.prompt.Jobs() {
		all = append(all, underway.Item{ID: fmt.Sprint("text ", j.ID), Text: "sending to " + j.To, Far: fmt.Sprintf("%d/%d", j.Sent, j.Total), Cancel: func() { m.prompt.Stop(j.ID) }})
	}
	for _, v := range m.Sessions {
		if s := m.states[v.ID]; s.Pasting > 0 {
			all = append(all, underway.Item{ID: "paste " + v.ID, Text: "pasting into " + m.nameOf(v.ID), Far: fmt.Sprintf("%d/%d KB", s.Pasted>>10, kilobytes(s.Pasting)), Cancel: func() { m.cancelPasting(v.ID) }})
		}
	}
	return all
}

// cancelWork cancels what is under way; it asks what, if there is more than one
// thing.
func (m *model) cancelWork() {
	all := m.cancellable()
	if len(all) == 1 {
		all[0].Cancel()
	}
	if len(all) < 2 {
		return
	}
	var picks []chooser.Pick
	var each []ui.Effect
	for _, w := range all {
		cancel := then{do: func(*model) { w.Cancel() }}
		each = append(each, cancel)
		picks = append(picks, chooser.Pick{ID: w.ID, Text: w.Text, Keys: w.Far, Effects: []ui.Effect{cancel}})
	}
	picks = append(picks, chooser.Pick{Text: "all of it", Effects: each})
	m.openOver(nil, chooser.New("cancel what is under way", "", picks))
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
func (i incoming) progress(now time.Time) *underway.Progress {
	if i.began.IsZero() || now.Sub(i.began) < pasteShown {
		return nil
	}
	return &underway.Progress{What: fmt.Sprintf("a paste comes in: %d KB so far", kilobytes(i.bytes))}
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
