package tui

import (
	"fmt"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/tui/lists/restore"
	"ccdir/tui/widget/format"
)

// followOffer asks each daemon once what it offers. A grid that was just opened
// shows it; one that somebody works in says so.
func (m *model) followOffer() cmd {
	if !m.Loaded || m.unseen || m.Offline != "" || m.opts.ReadOnly || m.Server.PID == 0 || m.Server.PID == m.offered {
		return nil
	}
	first := m.offered == 0
	m.offered = m.Server.PID
	return m.askOffer(func(m *model, o api.RestoreOffer) {
		switch {
		case len(o.Sessions) == 0:
		case first && m.overlay == nil && m.mode == modePane:
			m.open(restore.New(o, m.opts.Env))
		default:
			m.warn(fmt.Sprintf("%s can be begun again: %s", format.Plural(len(o.Sessions), "session", "sessions"), m.keys.Hint(keymap.Restore)))
		}
	})
}

// openRestore shows the offer when it was asked for.
func (m *model) openRestore() cmd {
	return m.askOffer(func(m *model, o api.RestoreOffer) {
		if len(o.Sessions) == 0 {
			m.say("nothing to restore: all that ran goes on, or was ended (`ccdir restore --kept` lists what ran before)")
			return
		}
		m.open(restore.New(o, m.opts.Env))
	})
}

func (m *model) askOffer(then func(*model, api.RestoreOffer)) cmd {
	r, can := m.opts.Client.(restore.Restorer)
	if !can {
		return nil
	}
	return m.call("asking what can be restored", func(c calls) (func(*model), error) {
		o, err := r.RestoreOffer(c.ctx, 0)
		return func(m *model) { then(m, o) }, err
	})
}
