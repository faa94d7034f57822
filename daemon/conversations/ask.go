package conversations

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"ccdir/agents/transcript"
	"ccdir/api"
	"ccdir/internal/contain"
)

// lookedAt bounds the turns among which that of a prompt is looked for: others may have sent
// prompts meanwhile.
const lookedAt = 20

// Ask delivers a prompt and passes on its turn as it grows, until that has ended, the agent
// asks a person, or its process ends. Ask fails only before the first event, or with an error
// of each.
func (c *Conversations) Ask(ctx context.Context, ref string, a api.Ask, each func(api.AskEvent) error) error {
	r, err := c.reading(ctx, ref)
	if err != nil {
		return err
	}
	id := r.session.ID
	after := a.After
	if known, again := c.places.get(id, a.ID); after == nil && again {
		after = &known
	}
	if after == nil {
		after = &api.AskPlace{}
		if err := r.once(ctx, 1, func(t api.Turn) error {
			after.Turn, after.Running = t.Turn, t.State == api.TurnRunning
			return nil
		}); err != nil && api.CodeOf(err) != api.CodeNotFound {
			return err
		}
		c.places.keep(id, a.ID, *after)
	}
	if err := each(api.AskEvent{After: after}); err != nil {
		return err
	}
	sent, err := c.deliver(ctx, id, a)
	var asked asksError
	switch {
	case errors.As(err, &asked):
		return each(api.AskEvent{End: api.AskAsks, Reason: string(asked)})
	case ctx.Err() != nil || errors.Is(err, api.ErrStopping):
		return err
	case err != nil:
		return each(api.AskEvent{End: api.AskUndelivered, Reason: err.Error()})
	}
	if err := each(api.AskEvent{Status: sent.Status}); err != nil {
		return err
	}
	return c.answer(ctx, id, &question{text: a.Text, AskPlace: *after}, each)
}

// asksError is what an agent asks a person instead of taking a prompt.
type asksError string

func (e asksError) Error() string { return string(e) }

// deliver delivers the prompt. If the call waits, what the agent asks a person ends it with
// an asksError.
func (c *Conversations) deliver(ctx context.Context, id string, a api.Ask) (api.SendResult, error) {
	prompt := api.SendPrompt{Text: a.Text, ID: a.ID, Wait: a.Wait}
	if !a.Wait {
		return c.o.Send(ctx, id, prompt)
	}
	sending, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watched := make(chan struct{})
	contain.Go(nil, func() {
		defer close(watched)
		if what, err := c.asks(sending, id); err == nil {
			cancel(asksError(what))
		}
	})
	sent, err := c.o.Send(sending, id, prompt)
	if asked, ok := context.Cause(sending).(asksError); ok && err != nil {
		err = asked
	}
	cancel(nil)
	<-watched
	return sent, err
}

// ownAnswer is how long what an agent asks must stand until a person is asked: the policy, or
// a lead's, answers sooner.
const ownAnswer = time.Second

// asks blocks until the agent has asked a person for ownAnswer, and returns what.
func (c *Conversations) asks(ctx context.Context, id string) (string, error) {
	for {
		s, err := c.o.Wait(ctx, id, func(s api.Session) bool { return s.State.NeedsPerson() && !s.HasFailed() })
		if err != nil {
			return "", err
		}
		standing, cancel := context.WithTimeout(ctx, ownAnswer)
		_, err = c.o.Wait(standing, id, func(now api.Session) bool {
			over := now.State != s.State || now.Since != s.Since || now.HasFailed()
			s = now
			return over
		})
		stood := standing.Err() != nil
		cancel()
		if ctx.Err() != nil || err != nil && !stood {
			return "", cmp.Or(ctx.Err(), err)
		}
		if stood {
			return cmp.Or(s.Asks, s.Question), nil
		}
	}
}

// question is a prompt whose turn is looked for.
type question struct {
	text         string
	api.AskPlace // before it
	// turns are the newest turns, put together; passed is the number of the one that was passed
	// on.
	turns  []api.Turn
	passed int
}

// answer passes on the turn of a prompt that was delivered.
func (c *Conversations) answer(ctx context.Context, id string, q *question, each func(api.AskEvent) error) error {
	ctx, cancel := context.WithCancel(ctx)
	turns, over, asks := make(chan api.Turn), make(chan error, 1), make(chan string, 1)
	follow := func() error {
		return c.FollowTurns(ctx, id, lookedAt, func(t api.Turn) error {
			if t.Turn == 0 {
				return nil
			}
			t.Items, t.Tools = slices.Clone(t.Items), slices.Clone(t.Tools) // valid until the next call
			select {
			case turns <- t:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}
	contain.Go(nil, func() {
		defer close(over)
		over <- contain.Call(nil, follow)
	})
	contain.Go(nil, func() {
		defer close(asks)
		if what, err := c.asks(ctx, id); err == nil {
			asks <- what
		}
	})
	asked := asks
	defer func() {
		cancel()
		for range asked { // until its goroutine ends
		}
		<-over
	}()
	for {
		select {
		case t := <-turns:
			if end, err := q.take(t, each); end || err != nil {
				return err
			}
		case what, found := <-asks:
			if !found {
				asks = nil
				continue
			}
			return each(api.AskEvent{End: api.AskAsks, Reason: what})
		case err := <-over:
			if err != nil && !errors.Is(err, context.Canceled) {
				return err
			}
			return each(api.AskEvent{End: api.AskEnded, Reason: "its process ended"})
		}
	}
}

// take passes on what is new of the prompt's turn, and reports whether that has ended.
func (q *question) take(t api.Turn, each func(api.AskEvent) error) (end bool, err error) {
	q.turns = transcript.Merge(q.turns, t, lookedAt)
	now := q.turns[len(q.turns)-1]
	if !q.took(now) {
		return false, nil
	}
	if q.passed != now.Turn {
		q.passed, t = now.Turn, now
	}
	if err := each(api.AskEvent{Turn: &t}); err != nil || now.State == api.TurnRunning {
		return false, err
	}
	last := api.AskEvent{End: api.AskEnd(now.State), Answer: now.Answer}
	if now.Failure != nil {
		last.Reason = string(now.Failure.Kind) + ": " + now.Failure.Message
	}
	return true, each(last)
}

// took reports whether a turn is the one that the prompt began, or that took it.
func (q *question) took(t api.Turn) bool { return transcript.Took(t, q.text, q.Turn, q.Running) }
