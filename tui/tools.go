package tui

import (
	"ccdir/internal/keymap"
	"ccdir/tui/floating"
	"ccdir/tui/ui"
)

// ofAgent are the actions that are about the session below a floating tool, not about the tool.
var ofAgent = map[keymap.Action]bool{
	keymap.Prompt: true, keymap.Messages: true, keymap.Policy: true, keymap.PullReq: true, keymap.FailedLog: true, keymap.Attention: true,
}

// openTool opens a tool beside the focused session, shows it, or hides it.
func (m *model) openTool(name string) {
	c, effects := floating.Press(m.env(), floating.Find(m.opts.Tools, name))
	if c == nil {
		m.carryOut(ui.Nobody, effects)
		return
	}
	m.openOver(nil, c)
	m.carryOut(m.overlay.id, effects)
}
