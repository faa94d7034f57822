package sessions

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/internal/disk/paths"
	"ccdir/sessions/adopt"
	"ccdir/sessions/state"
)

// Agents that report events and take calls at an address of their own (agents.Connected).

const (
	// lineFirst and lineLast are the pauses between attempts to connect to an agent. They
	// double: an agent needs a second or several to start.
	lineFirst = 100 * time.Millisecond
	lineLast  = 2 * time.Second
	// answerTries is how often an answer is given to an agent that does not take it.
	answerTries = 3
	// decideTime bounds the answer to a request that nobody has heard of: later it is shown.
	decideTime = 2 * time.Second
	// maxDecided bounds the requests that were answered so and are not closed: more are shown.
	maxDecided = 1000
)

// saveControl writes how the agent is reached, for this daemon and the next; nothing for
// agents that are not.
func saveControl(dir string, c agents.Control) error {
	path := filepath.Join(dir, paths.ControlFile)
	if c.Network == "" {
		if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	}
	return adopt.WriteJSON(path, c)
}

// followAgent keeps a line to the agent until ctx ends. It runs in a goroutine of its own.
func (s *session) followAgent(ctx context.Context) {
	adapter, ok := s.adapter.(agents.Connected)
	if !ok {
		return
	}
	var control agents.Control
	if err := adopt.ReadJSON(filepath.Join(s.dir, paths.ControlFile), &control); err != nil || control.Network == "" {
		return // it was started without an address
	}
	for pause := lineFirst; ctx.Err() == nil; pause = min(2*pause, lineLast) {
		if s.do(ctx, func() { control.Conversation = s.cur.Conversation }) != nil {
			return
		}
		if line, err := adapter.Connect(ctx, control); err == nil {
			pause = lineFirst
			err = s.followLine(ctx, line)
			s.r.log.Debug("the line to an agent ended", "session", s.id, "error", err)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}

// followLine takes the reports of one line until it ends.
func (s *session) followLine(ctx context.Context, line agents.Line) error {
	ctx, cancel := context.WithCancel(ctx)
	defer func() {
		cancel()
		_ = line.Close()
	}()
	err := s.do(ctx, func() {
		s.agentLine = line
		if g, ok := line.(agents.GuardedLine); ok && g.Unguarded() != "" {
			s.setUnguarded(g.Unguarded())
		}
	})
	if err != nil {
		return err
	}
	defer s.post(func() {
		if s.agentLine == line {
			s.agentLine = nil
		}
	})
	decided := map[string]bool{} // requests that the policy answered before anybody heard of them
	for {
		r, err := line.Next(ctx)
		if err != nil {
			return err
		}
		if r.Unasked != "" && s.decides(ctx, line, r, decided) {
			continue
		}
		if err := s.report(ctx, line, r); err != nil {
			return err
		}
	}
}

// report weighs one report. The request that it opens is answered on the line.
func (s *session) report(ctx context.Context, line agents.Line, r agents.Report) error {
	var caller api.Caller
	err := s.do(ctx, func() {
		switch {
		case r.Hook.Skip, r.Opens != "" && s.showsDialog(r.Hook):
		case r.Hook.Evidence.Source == api.SourcePSP: // a state that stands, and no event
			s.weigh(r.Hook.Evidence, change{})
		default:
			s.hook(r.Hook, r.ID)
		}
		if r.Closes != "" {
			s.endRequest(lineCall(r.Closes), api.Decision{Outcome: api.OutcomeElsewhere, Reason: "it was answered in the pane"})
		}
		caller = s.caller()
	})
	if err != nil || r.Opens == "" {
		return err
	}
	s.r.wg.Go(func() {
		with, delivered := api.WithDelivery(ctx)
		defer delivered()
		err := s.ask(with, caller, r.Hook, lineCall(r.Opens), func(d api.Decision) { s.answerOn(ctx, line, r.Opens, d) })
		if err != nil && ctx.Err() == nil {
			s.r.log.Warn("a request is not held", "session", s.id, "error", err)
		}
	})
	return nil
}

// decides has the policy decide about a request that the agent opens for its sake alone, and reports
// whether that was its end: then nothing of it is shown. A request that asks, or whose answer the
// agent does not take, is one like any other. decided are the keys of those that have ended so and
// are not closed yet.
func (s *session) decides(ctx context.Context, line agents.Line, r agents.Report, decided map[string]bool) bool {
	switch {
	case r.Closes != "":
		was := decided[r.Closes]
		delete(decided, r.Closes)
		return was
	case r.Opens == "":
		return decided[r.Unasked]
	case len(decided) >= maxDecided:
		return false
	}
	var c api.Caller
	if s.do(ctx, func() { c = s.caller() }) != nil {
		return false
	}
	h, v := r.Hook, api.Verdict{Effect: api.EffectNone}
	if s.r.o.Policy != nil {
		if h.CWD != "" {
			c.CWD = h.CWD
		}
		c.CWD = in(c.CWD, h.Dir)
		v = api.Verdict{Effect: api.EffectAsk} // unless Use returns
		s.guard(func() { v = s.r.o.Policy.Use(c, use(h)) })
	}
	a := api.Answer{Behavior: api.AnswerAllow, Message: v.Reason, Rule: v.Rule, File: v.File, Line: v.Line}
	switch v.Effect {
	case api.EffectNone, api.EffectAllow:
	case api.EffectDeny:
		a.Behavior = api.AnswerDeny
	default:
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, decideTime)
	defer cancel()
	if err := line.Answer(ctx, r.Opens, state.Answered(a, api.ByPolicy)); err != nil {
		return false
	}
	decided[r.Opens] = true
	return true
}

// use is the use of a tool that a hook reports.
func use(h agents.Hook) api.ToolUse {
	return api.ToolUse{Tool: h.Tool, Input: h.FullInput, Hook: h.Evidence.Name, ID: h.Evidence.Fields["tool_use_id"], At: h.Evidence.At}
}

// lineCall names the request of a line: the same on a new line, and for the next daemon.
func lineCall(key string) string { return "line:" + key }

// showsDialog reports whether the dialog of a request is known: a new line reports open
// requests once more. In the actor.
func (s *session) showsDialog(h agents.Hook) bool {
	call := h.Evidence.Fields["tool_use_id"]
	return call != "" && slices.ContainsFunc(s.fold.Dialogs, func(d api.Evidence) bool {
		return d.Fields["tool_use_id"] == call && d.Fields["tool"] == h.Evidence.Fields["tool"]
	})
}

// answerOn gives an answer to the agent.
func (s *session) answerOn(ctx context.Context, line agents.Line, key string, d api.Decision) {
	if d.Outcome != api.OutcomeAnswered {
		return
	}
	var err error
	for range answerTries {
		if err = line.Answer(ctx, key, d); err == nil || ctx.Err() != nil {
			return
		}
	}
	s.r.log.Warn("an agent did not take an answer: it can be given in the pane", "session", s.id, "request", d.Request.ID, "error", err)
}

// give gives the agent a prompt on its line; false if there is none, or it does not take it
// there.
func (s *session) give(ctx context.Context, id, text string) (handled bool, err error) {
	var line agents.Line
	if err := s.do(ctx, func() { line = s.agentLine }); err != nil || line == nil {
		return false, err
	}
	return line.Prompt(ctx, id, text)
}
