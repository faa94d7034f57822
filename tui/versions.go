package tui

import (
	"fmt"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
)

// noteVersions says what an upgrade left behind: this grid, when the next daemon is
// of another version, and hosts, when the grid is opened.
func (m *model) noteVersions(s *api.Snapshot) {
	v := s.Server
	if v.Version == "" || v.PID == m.Server.PID {
		return
	}
	if v.Version != api.Version {
		m.warn(fmt.Sprintf("the daemon is ccdir %s now, this grid %s: detach and open it again for what is new", textsafe.Line(v.Version), api.Version))
		return
	}
	if m.Server.Version != "" && m.Server.Version != api.Version {
		m.say(fmt.Sprintf("the daemon is ccdir %s again, as this grid", api.Version)) // what was said is untrue now
	}
	old := 0
	for _, session := range s.Sessions {
		if ui.OlderHost(session) {
			old++
		}
	}
	if old > 0 {
		m.say(fmt.Sprintf("%s on hosts of another version than %s (%s tells): a restart of the session takes it",
			format.Plural(old, "session runs", "sessions run"), api.Version, m.keys.Hint(keymap.Overview)))
	}
}
