package copymode

import (
	"time"

	"ccdir/tui/ui"
)

// seek is a text to be shown in a pane that has just come into view; the zero value is
// none. Its host sends the picture then, which takes a moment.
type seek struct {
	session, text string
	due, until    time.Time
}

// Times of a seek: how long a picture takes that is not an old one, and how long one is
// waited for at most.
const (
	seekAfter  = 100 * time.Millisecond
	seekWithin = 3 * time.Second
)

// Seek shows the newest place of a text in the focused pane, in copy mode.
func (p *Panes) Seek(env ui.Env, session, text string) {
	p.seek = seek{session, text, env.Now.Add(seekAfter), env.Now.Add(seekWithin)}
}

// sought goes on with a seek that is due.
func (p *Panes) sought(env ui.Env) []ui.Effect {
	s := p.seek
	if s.session == "" || env.Now.Before(s.due) {
		return nil
	}
	p.seek = seek{}
	t, ok := env.Tile(s.session)
	if !ok || env.Focus != s.session {
		return nil // the person is elsewhere by now
	}
	v, effects := p.enter(t, false)
	if v == nil {
		if env.Now.Before(s.until) {
			s.due = env.Now.Add(seekAfter)
			p.seek = s
			return nil
		}
		return effects
	}
	v.openFind(true)
	v.find.typing = false
	effects = append(effects, v.search(s.text)...)
	return append(effects, v.load()...)
}
