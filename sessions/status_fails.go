package sessions

import (
	"cmp"
	"context"
	"time"

	"ccdir/agents"
	"ccdir/api"
)

const (
	// failureReads bounds how often the conversation is read for the reason of a failure, which
	// the agent may write after it has reported the failure.
	failureReads = 5
	// failurePause is the pause between two reads.
	failurePause = 100 * time.Millisecond
	// failureTime bounds all of them.
	failureTime = 5 * time.Second
)

// statusFailed reports the failure of a turn that the agent tells by its program status alone,
// as other agents report it by a hook, with the reason that the conversation has; in the actor.
func (s *session) statusFailed(at time.Time) {
	if _, ok := s.adapter.(agents.StatusFails); !ok {
		return
	}
	source, _ := s.adapter.(agents.Conversationalist)
	c := agents.Conversation{ID: s.cur.Conversation, CWD: s.spec.CWD, Env: s.spec.Env}
	s.r.wg.Go(func() {
		why := readFailure(s.ctx, source, c, at)
		s.post(func() {
			s.hook(agents.Hook{Message: "failed: " + cmp.Or(why, "the agent did not say why"), Reply: why, Evidence: api.Evidence{
				Source: api.SourceHook, At: at, Name: "error", Kind: api.KindTurnFails, Says: api.StateIdle, Detail: why, Fields: map[string]string{"error": cmp.Or(why, "unknown")}}}, "")
		})
	})
}

// readFailure returns why the last turn of a conversation failed, at about that time; "" if it
// does not say so.
func readFailure(ctx context.Context, source agents.Conversationalist, c agents.Conversation, at time.Time) (why string) {
	if source == nil || c.ID == "" {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, failureTime)
	defer cancel()
	for range failureReads {
		if file := source.OpenConversation(c); file != nil {
			_ = file.Read(ctx, func(t api.Turn) error { // without the reason it is a failure all the same
				if why = ""; t.Failure != nil && !t.Failure.At.Before(at.Add(-failureTime)) {
					why = agents.Visible(t.Failure.Message, agents.MaxField)
				}
				return nil
			})
		}
		if why != "" || ctx.Err() != nil {
			return why
		}
		select {
		case <-time.After(failurePause): // a file sends no event
		case <-ctx.Done():
		}
	}
	return ""
}
