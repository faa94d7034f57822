package sessions

import (
	"strings"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/wire"
)

// An agent that fails before it takes a prompt (an unknown conversation, a bad option) says
// why on its screen. These last words become the session's error.

// maxLastWords bounds them, in runes.
const maxLastWords = 500

// readLastWords reads the screen of a process that has ended with that code, if it is an
// agent's that took no prompt; in the actor.
func (s *session) readLastWords(code int) {
	if code == 0 || s.prompted || s.outside || s.fold.Killed || !s.adapter.Managed() || s.spec.Run != nil && s.spec.Run.Print {
		return
	}
	hf := s.host
	s.r.wg.Go(func() {
		out, err := s.r.Buffer(s.ctx, s.id, wire.OutputParams{Format: wire.FormatText})
		words := lastWords(out.Text)
		if err != nil || words == "" {
			return
		}
		_ = s.do(s.ctx, func() { // fails only if the session is gone
			if same(s.host, hf) && s.fold.State == api.StateExited && s.cur.Error == "" {
				s.cur.Error = words
				s.publish(change{}, true)
			}
		})
	})
}

// lastWords is the last paragraph of a screen, in one line.
func lastWords(screen string) string {
	lines := strings.Split(strings.TrimRight(screen, " \t\r\n"), "\n")
	from := len(lines)
	for from > 0 && strings.TrimSpace(lines[from-1]) != "" {
		from--
	}
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return agents.Visible(strings.Join(lines[from:], " "), maxLastWords)
}
