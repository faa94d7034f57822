package tui

import (
	"fmt"

	"ccdir/internal/keymap"
	"ccdir/tui/lists/chooser"
	"ccdir/tui/ui"
	"ccdir/tui/underway"
)

// progress is what is under way, with the key that cancels it if that key is heard now.
func (m *model) progress(env ui.Env) *underway.Progress {
	p := m.work.Progress(env.Now, m.hosts.PasteProgress(env), m.keys.Hint(keymap.CancelWork))
	if p != nil && !m.overlay.leavesPrefix() {
		p.Cancel = ""
	}
	return p
}

// cancelWork cancels what is under way; it asks what, if there is more than one
// thing.
func (m *model) cancelWork() {
	all := m.work.Items(m.now())
	for _, j := range m.prompt.Jobs() {
		all = append(all, underway.Item{ID: fmt.Sprint("text ", j.ID), Text: "sending to " + j.To, Far: fmt.Sprintf("%d/%d", j.Sent, j.Total), Cancel: func() { m.prompt.Stop(j.ID) }})
	}
	all = append(all, m.hosts.Items(&m.World, func(effects []ui.Effect) { m.carryOut(ui.Nobody, effects) })...)
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

// banner says that the daemon does not answer, what waits for it, and how to cancel that; "" if it
// answers.
func (m *model) banner() string {
	if m.Offline == "" {
		return ""
	}
	banner, _ := m.OfflineBanner()
	switch l := m.overlay.waiter(ui.Nobody); {
	case l != nil:
		banner += " · " + l.waits() + " waits for it (Esc cancels)"
	case m.prompt.Shows() && m.mode == modePrompt:
		banner += " · what you sent waits for it (" + m.keys.Hint(keymap.PromptClose) + " cancels)"
	case len(m.prompt.Jobs()) > 0:
		banner += " · what you sent waits for it (" + m.keys.Hint(keymap.CancelWork) + " cancels)"
	case m.work.Busy():
		banner += " · what was begun waits for it"
	}
	return banner
}
