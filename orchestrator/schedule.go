package orchestrator

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"ccdir/api"
)

// stallAfter is how long the task may do nothing; 0: for ever.
func (c *Core) stallAfter(r *Record) time.Duration {
	switch d := time.Duration(r.Stall); {
	case d < 0:
		return 0
	case d > 0:
		return d
	}
	return c.times.Stall
}

// settle is how long after the end of a turn in a pane it counts.
func (c *Core) settle(r *Record) time.Duration {
	if r.ReportDue {
		return max(c.times.ReportWait, c.times.Settle)
	}
	return c.times.Settle
}

// deadline is the next moment at which time alone changes an active task.
func (c *Core) deadline(r *Record) time.Time {
	if r.Ending {
		return time.Time{}
	}
	var next time.Time
	consider := func(from time.Time, d time.Duration) {
		if at := from.Add(d); !from.IsZero() && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	if r.Timeout > 0 {
		consider(r.Started, time.Duration(r.Timeout))
	}
	both := !r.TurnEnd.IsZero() && !r.Exit.IsZero()
	switch {
	case both:
		consider(c.now, 0)
	case !r.Exit.IsZero():
		consider(r.Exit, c.times.PairWait)
	case r.TurnEnd.IsZero() || r.Background: // a turn that is followed by another
	case r.Kind == api.TaskPrint:
		consider(r.TurnEnd, c.times.PairWait)
	default:
		consider(r.TurnEnd, c.settle(r))
	}
	if d := c.stallAfter(r); d > 0 && r.State != api.TaskWaiting && !r.Stalled {
		consider(r.Progress, d)
	}
	return next
}

// NextWake is when a Tick is needed at the latest; zero if never.
func (c *Core) NextWake() time.Time {
	var next time.Time
	consider := func(at time.Time) {
		if !at.IsZero() && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	for _, r := range c.active {
		consider(c.deadline(r))
	}
	if r := c.timed.top(); r != nil {
		consider(r.NotBefore)
	}
	for agent, until := range c.set.LimitedUntil {
		if until.After(c.now) && (c.ready[readyKey{agent, true}] != nil || c.ready[readyKey{agent, false}] != nil) {
			consider(until)
		}
	}
	return next
}

// deadlines does what time alone brings about.
func (c *Core) deadlines() {
	for r := c.timed.top(); r != nil && !r.NotBefore.After(c.now); r = c.timed.top() {
		due := *r
		due.NotBefore = time.Time{}
		c.put(due)
	}
	for _, id := range slices.Sorted(maps.Keys(c.active)) {
		r := *c.tasks[id]
		if at := c.deadline(&r); !at.IsZero() && !at.After(c.now) {
			c.deadlineReached(&r)
		}
	}
}

// due handles an active task at a deadline.
func (c *Core) deadlineReached(r *Record) {
	passed := func(from time.Time, d time.Duration) bool { return !from.IsZero() && !c.now.Before(from.Add(d)) }
	ended, exited := !r.TurnEnd.IsZero(), !r.Exit.IsZero()
	switch {
	case ended && exited:
		c.complete(r)
	case r.Timeout > 0 && passed(r.Started, time.Duration(r.Timeout)):
		c.end(r, api.TaskTimedOut, fmt.Sprintf("it did not end within %s", time.Duration(r.Timeout)))
	case exited && passed(r.Exit, c.times.PairWait):
		r.Result.Missing = "hook"
		if r.Kind == api.TaskPrint {
			c.complete(r)
			return
		}
		c.fail(r, Failed{Kind: FailTask, Reason: "the session ended before the agent ended its turn"})
	case ended && r.Kind == api.TaskPrint && !r.Background && passed(r.TurnEnd, c.times.PairWait):
		r.Result.Missing = "exit"
		c.complete(r)
	case ended && r.Kind == api.TaskInteractive && !r.Background && passed(r.TurnEnd, c.settle(r)):
		c.complete(r)
	default:
		c.handleStall(r)
	}
}

// complete handles the end of a step.
func (c *Core) complete(r *Record) {
	code := r.Result.ExitCode
	switch {
	case r.Kind == api.TaskPrint && code != nil && *code != 0 && !r.Exit.IsZero():
		c.fail(r, Failed{Kind: FailTask, Reason: fmt.Sprintf("the agent ended with code %d", *code)})
		return
	case r.Step+1 >= len(prompts(r.NewTask)):
		c.liftLimit(r.Agent)
		r.Failures, r.LimitHits, r.LostAttempts = 0, 0, 0
		c.end(r, api.TaskDone, "")
		return
	case !r.Exit.IsZero():
		c.fail(r, Failed{Kind: FailTask, Reason: "the session ended before the last step"})
		return
	}
	c.liftLimit(r.Agent)
	r.Step, r.LimitHits, r.LostAttempts, r.Interruptions, r.Answered = r.Step+1, 0, 0, 0, false
	r.TurnEnd = time.Time{}
	if !r.Manual {
		c.deliver(r)
		return
	}
	c.setState(r, api.TaskWaiting, fmt.Sprintf("step %d of %d waits: `ccdir task start %s`", r.Step+1, len(prompts(r.NewTask)), r.ID))
	r.OnHold = true
	c.put(*r)
}

// opened forgets a usage limit after a turn of the agent succeeded.
func (c *Core) liftLimit(agent string) {
	if until, ok := c.set.LimitedUntil[agent]; ok && !until.After(c.now.Add(c.times.Stagger)) {
		c.snapshotSettings()
		delete(c.set.LimitedUntil, agent)
	}
}

// maxStalls bounds the interruptions of a prompt: an agent that stalls again and
// again is not helped by another one.
const maxStalls = 3

func (c *Core) handleStall(r *Record) {
	reason := fmt.Sprintf("no progress for %s", c.stallAfter(r))
	interrupts := r.OnStall == api.StallInterrupt && r.State == api.TaskRunning
	switch {
	case r.OnStall == api.StallStop:
		c.fail(r, Failed{Kind: FailTask, Reason: reason})
		return
	case interrupts && r.Interruptions >= maxStalls:
		c.fail(r, Failed{Kind: FailTask, Reason: fmt.Sprintf("%s, after %d interruptions", reason, r.Interruptions)})
		return
	}
	r.Stalled, r.Reason = true, reason
	c.trail = append(c.trail, Transition{Task: r.ID, Session: r.Session, From: r.State, To: r.State, Reason: reason, Note: api.EventTaskStalled})
	switch {
	case !interrupts:
	case r.Kind == api.TaskPrint: // nothing can be typed: it is ended, and goes on with the prompt
		if r.Result.Conversation == "" {
			c.fail(r, Failed{Kind: FailTask, Reason: reason})
			return
		}
		r.Interruptions++
		r.Resume, r.ResumePrompt = r.Result.Conversation, r.StallPrompt
		c.requeue(r, time.Time{}, reason+": interrupted")
		return
	default:
		r.Interruptions++
		c.effects = append(c.effects, Effect{Kind: DoInterrupt, Ref: Ref{r.ID, r.Attempt}, Session: r.Session, Step: r.Step, Text: r.StallPrompt})
	}
	c.put(*r)
}

// schedule fills the free slots.
func (c *Core) schedule() {
	for c.set.Mode != api.QueuePaused && c.slots < c.set.Limit {
		r := c.next()
		if r == nil {
			return
		}
		c.start(*r)
	}
}

// next is the task to begin, nil if none may.
func (c *Core) next() *Record {
	var best *Record
	for key, h := range c.ready {
		r := h.top()
		if r == nil {
			delete(c.ready, key)
			continue
		}
		if c.set.Mode == api.QueueManual && !key.released || c.set.LimitedUntil[key.agent].After(c.now) {
			continue
		}
		if best == nil || before(r, best) {
			best = r
		}
	}
	return best
}

// begin starts an attempt.
func (c *Core) start(r Record) {
	r.First, r.Approved = false, true
	if len(prompts(r.NewTask)) == 0 {
		c.end(&r, api.TaskDone, "nothing to do: the prompt is empty")
		return
	}
	if _, parked := c.set.LimitedUntil[r.Agent]; parked {
		c.snapshotSettings()
		c.set.LimitedUntil[r.Agent] = c.now.Add(c.times.Stagger)
	}
	r.Attempt++
	r.HasSlot, r.Session, r.OnHold, r.Stalled, r.PromptPending = true, "", false, false, false
	r.Started, r.Progress, r.TurnEnd, r.Exit, r.Background = c.now, c.now, time.Time{}, time.Time{}, false
	r.Result = api.TaskResult{Conversation: r.Resume}
	c.setState(&r, api.TaskStarting, "")
	c.effects = append(c.effects, Effect{Kind: DoStart, Ref: Ref{r.ID, r.Attempt}, Resume: r.Resume, Text: nextPrompt(&r)})
	c.put(r)
}

// Found is a session of a task, as it was found when the daemon began.
type Found struct {
	Ref
	Session, Conversation string
	// Ended: its process ended with Code, or was lost (nil).
	Ended bool
	Code  *int
}

// Recover brings the tasks in line with the sessions that were found. The
// effects may repeat what was done before the crash.
func (c *Core) Recover(now time.Time, found []Found) {
	c.now = now
	by := map[Ref]Found{}
	for _, f := range found {
		by[f.Ref] = f
	}
	for _, id := range slices.Sorted(maps.Keys(c.active)) {
		r := *c.tasks[id]
		f, ok := by[Ref{r.ID, r.Attempt}]
		if ok {
			r.Session = f.Session
			if f.Conversation != "" {
				r.Result.Conversation = f.Conversation
			}
		}
		c.recoverOne(&r, f, ok)
	}
	c.deadlines()
	c.schedule()
}

func (c *Core) recoverOne(r *Record, f Found, ok bool) {
	ref := Ref{r.ID, r.Attempt}
	switch {
	case r.Ending && (!ok || f.Ended):
		r.HasSlot, r.Ending, r.Exit = false, false, c.now
		c.put(*r)
	case r.Ending:
		c.effects = append(c.effects, Effect{Kind: DoEnd, Ref: ref, Session: r.Session})
	case ok && f.Ended:
		c.put(*r)
		c.exited(r, Exited{Ref: ref, Code: f.Code, Reason: "its session was lost while no daemon ran"})
	case ok && (r.State == api.TaskStarting || r.PromptPending || r.Kind == api.TaskInteractive && r.TurnEnd.IsZero() && !r.OnHold && r.Step > 0):
		c.deliver(r) // the prompt's id is the same: it is typed once
	case ok: // a stall that was being dealt with is found again
		r.Progress, r.Stalled = c.now, false
		c.put(*r)
	case r.State == api.TaskStarting && r.Session == "":
		c.effects = append(c.effects, Effect{Kind: DoStart, Ref: ref, Resume: r.Resume, Text: nextPrompt(r)})
	case !r.Exit.IsZero(): // it ended before the crash, and waits for its hook
	default:
		c.lost(r, "its session was gone when the daemon began")
	}
}
