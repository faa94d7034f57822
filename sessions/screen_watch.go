package sessions

import (
	"context"
	"errors"
	"time"

	"ccdir/agents"
	"ccdir/config"
	"ccdir/sessions/hostlink"
	"ccdir/sessions/state"
	"ccdir/wire"
)

const (
	// screenQuiet is how long a screen must stand still to be looked at: longer
	// than the pauses while an application draws.
	screenQuiet = 80 * time.Millisecond
	// screenLimit is how often one that keeps moving is looked at.
	screenLimit = 400 * time.Millisecond
)

// turnQuiet is how long a screen must stand still to be looked at for signs of a
// turn: an answer is painted in one piece.
const turnQuiet = 5 * time.Millisecond

// screenRules are the rules of this session under the configuration in force.
func (s *session) screenRules() []agents.ScreenRule {
	cfg := s.r.o.Config()
	configured := cfg.Agents[s.spec.Agent].Screen
	if s.spec.Agent == config.CommandAgent {
		configured = cfg.Command.Screen
	}
	return agents.ScreenRules(configured, s.adapter)
}

// lookReason is what a screen is looked at for.
type lookReason int

const (
	lookNothing lookReason = iota
	lookRules              // the state, by rules
	lookDialog             // the end of the dialog that is open
	lookKey                // what comes of a key, for a while
)

// lookout is what is wanted of the host's screen at the moment; the zero value is
// nothing.
type lookout struct {
	lines int
	quiet time.Duration
	turns bool // signs of the turn, and not the rules
	// until is when that ends by itself; zero: never.
	until time.Time
}

// lookout is what is wanted under these rules; in the actor.
func (s *session) lookout(rules []agents.ScreenRule) (l lookout) {
	s.looking = s.why()
	if s.looking == lookRules {
		if n := agents.ScreenLines(rules); n > 0 {
			return lookout{lines: n, quiet: screenQuiet}
		}
		return lookout{}
	}
	if _, ok := s.adapter.(agents.TurnSigns); !ok || s.looking == lookNothing {
		return lookout{}
	}
	l = lookout{lines: agents.TurnLines, quiet: turnQuiet, turns: true}
	if s.looking == lookKey {
		l.until = s.fold.Pressed.Add(state.KeyTime)
	}
	return l
}

// lookAgain tells followScreen that what is wanted may have changed; in the actor.
func (s *session) lookAgain() {
	if why := s.why(); why != s.looking {
		s.looking = why
		nudge(s.lookWake)
	}
}

// why is what the screen is looked at for; in the actor.
func (s *session) why() lookReason {
	switch {
	case s.fold.UsesScreen():
		return lookRules
	case !s.fold.WatchesTurn(s.r.now()):
		return lookNothing
	case s.fold.State.NeedsPerson():
		return lookDialog
	}
	return lookKey
}

// followScreen asks the host for the screen's text as long as it is of use. It
// runs in its own goroutine, until ctx ends or the link fails.
func (s *session) followScreen(ctx context.Context, l *hostlink.Link, rules []agents.ScreenRule) {
	told := lookout{}
	end := time.NewTimer(time.Hour)
	defer end.Stop()
	for {
		var want lookout
		if s.do(ctx, func() {
			if want = s.lookout(rules); want.turns && !told.turns {
				s.weigh(agents.TurnUnknown.Evidence(s.r.now()), change{}) // what was seen before is of long ago
			}
		}) != nil {
			return
		}
		if want.lines != told.lines || want.quiet != told.quiet || want.turns != told.turns {
			p := wire.ScreenParams{Lines: want.lines, QuietMS: int(want.quiet / time.Millisecond), LimitMS: int(screenLimit / time.Millisecond)}
			call, cancel := context.WithTimeout(ctx, requestTimeout)
			err := l.Call(call, wire.MethodScreen, p, nil)
			cancel()
			if err != nil {
				if ctx.Err() == nil && !errors.Is(err, hostlink.ErrNoHost) { // a host of an older version
					s.r.log.Warn("a host does not tell what its screen shows; restart the session for that", "session", s.id, "error", err)
				}
				return
			}
			told = want
		}
		var over <-chan time.Time
		if !want.until.IsZero() {
			end.Reset(want.until.Sub(s.r.now()))
			over = end.C
		}
		select {
		case <-s.lookWake:
		case <-over:
		case <-ctx.Done():
			return
		}
	}
}

// lookAt weighs what is seen on a screen. The patterns run in the goroutine that
// reads from the host, not in the actor.
func (s *session) lookAt(ctx context.Context, rules []agents.ScreenRule, m wire.Screen) {
	at := m.At.UTC()
	if at.IsZero() {
		at = s.r.now()
	}
	var sign agents.TurnSign
	if adapter, ok := s.adapter.(agents.TurnSigns); ok && !m.Moving {
		sign = adapter.TurnSign(m.Text)
	}
	e := agents.LookAt(rules, s.adapter.Managed(), m.Text, m.Moving, at)
	s.tell(ctx, func() {
		switch {
		case s.fold.UsesScreen():
			s.weigh(e, change{})
		case s.fold.WatchesTurn(s.r.now()) && sign != agents.TurnUnknown && string(sign) != s.fold.Sign:
			e := sign.Evidence(at)
			if e.Says == s.fold.State {
				e.Says = "" // no news, and none for `ccdir explain`
			}
			s.weigh(e, change{})
		}
	})
}

// nudge sends to wake unless a wake-up is pending already.
func nudge(wake chan<- struct{}) {
	select {
	case wake <- struct{}{}:
	default:
	}
}
