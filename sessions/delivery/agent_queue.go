package delivery

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"ccdir/agents"
	"ccdir/api"
)

// The agent's own queue, as ccdir shows it. A prompt enters it when the agent takes it
// during a turn, a command when the screen shows it there. No hook reports that one leaves
// the queue, so ccdir reads the screen.

const (
	// queueLook is the interval between two reads of the screen while something is queued.
	queueLook = 500 * time.Millisecond
	// lookLimit bounds one such read.
	lookLimit = 10 * time.Second
	// maxPromptShown bounds Session.Prompt, in runes.
	maxPromptShown = 500
	// maxQueueShown bounds the number of prompts shown, maxQueuedText the length of each,
	// in runes.
	maxQueueShown = 32
	maxQueuedText = 120
	// queueShown is how long the agent may take to show a queued prompt: on a busy machine
	// its hook arrives first.
	queueShown = 3 * queueLook
	// queueMissed is how long the screen may fail to show a prompt that it has shown: a
	// read may hit a redraw.
	queueMissed = 3 * queueLook / 2
	// queueKept is how long a prompt that seems to have left the queue may reappear: an
	// agent that hung shows it late.
	queueKept = 20 * queueLook
)

// queuedPrompts are the prompts that may be in the agent's queue, in order.
type queuedPrompts []queuedPrompt

// queuedPrompt is one prompt that may be in the agent's queue.
type queuedPrompt struct {
	text  string
	whole string    // as Session.Prompt shows it; "" if the daemon that saw it is gone
	seen  time.Time // when the screen last showed it; at first, when it was queued
	shown bool
	gone  bool // it seems to have left the queue
}

// texts returns the prompts that wait.
func (w queuedPrompts) texts() (list []string) {
	for _, q := range w {
		if !q.gone {
			list = append(list, q.text)
		}
	}
	return list
}

// enqueue adds a prompt; in the actor.
func (d *Delivery) enqueue(text string) {
	if len(d.s.Value().QueuedPrompts) >= maxQueueShown || len(d.queue) >= 2*maxQueueShown {
		return
	}
	if d.queue == nil { // saved by an earlier daemon
		for _, text := range d.s.Value().QueuedPrompts {
			d.queue = append(d.queue, queuedPrompt{text: text, seen: time.Now()})
		}
	}
	d.queue = append(d.queue, queuedPrompt{text: agents.Visible(text, maxQueuedText), whole: agents.Visible(text, maxPromptShown), seen: time.Now()})
	d.s.Value().QueuedPrompts = d.queue.texts() // a new slice: published values share the old one
	d.watchQueue()
}

// CountQueue updates the published queue and the prompt in hand; in the actor, after the fold.
// took is a prompt that the agent has just taken, "" for none; before is Fold.Queued before.
func (d *Delivery) CountQueue(before int, took string) {
	if took != "" {
		d.last = agents.Visible(took, maxPromptShown)
	}
	switch queued := d.s.Fold().Queued; {
	case took != "" && queued > before:
		d.enqueue(took)
	case took != "":
		d.s.Value().Prompt = d.last
	case before > 0 && queued == 0 && d.s.Fold().Turn:
		d.nextBegins()
	}
	if d.s.Fold().State == api.StateIdle || d.s.Fold().State.Stopped() {
		d.s.Value().QueuedPrompts, d.queue = nil, nil
	}
	d.s.Value().Queued = d.s.Fold().Queued
	if d.canReadScreen() {
		d.s.Value().Queued = len(d.s.Value().QueuedPrompts)
	}
}

// nextBegins: the turn has ended, and the agent goes on with what is queued: with the first of it
// until the screen tells more, with all of it where no screen is read.
func (d *Delivery) nextBegins() {
	waiting := slices.DeleteFunc(slices.Clone(d.queue), func(q queuedPrompt) bool { return q.gone })
	switch n := len(waiting); {
	case n == 0:
	case d.canReadScreen():
		d.inHand(waiting[0])
	default:
		d.inHand(waiting[n-1])
	}
}

// inHand says that the agent works on a prompt that was queued.
func (d *Delivery) inHand(q queuedPrompt) { d.s.Value().Prompt = cmp.Or(q.whole, q.text) }

// left are the queued prompts that have left the queue, compared with the queue before.
func (w queuedPrompts) left(before queuedPrompts) (gone queuedPrompts) {
	kept := w.texts()
	for _, q := range before {
		if i := slices.Index(kept, q.text); q.gone {
			continue
		} else if i >= 0 {
			kept = slices.Delete(kept, i, i+1)
		} else {
			gone = append(gone, q)
		}
	}
	return gone
}

// watchQueue reads the screen until nothing is queued; in the actor.
func (d *Delivery) watchQueue() {
	if d.watched || !d.canReadScreen() || d.s.Outside() {
		return
	}
	d.watched = true
	d.o.Go(func() {
		for more := true; more; {
			select {
			case <-time.After(queueLook):
			case <-d.o.Context.Done():
				return
			}
			ctx, cancel := context.WithTimeout(d.o.Context, lookLimit)
			asked := time.Now()
			_, sc, readable, err := d.readScreen(ctx)
			cancel()
			if d.s.Do(d.o.Context, func() {
				if err == nil && readable {
					d.seenQueue(sc.Queued, asked)
				}
				more = len(d.queue) > 0 && !d.s.Fold().State.Stopped()
				d.watched = more
			}) != nil {
				return
			}
		}
	})
}

// seenQueue updates the queue with what the screen showed at the time asked.
func (d *Delivery) seenQueue(shown []string, asked time.Time) {
	before := d.queue
	d.queue = before.look(shown, asked)
	if gone := d.queue.left(before); len(gone) > 0 {
		d.inHand(gone[len(gone)-1])
	}
	if kept := d.queue.texts(); !slices.Equal(kept, d.s.Value().QueuedPrompts) {
		d.s.Value().QueuedPrompts, d.s.Value().Queued = kept, len(kept)
		d.s.Publish("", "", "")
	}
}

// look returns the queue after a read of the screen: the prompts that it showed, in its
// order, and those that it may not have shown yet. It does not change w.
func (w queuedPrompts) look(shown []string, asked time.Time) (after queuedPrompts) {
	left := slices.Clone(w)
	for _, text := range shown {
		i := slices.IndexFunc(left, func(q queuedPrompt) bool { return !q.gone && sameQueued(q.text, text) })
		if i < 0 {
			i = slices.IndexFunc(left, func(q queuedPrompt) bool { return sameQueued(q.text, text) })
		}
		if i >= 0 {
			after = append(after, queuedPrompt{text: left[i].text, whole: left[i].whole, seen: asked, shown: true})
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
