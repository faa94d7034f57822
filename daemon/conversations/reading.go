package conversations

import (
	"context"
	"slices"
	"time"

	"ccdir/agents"
	"ccdir/agents/transcript"
	"ccdir/api"
)

// reading is one call of Turns.
type reading struct {
	c       *Conversations
	agent   agents.Conversationalist
	session Session
	sources []*source
	numbers int // turns that have a number
	decided decided
}

// source is one conversation being read.
type source struct {
	agents.Conversation
	transcript.Source
	// turn is the number of the newest turn in the conversation, number that in the session.
	turn, number int
}

// settled is how long after an agent's rest its file may still grow: it writes the end of a
// turn a moment after the hooks of it.
const settled = 2 * time.Second

// once reads everything that is there.
func (r *reading) once(ctx context.Context, last int, each func(api.Turn) error) error {
	if err := r.look(ctx); err != nil {
		return err
	}
	var kept []api.Turn // of the last ones; or the one before the next
	err := r.read(ctx, func(t api.Turn) error {
		if last > 0 {
			kept = transcript.Merge(kept, t, last)
			return nil
		}
		if len(kept) > 0 {
			if err := each(kept[0]); err != nil {
				return err
			}
		}
		kept = []api.Turn{t}
		return nil
	})
	if err != nil {
		return err
	}
	if len(kept) == 0 && r.session.Ended {
		return api.Errorf(api.CodeNotFound, "nothing was said in session %s, or its agent's file is gone: `ccdir history %s` prints what it showed", r.session.Name, r.session.ID)
	}
	for i, t := range kept {
		if i == len(kept)-1 && r.over(t) {
			t = ended(t, r.session.Resting)
		}
		if err := each(t); err != nil {
			return err
		}
	}
	return nil
}

// over reports whether a turn that has not ended never will: its agent rests since after it
// began.
func (r *reading) over(t api.Turn) bool {
	rest := r.session.Resting
	return r.session.Ended || rest.After(t.At) && time.Since(rest) > settled
}

// ended returns the turn as it is when its agent has stopped without writing so: a prompt
// that was taken back, or a process that was killed.
func ended(t api.Turn, at time.Time) api.Turn {
	if t.State != api.TurnRunning {
		return t
	}
	t.State, t.Ended = api.TurnInterrupted, at
	t.Tools = slices.Clone(t.Tools)
	for i := range t.Tools {
		if t.Tools[i].Outcome == api.ToolRunning {
			t.Tools[i].Outcome = api.ToolInterrupted
		}
	}
	return t
}

// follow reads on until the session has ended. After what is there it passes on a turn
// without a number.
func (r *reading) follow(ctx context.Context, last int, each func(api.Turn) error) error {
	if err := r.look(ctx); err != nil {
		return err
	}
	var kept []api.Turn // the last ones, then the newest
	newest := func(then func(api.Turn) error) func(api.Turn) error {
		return func(t api.Turn) error {
			kept = transcript.Merge(kept, t, max(last, 1))
			return then(t)
		}
	}
	first := each
	if last > 0 {
		first = func(api.Turn) error { return nil }
	}
	if err := r.read(ctx, newest(first)); err != nil {
		return err
	}
	if last > 0 {
		for _, t := range kept {
			if err := each(t); err != nil {
				return err
			}
		}
	}
	if err := each(api.Turn{}); err != nil {
		return err
	}
	kept, last = kept[max(len(kept)-1, 0):], 1
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	for {
		over := r.session.Ended
		if err := r.read(ctx, newest(each)); err != nil {
			return err
		}
		if len(kept) > 0 && kept[0].State == api.TurnRunning && r.over(kept[0]) {
			kept[0] = ended(kept[0], r.session.Resting)
			if err := each(kept[0]); err != nil {
				return err
			}
		}
		if over {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		before := r.session
		s, err := r.c.o.Session(ctx, r.session.ID)
		if api.CodeOf(err) == api.CodeNotFound {
			s, err = before, nil
			s.Ended = true
		}
		if err != nil {
			return err
		}
		r.session = s
		if s.Conversation != before.Conversation || len(r.sources) == 0 {
			if err := r.look(ctx); err != nil {
				return err
			}
		}
	}
}

// look finds the conversations that are not read yet. One that the session came back to is
// read on.
func (r *reading) look(ctx context.Context) error {
	list, err := r.c.list(ctx, r.agent, r.session)
	if err != nil {
		return err
	}
	for _, c := range list {
		if slices.ContainsFunc(r.sources, func(s *source) bool { return s.ID == c.ID }) {
			continue
		}
		if from := r.c.open(r.agent, r.session.ID, c); from != nil {
			r.sources = append(r.sources, &source{Conversation: c, Source: from})
		}
	}
	return nil
}

// read reads each conversation on.
func (r *reading) read(ctx context.Context, each func(api.Turn) error) error {
	r.decided.looked = false
	for _, s := range r.sources {
		if err := s.Read(ctx, func(t api.Turn) error {
			if t.Turn != s.turn {
				r.numbers++
				s.turn, s.number = t.Turn, r.numbers
			}
			t.Turn = s.number
			return each(r.decided.of(ctx, t))
		}); err != nil {
			return err
		}
	}
	return nil
}
