package tui

import (
	"fmt"

	"ccdir/internal/keymap"
	"ccdir/tui/lists/chooser"
	"ccdir/tui/ui"
	"ccdir/tui/underway"
)

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
func (m *model) progress(env ui.Env) *underway.Progress {
	p := m.work.Progress(env.Now, m.hosts.PasteProgress(env), m.keys.Hint(keymap.CancelWork))
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
	return append(all, m.hosts.Items(&m.World, func(effects []ui.Effect) { m.carryOut(ui.Nobody, effects) })...)
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
