package sessions

import (
	"cmp"
	"context"
	"strconv"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/internal/contain"
	"ccdir/sessions/state"
	"ccdir/wire"
)

// Requests of agents whose hook does not run beside their dialog: it holds the dialog back
// (agents.DialogHolder), or the agent cannot be made to ask at all (agents.ToolHolder).

// askBriefly is ask for an agent that opens its dialog when its hook has replied. The hook
// waits for a bounded time; the request stays open after it, and keys answer its dialog.
func (s *session) askBriefly(ctx context.Context, c api.Caller, h agents.Hook, call string, limit time.Duration, give func(api.Decision)) error {
	held, release := context.WithCancel(context.WithoutCancel(ctx)) // it keeps api.Delivery
	stop := context.AfterFunc(s.ctx, release)
	decided, opened := make(chan api.Decision), make(chan struct{})
	ended := make(chan error, 1)
	s.r.wg.Go(func() {
		defer release()
		defer stop()
		ended <- contain.Call(s.r.log, func() error {
			return s.ask(held, c, h, call, func(d api.Decision) {
				select {
				case decided <- d:
				case <-opened:
					s.answerByKeys(held, d)
				}
			})
		})
	})
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case d := <-decided:
		give(d)
		return <-ended
	case err := <-ended: // there is nothing to ask, or the daemon stops: the next one is asked
		return err
	case <-timer.C:
		close(opened)
		return nil
	case <-ctx.Done():
		close(opened)
		return ctx.Err()
	}
}

const (
	// dialogTime bounds how long a dialog may take to appear once its hook has replied.
	dialogTime = 5 * time.Second
	// dialogLook is the pause between two looks at the screen for it.
	dialogLook = 100 * time.Millisecond
	// dialogKeys is the pause after keys, until the dialog is gone or takes them.
	dialogKeys = time.Second
)

// answerByKeys types the answer to a request into the dialog on the agent's screen. If the
// dialog does not show, nothing is typed: it was answered there.
func (s *session) answerByKeys(ctx context.Context, d api.Decision) {
	adapter, ok := s.adapter.(agents.KeyAnswerer)
	if !ok || d.Outcome != api.OutcomeAnswered {
		return
	}
	limit, cancel := context.WithTimeout(ctx, dialogTime)
	defer cancel()
	typed, then := 0, ""
	for {
		var view wire.OutputResult
		if err := s.request(limit, wire.MethodOutput, wire.OutputParams{Format: wire.FormatText}, &view); err != nil {
			s.r.log.Warn("an answer could not be typed", "session", s.id, "request", d.Request.ID, "error", err)
			return
		}
		keys, follow, shown := adapter.AnswerKeys(d, view.Text)
		pause := dialogLook
		switch {
		case shown: // agents ignore keys that come with the dialog
			typed, then, pause = typed+1, follow, dialogKeys
			tx := wire.Tx{ID: "answer-" + d.Request.ID + "-" + strconv.Itoa(typed), Steps: []wire.TxStep{{Keys: keys}}}
			_ = s.request(limit, wire.MethodTx, tx, &wire.TxResult{}) // the next look tells
		case typed > 0:
			s.followAnswer(d.Request.ID, then)
			return
		}
		select {
		case <-time.After(pause): // a screen sends no event
		case <-limit.Done():
			s.r.log.Warn("an answer found no dialog", "session", s.id, "request", d.Request.ID, "typed", typed)
			return
		}
	}
}

// followAnswer sends the message of an answer as a prompt; nothing for "".
func (s *session) followAnswer(request, follow string) {
	if follow == "" {
		return
	}
	s.r.wg.Go(func() {
		// The keys end the turn, and what is typed before that is lost.
		idle, cancel := context.WithTimeout(s.ctx, dialogTime)
		_ = s.await(idle, func() bool { return s.fold.State == api.StateIdle }) // else the agent goes on: it waits like any prompt
		cancel()
		if _, err := s.delivery.Send(s.ctx, api.SendPrompt{Text: follow, Wait: true, ID: "answer-" + request}); err != nil && s.ctx.Err() == nil {
			s.r.log.Warn("the message of a denial was not delivered", "session", s.id, "request", request, "error", err)
		}
	})
}

// holdTool asks the lead and people about a call that the policy wants to be asked about, for
// an agent that cannot ask, and returns the verdict that follows from the answer. Without an
// answer the call is refused.
func (s *session) holdTool(ctx context.Context, c api.Caller, h agents.Hook, call string, holder agents.ToolHolder, v api.Verdict) (api.Verdict, error) {
	out := v
	out.Effect, out.Reason = api.EffectDeny, "this needs a person's permission, and nobody gave it: "+v.Reason
	err := s.askFor(ctx, c, holder.ToolRequest(h), toolHold, h, call, nil, func(d api.Decision) {
		switch {
		case d.Outcome != api.OutcomeAnswered || d.Answer == nil:
		case d.Answer.Behavior == api.AnswerAllow:
			out = api.Verdict{Effect: api.EffectNone}
			_ = s.do(ctx, func() { s.allowed.add(allowedKey(h)) }) // fails with the session
		default:
			out = api.Verdict{Effect: api.EffectDeny, Reason: cmp.Or(d.Answer.Message, "The user denied this.")}
		}
	})
	return out, err
}

// toolHold bounds how long such a call is held: its hook ends soon after.
const toolHold = api.HookTimeoutTool - 30*time.Second

// allowedKept bounds the calls of a session that were allowed and may still ask.
const allowedKept = 32

// allowedKey identifies a call.
func allowedKey(h agents.Hook) string { return h.Tool + "\x00" + state.InputDigest(h.FullInput) }

// allowedBefore reports whether a person has allowed the call when the policy had it asked
// about, and forgets that.
func (s *session) allowedBefore(ctx context.Context, h agents.Hook) (was bool) {
	if _, ok := s.adapter.(agents.ToolHolder); !ok {
		return false
	}
	_ = s.do(ctx, func() { // fails with the session
		was = s.allowed.has(allowedKey(h))
		s.allowed.Forget(allowedKey(h))
	})
	return was
}
