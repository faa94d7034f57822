package sessions

import (
	"context"
	"errors"
	"time"

	"ccdir/agents"
	"ccdir/agents/adapters"
	"ccdir/api"
	"ccdir/config"
	"ccdir/sessions/hostlink"
	"ccdir/sessions/state"
	"ccdir/wire"
)

const (
	// screenQuiet is how long a screen must stand still before it is read: longer than an
	// application pauses while it draws.
	screenQuiet = 80 * time.Millisecond
	// screenLimit is the interval at which a screen that keeps changing is read.
	screenLimit = 400 * time.Millisecond
)

// turnQuiet is the same as screenQuiet for signs of a turn, which agents paint in one
// piece.
const turnQuiet = 5 * time.Millisecond

// retryQuiet is the same as both for retries, of which a screen that keeps changing shows each
// for seconds.
const retryQuiet = time.Second

// screenRules are the session's rules under the configuration in force, or those that come with
// ccdir for that command.
func (s *session) screenRules() []agents.ScreenRule {
	cfg := s.r.o.Config()
	configured := cfg.Agents[s.spec.Agent].Screen
	if s.spec.Agent == config.CommandAgent {
		configured = cfg.Command.Screen
	}
	rules := agents.ScreenRules(configured, s.adapter)
	if known, ok := adapters.ScreensOf(s.spec.Command); ok && len(rules) == 0 && s.spec.Kind == agents.KindGeneric {
		return known.Rules
	}
	return rules
}

// lookReason is why a screen is watched.
type lookReason int

const (
	lookNothing lookReason = iota
	lookRules              // the state, by screen rules
	lookDialog             // the end of the open dialog
	lookKey                // the effect of a key, until KeyTime has passed
	lookRetry              // whether a working agent asks its API again
)

// lookout is followScreen's subscription at the host; the zero value is none.
type lookout struct {
	lines int
	quiet time.Duration
	limit time.Duration
	turns bool // watch signs of the turn, not rules
	// until is when the lookout ends by itself; zero: never.
	until time.Time
}

// lookout returns what to ask of the host; in the actor.
func (s *session) lookout(rules []agents.ScreenRule) (l lookout) {
	s.looking = s.why()
	if s.looking == lookRules {
		if n := agents.ScreenLines(rules); n > 0 {
			return lookout{lines: n, quiet: screenQuiet, limit: screenLimit}
		}
		return lookout{}
	}
	if s.looking == lookRetry {
		return lookout{lines: agents.RetryLines, quiet: retryQuiet, limit: retryQuiet}
	}
	if _, ok := s.adapter.(agents.TurnSigns); !ok || s.looking == lookNothing {
		return lookout{}
	}
	l = lookout{lines: agents.TurnLines, quiet: turnQuiet, limit: screenLimit, turns: true}
	if s.looking == lookKey {
		l.until = s.fold.Pressed.Add(state.KeyTime)
	}
	return l
}

// lookAgain wakes followScreen if the reason has changed; in the actor.
func (s *session) lookAgain() {
	if why := s.why(); why != s.looking {
		s.looking = why
		nudge(s.lookWake)
	}
}

// why is the reason to watch the screen now; in the actor.
func (s *session) why() lookReason {
	switch {
	case s.fold.UsesScreen():
		return lookRules
	case !s.fold.WatchesTurn(s.r.now()):
		if _, tells := s.adapter.(agents.RetryTeller); tells && s.fold.State == api.StateWorking && !s.fold.Killed {
			return lookRetry
		}
		return lookNothing
	case s.fold.State.NeedsPerson():
		return lookDialog
	}
	return lookKey
}

// followScreen asks the host for the screen's text while there is a reason to. It runs in a
// goroutine of its own, until ctx ends or the link fails.
func (s *session) followScreen(ctx context.Context, l *hostlink.Link, rules []agents.ScreenRule) {
	told := lookout{}
	end := time.NewTimer(time.Hour)
	defer end.Stop()
	for {
		var want lookout
		if s.do(ctx, func() {
			if want = s.lookout(rules); want.turns && !told.turns {
				s.weigh(agents.TurnUnknown.Evidence(s.r.now()), change{}) // earlier signs are out of date
			}
		}) != nil {
			return
		}
		if want.lines != told.lines || want.quiet != told.quiet || want.limit != told.limit || want.turns != told.turns {
			p := wire.ScreenParams{Lines: want.lines, QuietMS: int(want.quiet / time.Millisecond), LimitMS: int(want.limit / time.Millisecond)}
			call, cancel := context.WithTimeout(ctx, requestTimeout)
			err := l.Call(call, wire.MethodScreen, p, nil)
			cancel()
			if err != nil {
				if ctx.Err() == nil && !errors.Is(err, hostlink.ErrNoHost) { // a host of an older version does not know the method
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

// lookAt weighs the text of a screen. Its patterns run in the goroutine that reads from the
// host, not in the actor.
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
	teller, _ := s.adapter.(agents.RetryTeller)
	var retry *api.Retry
	if teller != nil {
		retry = teller.RetryShown(m.Text, at)
	}
	s.tell(ctx, func() {
		if teller != nil {
			s.seesRetry(retry, at)
		}
		switch {
		case s.fold.UsesScreen():
			s.weigh(e, change{})
		case s.fold.WatchesTurn(s.r.now()) && sign != agents.TurnUnknown && string(sign) != s.fold.Sign:
			e := sign.Evidence(at)
			if e.Says == s.fold.State {
				e.Says = "" // it confirms the state, which `ccdir explain` need not list
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

// retryShows is how long a retry that is due may stand without being shown on the screen: the
// request is under way, and an overloaded API refuses it at once.
const retryShows = 5 * time.Second

// noteRetry keeps that the agent asks its API again, until it has gone on.
func (w *weighing) noteRetry() {
	was, now := w.cur.Retry, agents.RetryOf(w.e)
	switch {
	case w.fold.State != api.StateWorking:
		w.cur.Retry = nil
	case now != nil:
		w.cur.Retry = now
	case was != nil && retryOver(*was, w.e, w.r.now()):
		w.cur.Retry = nil
	}
}

// retryOver reports whether evidence without a retry shows that the agent has gone on.
func retryOver(r api.Retry, e api.Evidence, now time.Time) bool {
	switch e.Source {
	case api.SourceHook, api.SourcePSP:
		return true
	case api.SourceScreen:
		return e.Name == agents.EvidenceRetry && now.After(r.Next.Add(retryShows))
	}
	return false
}

// seesRetry weighs what a screen shows of a retry, if that is new; in the actor.
func (s *session) seesRetry(r *api.Retry, at time.Time) {
	was := s.cur.Retry
	switch {
	case s.fold.State != api.StateWorking, r == nil && was == nil:
		return
	case r != nil && was != nil && r.Attempt == was.Attempt && r.Status == was.Status:
		return // counted down
	case r == nil && !s.r.now().After(was.Next.Add(retryShows)):
		return
	}
	s.weigh(agents.RetryEvidence(r, at), change{})
}
