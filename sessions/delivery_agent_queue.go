package sessions

import (
	"context"
	"slices"
	"strings"
	"time"

	"ccdir/agents"
	"ccdir/api"
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
	// queueShown is how long the agent may take to show what it has queued: on a busy
	// machine its hook is here first.
	queueShown = 3 * queueLook
	// queueMissed is how long the screen may fail to show what it has shown: one look
	// may fall into a redraw.
	queueMissed = 3 * queueLook / 2
	// queueKept is how long a prompt that seems to have left the queue may come back:
	// an agent that hung shows it late.
	queueKept = 20 * queueLook
)

// queuedPrompts are the prompts that may be in the agent's queue, in its order.
type queuedPrompts []queuedPrompt

// queuedPrompt is one of them.
type queuedPrompt struct {
	text  string
	seen  time.Time // when the screen showed it last, or it was queued
	shown bool
	gone  bool // it is taken for run
}

// texts are those that wait.
func (w queuedPrompts) texts() (list []string) {
	for _, q := range w {
		if !q.gone {
			list = append(list, q.text)
		}
	}
	return list
}

// enqueue notes a prompt that waits; in the actor.
func (s *session) enqueue(text string) {
	if len(s.cur.QueuedPrompts) >= maxQueueShown || len(s.agentQueue) >= 2*maxQueueShown {
		return
	}
	if s.agentQueue == nil { // those of the daemon before
		for _, text := range s.cur.QueuedPrompts {
			s.agentQueue = append(s.agentQueue, queuedPrompt{text: text, seen: time.Now()})
		}
	}
	s.agentQueue = append(s.agentQueue, queuedPrompt{text: agents.Visible(text, maxQueuedText), seen: time.Now()})
	s.cur.QueuedPrompts = s.agentQueue.texts() // a new slice: values that were published share the old one
	s.watchQueue()
}

// countQueue sets what is shown of the queue; in the actor, after the fold. took
// is a prompt that the agent took now.
func (s *session) countQueue(before int, took string) {
	if took != "" && s.fold.Queued > before {
		s.enqueue(took)
	}
	if s.fold.State == api.StateIdle || s.fold.State.Ended() {
		s.cur.QueuedPrompts, s.agentQueue = nil, nil
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
			asked := time.Now()
			_, sc, readable, err := s.screen(ctx)
			cancel()
			if s.do(s.ctx, func() {
				if err == nil && readable {
					s.seenQueue(sc.Queued, asked)
				}
				more = len(s.agentQueue) > 0 && !s.fold.State.Ended()
				s.queueWatched = more
			}) != nil {
				return
			}
		}
	})
}

// seenQueue keeps of the queue what the screen showed, when it was asked.
func (s *session) seenQueue(shown []string, asked time.Time) {
	s.agentQueue = s.agentQueue.look(shown, asked)
	if kept := s.agentQueue.texts(); !slices.Equal(kept, s.cur.QueuedPrompts) {
		s.cur.QueuedPrompts, s.cur.Queued = kept, len(kept)
		s.publish(change{}, true)
	}
}

// look returns what is known of the queue after a look at the screen: those that it
// showed, in its order, wait, and so do those that it may not have shown when it was
// asked. w is not changed.
func (w queuedPrompts) look(shown []string, asked time.Time) (after queuedPrompts) {
	left := slices.Clone(w)
	for _, text := range shown {
		i := slices.IndexFunc(left, func(q queuedPrompt) bool { return !q.gone && sameQueued(q.text, text) })
		if i < 0 {
			i = slices.IndexFunc(left, func(q queuedPrompt) bool { return sameQueued(q.text, text) })
		}
		if i >= 0 {
			after = append(after, queuedPrompt{text: left[i].text, seen: asked, shown: true})
			left = slices.Delete(left, i, i+1)
		}
	}
	for _, q := range left {
		limit := queueShown
		if q.shown {
			limit = queueMissed
		}
		unseen := asked.Sub(q.seen)
		if q.gone = q.gone || unseen >= limit; unseen < queueKept {
			after = append(after, q)
		}
	}
	return after
}

// sameQueued compares a prompt with what the screen shows of it.
func sameQueued(prompt, shown string) bool {
	flat := func(text string) string { return squeeze(strings.NewReplacer("⏎", "", "…", "").Replace(text)) }
	a, b := flat(prompt), flat(shown)
	n := min(len(a), len(b))
	return n > 0 && a[:n] == b[:n] || strings.HasPrefix(b, "[Pastedtext#")
}
