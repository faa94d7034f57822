package sessions

import (
	"context"
	"errors"
	"time"

	"ccdir/internal/agents"
	"ccdir/internal/api"
	"ccdir/internal/config"
	"ccdir/internal/hostwire"
)

const (
	// screenQuiet is how long a screen must stand still to be looked at: longer
	// than the pauses while an application draws.
	screenQuiet = 80 * time.Millisecond
	// screenLimit is how often one that keeps moving is looked at.
	screenLimit = 400 * time.Millisecond
)

// screenRules are the rules of this session under the configuration in force.
func (s *session) screenRules() []agents.ScreenRule {
	cfg := s.r.o.Config()
	configured := cfg.Agents[s.spec.Agent].Screen
	if s.spec.Agent == config.CommandAgent {
		configured = cfg.Command.Screen
	}
	return agents.ScreenRules(configured, s.adapter)
}

// looks tells whether the screen may say something now: not where the agent says
// more itself.
func (f *Fold) looks() bool {
	return !f.State.Ended() && !f.Killed && f.Status == "" && !(f.Managed && f.Begun)
}

// lookAgain tells followScreen that looks may have changed; in the actor.
func (s *session) lookAgain() {
	if looks := s.fold.looks(); looks != s.looking {
		s.looking = looks
		select {
		case s.lookWake <- struct{}{}:
		default:
		}
	}
}

// followScreen asks the host for the screen's text as long as it is of use. It
// runs in its own goroutine, until ctx ends or the link fails.
func (s *session) followScreen(ctx context.Context, l *link, rules []agents.ScreenRule) {
	lines := agents.ScreenLines(rules)
	if lines == 0 {
		return
	}
	told := false
	for {
		want := false
		if s.do(ctx, func() { want = s.fold.looks() }) != nil {
			return
		}
		if want != told {
			p := hostwire.ScreenParams{QuietMS: int(screenQuiet / time.Millisecond), LimitMS: int(screenLimit / time.Millisecond)}
			if want {
				p.Lines = lines
			}
			call, cancel := context.WithTimeout(ctx, requestTimeout)
			err := l.call(call, hostwire.MethodScreen, p, nil)
			cancel()
			if err != nil {
				if ctx.Err() == nil && !errors.Is(err, errNoHost) { // a host of an older version
					s.r.log.Warn("a host does not tell what its screen shows; restart the session for that", "session", s.id, "error", err)
				}
				return
			}
			told = want
		}
		select {
		case <-s.lookWake:
		case <-ctx.Done():
			return
		}
	}
}

// lookAt weighs what the rules say of a screen. The patterns run in the goroutine
// that reads from the host, not in the actor.
func (s *session) lookAt(ctx context.Context, rules []agents.ScreenRule, m hostwire.Screen) {
	at := m.At.UTC()
	if at.IsZero() {
		at = s.r.now()
	}
	e := agents.LookAt(rules, s.adapter.Managed(), m.Text, m.Moving, at)
	s.tell(ctx, func() {
		if s.fold.looks() {
			s.weigh(e, change{})
		}
	})
}

// byScreen: the screen gave the state.
func byScreen(f *Fold, _ *api.Evidence) bool {
	return f.Winner != nil && f.Winner.Source == api.SourceScreen
}
