package tui

import (
	"fmt"
	"time"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
)

// replacedLook is how often an installation of another version is looked for, while there is
// something to do anyway.
const replacedLook = 30 * time.Second

// replacedWatch is what is known of an installation in place of this program.
type replacedWatch struct {
	asking bool
	next   time.Time // when to look again
	told   string    // the version that the person was told of
}

// followReplaced tells, after an update, how the daemon takes it, and that it may.
func (m *model) followReplaced(now time.Time) cmd {
	r := &m.replaced
	if m.opts.Replaced == nil || r.asking || now.Before(r.next) {
		return nil
	}
	if r.next.IsZero() { // it was just started
		r.next = now.Add(replacedLook)
		return nil
	}
	r.asking = true
	return m.callOr("", func(calls calls) (func(*model), error) {
		version := m.opts.Replaced(calls.ctx)
		return func(m *model) {
			m.replaced.asking, m.replaced.next = false, m.now().Add(replacedLook)
			// Once the daemon has it, noteVersions says what is to be done here.
			if version == "" || version == m.replaced.told || m.Server.Version != api.Version {
				return
			}
			m.replaced.told = version
			m.warn(fmt.Sprintf("ccdir %s is installed: `ccdir daemon restart` takes it; no agent is interrupted", textsafe.Line(version)))
		}, nil
	}, func(m *model, _ error) {
		m.replaced.asking, m.replaced.next = false, m.now().Add(replacedLook)
	})
}
