package orchestrator

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"ccdir/api"
)

// stallAfter is the time without progress after which the task is stalled; 0: never.
func (c *Core) stallAfter(r *Record) time.Duration {
	switch d := time.Duration(r.Stall); {
	case d < 0:
		return 0
	case d > 0:
		return d
	}
	return c.times.Stall
}

// settle is the delay after the end of a turn in a pane until it counts.
func (c *Core) settle(r *Record) time.Duration {
	if r.ReportDue {
		return max(c.times.ReportWait, c.times.Settle)
	}
	return c.times.Settle
}

// deadline is when an active task changes by time alone; zero: never.
func (c *Core) deadline(r *Record) time.Time {
	switch {
	case r.Ending, r.UnderReview, r.Stage != "":
		return time.Time{}
	case c.places != nil:
		return c.placedDeadline(r)
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
	case r.TurnEnd.IsZero() || r.Background: // background work is followed by another turn
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

// NextWake is when a Tick is needed at the latest; zero: not at all.
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
	c.limitsWake(consider)
	c.quotaWake(consider)
	return next
}

// deadlines handles every deadline that has passed.
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

// deadlineReached handles an active task whose deadline has passed.
func (c *Core) deadlineReached(r *Record) {
	passed := func(from time.Time, d time.Duration) bool { return !from.IsZero() && !c.now.Before(from.Add(d)) }
	ended, exited := !r.TurnEnd.IsZero(), !r.Exit.IsZero()
	switch {
	case c.places != nil:
		c.placedDeadlineReached(r)
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
		c.answered(r.ID)
		r.Failures, r.LimitHits, r.LostAttempts = 0, 0, 0
		c.leave(r)
		return
	case !r.Exit.IsZero():
		c.fail(r, Failed{Kind: FailTask, Reason: "the session ended before the last step"})
		return
	}
	c.answered(r.ID)
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

// room is the first of a task's accounts that has room; ok is false if none has.
func (c *Core) room(r *Record) (account string, ok bool) {
	for _, account := range options(r) {
		if c.may(api.LimitClass(r.Agent, account)) && !c.held(r, account) {
			return account, true
		}
	}
	return "", false
}

// options are the accounts of which a task may use one.
func options(r *Record) []string {
	if len(r.Accounts) == 0 || r.Account != "" {
		return []string{r.Account}
	}
	return r.Accounts
}

// maxStalls bounds the interruptions per prompt: after that many they do not help.
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
	case r.Kind == api.TaskPrint: // it has no input: end it and resume with the prompt
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

// fill has go on and start what may.
func (c *Core) fill() {
	for done := -1; done != len(c.undo)+len(c.undoSet); { // until nothing changes any more
		done = len(c.undo) + len(c.undoSet)
		c.goOn(true)
		c.schedule()
		c.goOn(false) // where a more urgent task got no slot
	}
}

// schedule fills the free slots.
func (c *Core) schedule() {
	for !c.full() {
		r := c.next()
		if r == nil {
			return
		}
		c.start(*r)
	}
}

// full: no task may start.
func (c *Core) full() bool {
	if c.set.Mode == api.QueuePaused || c.places != nil && c.noPlace() {
		return true
	}
	return c.places == nil && c.slots >= c.set.Limit
}

// next is the task to start, nil if none may start.
func (c *Core) next() *Record { return c.nextOf("") }

// nextOf is the task to start that would use a class; "": any.
func (c *Core) nextOf(class string) *Record {
	var best *Record
	for key, h := range c.ready {
		r := h.top()
		if r == nil {
			delete(c.ready, key)
			continue
		}
		account, room := c.room(r)
		if !room || c.set.Mode == api.QueueManual && !key.approved || class != "" && (api.LimitClass(r.Agent, account) != class || c.full()) {
			continue
		}
		if c.places != nil && (best == nil || before(r, best)) && c.placeFor(r) == "" {
			continue
		}
		if best == nil || before(r, best) {
			best = r
		}
	}
	return best
}

// start begins the next attempt of a task.
func (c *Core) start(r Record) {
	r.Account, _ = c.room(&r)
	r.First, r.Approved = false, true
	if len(prompts(r.NewTask)) == 0 {
		c.end(&r, api.TaskDone, "nothing to do: the prompt is empty")
		return
	}
	cost := r.Result.Cost
	if r.Resume == "" || r.Resume != r.Result.Conversation {
		r.CostBefore, cost = r.CostBefore+cost, 0 // else the conversation's cost has it
	}
	r.Place, r.Claimed = c.placeFor(&r), false
	c.goes(r.LimitClass(), r.ID)
	r.Attempt++
	r.HasSlot, r.Session, r.OnHold, r.UnderReview, r.Stalled, r.PromptPending = true, "", false, false, false, false
	r.Stage = ""
	r.Started, r.Progress, r.TurnEnd, r.Exit, r.Background = c.now, c.now, time.Time{}, time.Time{}, false
	r.Result = api.TaskResult{Conversation: r.Resume, Cost: cost}
	c.setState(&r, api.TaskStarting, "")
	c.effects = append(c.effects, Effect{Kind: DoStart, Ref: Ref{r.ID, r.Attempt}, Place: r.Place, Resume: r.Resume, Text: nextPrompt(&r)})
	c.put(r)
}

// Found is a session of a task that existed when the daemon started.
type Found struct {
	Ref
	Session, Conversation string
	// Ended: its process ended with Code; nil: it was lost.
	Ended bool
	Code  *int
}

// Recover matches the tasks with the sessions that were found. Its effects may repeat
// those of the daemon before.
func (c *Core) Recover(now time.Time, found []Found) {
	c.now = now
	c.clockSetBack()
	by := map[Ref]Found{}
	for _, f := range found {
		by[f.Ref] = f
	}
	for _, id := range slices.Sorted(maps.Keys(c.active)) {
		r := *c.tasks[id]
		if c.places != nil {
			c.recoverPlaced(&r)
			continue
		}
		f, ok := by[Ref{r.ID, r.Attempt}]
		if ok {
			r.Session = f.Session
			if f.Conversation != "" {
				r.Result.Conversation = f.Conversation
			}
		}
		c.recoverOne(&r, f, ok)
	}
	c.recoverPanes()
	c.deadlines()
	c.fill()
}

// clockSetBack moves all deadlines if a task was saved later than now: the clock was set back
// while no daemon ran, and they would be due that much too late. While a daemon runs, its
// times are monotonic.
func (c *Core) clockSetBack() {
	newest := c.now
	for _, r := range c.tasks {
		for _, at := range []time.Time{r.Since, r.Progress, r.TurnEnd, r.Exit} {
			if at.After(newest) {
				newest = at
			}
		}
	}
	back := newest.Sub(c.now)
	if back == 0 {
		return
	}
	c.snapshotSettings()
	for class, l := range c.set.Limits {
		for _, at := range []*time.Time{&l.Until, &l.ProbeAt, &l.Next} {
			if !at.IsZero() {
				*at = at.Add(-back)
			}
		}
		c.set.Limits[class] = l
	}
	for _, id := range slices.Sorted(maps.Keys(c.tasks)) {
		r := *c.tasks[id]
		if r.State.Ended() {
			continue
		}
		for _, at := range []*time.Time{&r.NotBefore, &r.Started, &r.Progress, &r.TurnEnd, &r.Exit} {
			if !at.IsZero() {
				*at = at.Add(-back)
			}
		}
		c.put(r)
	}
}

func (c *Core) recoverOne(r *Record, f Found, ok bool) {
	ref := Ref{r.ID, r.Attempt}
	switch {
	case r.UnderReview && (!ok || f.Ended):
		c.reviewAlone(r)
	case onTheWay(r) && (!ok || f.Ended):
		r.Exit, r.HasSlot, r.Ending = c.now, false, false
		c.put(*r)
	case (r.UnderReview || onTheWay(r)) && !r.Ending:
		c.put(*r)
	case r.Ending && (!ok || f.Ended):
		r.HasSlot, r.Ending, r.Exit = false, false, c.now
		c.put(*r)
	case r.Ending:
		c.effects = append(c.effects, Effect{Kind: DoEnd, Ref: ref, Session: r.Session})
	case ok && f.Ended:
		c.put(*r)
		c.exited(r, Exited{Ref: ref, Code: f.Code, Reason: "its session was lost while no daemon ran"})
	case ok && (r.State == api.TaskStarting || r.PromptPending || r.Kind == api.TaskInteractive && r.TurnEnd.IsZero() && !r.OnHold && r.Step > 0):
		c.deliver(r) // with the same delivery id: the prompt is typed once
	case ok: // a stall that was being handled will be detected again
		r.Progress, r.Stalled = c.now, false
		c.put(*r)
	case r.State == api.TaskStarting && r.Session == "":
		c.effects = append(c.effects, Effect{Kind: DoStart, Ref: ref, Resume: r.Resume, Text: nextPrompt(r)})
	case !r.Exit.IsZero(): // it ended before the crash: its hook is still due
	default:
		c.lost(r, "its session was gone when the daemon began")
	}
}
