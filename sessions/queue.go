package sessions

import (
	"context"
	"slices"
	"strings"
	"time"

	"ccdir/internal/agents"
	"ccdir/internal/api"
)

// The agent's own queue, as ccdir shows it: prompts enter it when the agent says
// that it took them while it worked, and commands when they are seen in it. No
// hook tells that one leaves it, so the screen is looked at.

const (
	// queueLook is between two looks at the screen while something is queued.
	queueLook = 500 * time.Millisecond
	// maxQueueShown bounds the prompts shown, and maxQueuedText each, in runes.
	maxQueueShown = 32
	maxQueuedText = 120
)

// enqueue notes a prompt that waits; in the actor.
func (s *session) enqueue(text string) {
	if len(s.cur.QueuedPrompts) >= maxQueueShown {
		return
	}
	// A new slice: values that were published share the old one.
	s.cur.QueuedPrompts = append(slices.Clone(s.cur.QueuedPrompts), agents.Visible(text, maxQueuedText))
	s.watchQueue()
}

// countQueue sets what is shown of the queue; in the actor, after the fold. took
// is a prompt that the agent took now.
func (s *session) countQueue(before int, took string) {
	if took != "" && s.fold.Queued > before {
		s.enqueue(took)
	}
	if s.fold.State == api.StateIdle || s.fold.State.Ended() {
		s.cur.QueuedPrompts = nil
	}
	s.cur.Queued = s.fold.Queued
	if s.reads() {
		s.cur.Queued = len(s.cur.QueuedPrompts)
	}
}

// watchQueue looks at the screen until nothing is queued; in the actor.
func (s *session) watchQueue() {
	if s.queueWatched || !s.reads() || s.outside {
		return
	}
	s.queueWatched = true
	s.r.wg.Go(func() {
		for more := true; more; {
			select {
			case <-time.After(queueLook):
			case <-s.ctx.Done():
				return
			}
			ctx, cancel := context.WithTimeout(s.ctx, requestTimeout)
			_, sc, readable, err := s.screen(ctx)
			cancel()
			if s.do(s.ctx, func() {
				if err == nil && readable {
					s.seenQueue(sc.Queued)
				}
				more = len(s.cur.QueuedPrompts) > 0 && !s.fold.State.Ended()
				s.queueWatched = more
			}) != nil {
				return
			}
		}
	})
}

// seenQueue keeps of the queue what the screen shows, in the screen's order.
func (s *session) seenQueue(shown []string) {
	left := slices.Clone(s.cur.QueuedPrompts)
	var kept []string
	for _, text := range shown {
		i := slices.IndexFunc(left, func(q string) bool { return sameQueued(q, text) })
		if i >= 0 {
			kept = append(kept, left[i])
			left = slices.Delete(left, i, i+1)
		}
	}
	if !slices.Equal(kept, s.cur.QueuedPrompts) {
		s.cur.QueuedPrompts, s.cur.Queued = kept, len(kept)
		s.publish(change{}, true)
	}
}

// sameQueued compares a prompt with what the screen shows of it.
func sameQueued(prompt, shown string) bool {
	flat := func(text string) string { return squeeze(strings.NewReplacer("⏎", "", "…", "").Replace(text)) }
	a, b := flat(prompt), flat(shown)
	n := min(len(a), len(b))
	return n > 0 && a[:n] == b[:n] || strings.HasPrefix(b, "[Pastedtext#")
}
