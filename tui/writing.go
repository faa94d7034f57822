package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/tui/prompt"
	"ccdir/tui/terminal/input"
	"ccdir/tui/ui"
)

// burst takes keys that came in one read. In the prompt bar they may be a paste;
// elsewhere they are keys.
func (m *model) burst(keys []input.Key) cmd {
	var cmds []cmd
	if m.mode == modePrompt && m.overlay == nil {
		n, effects := m.prompt.Burst(m.env(), keys)
		keys = keys[n:]
		cmds = append(cmds, m.promptDoes(effects))
	}
	if m.asksNow() {
		m.pastedAt = m.now()
		return nil
	}
	for _, k := range keys {
		cmds = append(cmds, m.key(k))
	}
	return tea.Batch(cmds...)
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
func (m *model) openPrompt(anew bool, to []string) cmd {
	m.mode = modePrompt
	return m.promptDoes(m.prompt.Open(m.env(), anew, to))
}

// promptDoes carries out what the prompt bar asks for.
func (m *model) promptDoes(effects []ui.Effect) cmd { return m.carryOut(partPrompt, effects) }

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
