package orchestrator

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"ccdir/api"
)

// setState changes the state of r and records the transition. The caller puts r.
func (c *Core) setState(r *Record, to api.TaskState, reason string) {
	r.Reason = reason
	if r.State == to {
		return
	}
	c.trail = append(c.trail, Transition{Task: r.ID, Session: r.Session, From: r.State, To: to, Reason: reason, Note: api.EventTaskState})
	r.State, r.Since = to, c.now
}

// end puts a task into an end state, ends its session, and resolves its dependents.
func (c *Core) end(r *Record, to api.TaskState, reason string) {
	c.noteDuration(r)
	c.setState(r, to, reason)
	r.Ended, r.OnHold, r.UnderReview, r.Stage, r.Stalled, r.PromptPending, r.Unmet = c.now, false, false, "", false, false, nil
	r.Unseen = to != api.TaskCancelled // a person did that
	c.release(r, to == api.TaskDone && r.Keep)
	c.put(*r)
	for _, id := range slices.Sorted(maps.Keys(c.children[r.ID])) {
		c.resolve(id)
	}
}

// noteDuration sets the duration of the attempt in the result, once.
func (c *Core) noteDuration(r *Record) {
	if r.HasSlot && !r.Ending && r.Result.Duration == 0 {
		r.Result.Duration = api.Duration(c.now.Sub(r.Started))
	}
}

// release ends the session. The slot becomes free when its exit is reported, or now if
// the process has ended or the session is kept.
func (c *Core) release(r *Record, keep bool) {
	switch {
	case !r.HasSlot || r.Ending:
	case keep || !r.Exit.IsZero():
		r.HasSlot = false
	default:
		r.Ending = true
		c.effects = append(c.effects, Effect{Kind: DoEnd, Ref: Ref{r.ID, r.Attempt}, Session: r.Session, Place: r.Place})
	}
}

// deliver sends the session the prompt of the current step.
func (c *Core) deliver(r *Record) {
	if r.State != api.TaskStarting && !r.PromptPending {
		c.setState(r, api.TaskRunning, "")
	}
	r.TurnEnd, r.Background, r.Progress = time.Time{}, false, c.now
	c.effects = append(c.effects, Effect{Kind: DoDeliver, Ref: Ref{r.ID, r.Attempt}, Session: r.Session, Step: r.Step, Text: nextPrompt(r)})
	c.put(*r)
}

// continuePrompt makes an agent continue an interrupted turn.
const continuePrompt = "Continue where you left off."

// report handles a report. One about another attempt, or a task without a slot, changes
// nothing.
func (c *Core) report(e reported) {
	ref := e.ref()
	old := c.tasks[ref.Task]
	if old == nil || old.Attempt != ref.Attempt || !old.HasSlot {
		return
	}
	if c.places != nil && c.reportPlaced(old, e) {
		return
	}
	r := *old
	if x, ok := e.(Exited); ok && r.Ending {
		r.HasSlot, r.Ending, r.Exit = false, false, c.now
		r.Result.ExitCode = x.Code
		c.put(r)
		return
	}
	if s, ok := e.(Started); ok {
		r.Session, r.Result.Setup, r.Result.CWD, r.Result.Sandbox = s.Session, s.Setup, s.CWD, s.Sandbox
		if s.Conversation != "" {
			r.Result.Conversation = s.Conversation
		}
		if r.Ending { // cancelled while it was starting
			c.effects = append(c.effects, Effect{Kind: DoEnd, Ref: ref, Session: r.Session})
			c.put(r)
		} else if r.State == api.TaskStarting {
			c.deliver(&r)
		}
		return
	}
	if r.Ending {
		c.reportEnding(&r, e)
		return
	}
	c.reportActive(&r, e)
}

// reportEnding handles a report about an attempt whose session is being ended. Its
// consumption still goes into the result.
func (c *Core) reportEnding(r *Record, e Event) {
	switch e := e.(type) {
	case Failed:
		if r.Session == "" { // the start failed
			r.HasSlot, r.Ending = false, false
			c.put(*r)
		}
	case Used:
		c.used(r, e)
		c.put(*r)
	}
}

// reportActive handles a report about an attempt in progress.
func (c *Core) reportActive(r *Record, e Event) {
	switch {
	case r.UnderReview:
		c.reportReviewed(r, e)
		return
	case onTheWay(r):
		c.reportLeaving(r, e)
		return
	}
	switch e := e.(type) {
	case Delivered:
		if e.Step != r.Step {
			return
		}
		c.delivered(r)
		c.put(*r)
	case Failed:
		if r.Session == "" { // the start failed
			r.Exit = c.now
		}
		c.fail(r, e)
	case Observed:
		c.observe(r, e)
	case TurnEnded:
		if r.OnHold || e.Step != r.Step {
			return // the turn was not that of our prompt
		}
		if r.State == api.TaskStarting || r.PromptPending {
			c.delivered(r) // the delivery's own report may come later than the end of a short turn
		}
		r.TurnEnd, r.Background, r.ReportDue, r.Progress = c.now, e.Background, e.ReportDue, c.now
		r.Result.Message = cmp.Or(e.Message, r.Result.Message)
		c.put(*r)
	case Used:
		c.used(r, e)
		r.Progress = c.now
		c.put(*r)
		c.overspent(r)
	case Exited:
		c.exited(r, e)
	}
}

// delivered notes that the agent has taken the prompt.
func (c *Core) delivered(r *Record) {
	r.Progress, r.ResumePrompt, r.Stalled = c.now, "", false
	if r.State == api.TaskStarting || r.PromptPending {
		r.PromptPending = false
		c.setState(r, api.TaskRunning, "")
	}
}

// used puts the consumption of the attempt into its result.
func (c *Core) used(r *Record, e Used) {
	r.Result.Turns, r.Result.Tokens = e.Turns, e.Tokens
	if e.Cost > 0 { // or it is not known yet, of a conversation that goes on
		r.Result.Cost = e.Cost
	}
	if e.Denials != nil {
		r.Result.Denials = e.Denials
	}
	r.Result.Message = cmp.Or(e.Message, r.Result.Message)
	r.Result.Conversation = cmp.Or(e.Conversation, r.Result.Conversation)
	if e.Files != nil {
		r.Result.Files = e.Files
	}
}

func (c *Core) overspent(r *Record) {
	var what string
	switch {
	case r.MaxTurns > 0 && r.Result.Turns > r.MaxTurns:
		what = fmt.Sprintf("it took more than %d turns", r.MaxTurns)
	case r.MaxTokens > 0 && r.Result.Tokens > r.MaxTokens:
		what = fmt.Sprintf("it used more than %d tokens", r.MaxTokens)
	case r.MaxCost > 0 && r.Result.Cost > r.MaxCost:
		what = fmt.Sprintf("it cost more than $%g", r.MaxCost)
	default:
		return
	}
	c.end(r, api.TaskFailed, what)
}

func (c *Core) observe(r *Record, e Observed) {
	if r.OnHold {
		return
	}
	r.Progress, r.Stalled = c.now, false
	if e.State == api.StateWorking || e.State.NeedsPerson() {
		r.TurnEnd = time.Time{} // the turn continues, or the next one has begun
	}
	switch {
	case e.State.NeedsPerson():
		if r.State != api.TaskStarting && !r.PromptPending {
			c.answered(r.ID)
		}
		r.PromptPending = r.PromptPending || r.State == api.TaskStarting
		c.setState(r, api.TaskWaiting, cmp.Or(e.Question, "the agent asks something"))
	case r.State == api.TaskWaiting && r.PromptPending:
		r.PromptPending = false
		c.setState(r, api.TaskStarting, "")
	case r.State == api.TaskWaiting:
		c.setState(r, api.TaskRunning, "")
	}
	c.put(*r)
}

func (c *Core) exited(r *Record, e Exited) {
	r.Exit = c.now
	r.Result.ExitCode = e.Code
	switch {
	case e.Code == nil:
		c.lost(r, cmp.Or(e.Reason, "its session was lost"))
	case r.OnHold:
		r.OnHold = false
		c.fail(r, Failed{Kind: FailTask, Reason: fmt.Sprintf("the session ended with code %d before step %d", *e.Code, r.Step+1)})
	case r.Kind == api.TaskInteractive && (r.State == api.TaskStarting || r.PromptPending):
		c.fail(r, Failed{Kind: FailTask, Reason: fmt.Sprintf("the session ended with code %d before it took the prompt", *e.Code)})
	default:
		if r.State == api.TaskStarting {
			c.setState(r, api.TaskRunning, "")
		}
		c.put(*r)
	}
}

// maxLost bounds the attempts in a row that are lost and retried.
const maxLost = 3

// lost handles the end of a process without an exit code.
func (c *Core) lost(r *Record, reason string) {
	r.Exit = c.now
	conv, taken := r.Result.Conversation, r.State != api.TaskStarting && !r.PromptPending
	switch {
	case r.Kind == api.TaskPrint && !r.Idempotent:
		c.end(r, api.TaskFailed, "lost: "+reason+"; a print task runs again only if it is marked idempotent")
	case r.Kind == api.TaskInteractive && taken && conv != "" && !c.ResumeLost:
		c.end(r, api.TaskFailed, fmt.Sprintf("lost: %s; `%s` goes on", reason, resumeCommand(r.Task)))
	case r.LostAttempts >= maxLost || r.Kind == api.TaskInteractive && taken && conv == "":
		c.fail(r, Failed{Kind: FailTask, Reason: "lost: " + reason})
	default: // not the task's fault: it is retried, and no failure is counted
		r.LostAttempts++
		if taken && r.Kind == api.TaskInteractive {
			r.Resume, r.ResumePrompt = conv, continuePrompt
		}
		c.requeue(r, c.now.Add(backoff(c.times.Backoff, r.LostAttempts)), "lost: "+reason+"; it goes on")
	}
}

// resumeCommand is the command that resumes a task's conversation. Agents find it only in
// the directory where it began.
func resumeCommand(t api.Task) string {
	quoted := "'" + strings.ReplaceAll(t.CWD, "'", `'\''`) + "'"
	if plainPath().MatchString(t.CWD) {
		quoted = t.CWD
	}
	return fmt.Sprintf("ccdir new -a %s -C %s --resume %s", t.Agent, quoted, t.Result.Conversation)
}

// plainPath matches paths that need no quotes in a shell.
var plainPath = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_./@%+:,=-]+$`) })

// fail handles a failed attempt.
func (c *Core) fail(r *Record, f Failed) {
	switch {
	case f.Kind == FailInvalid:
		c.end(r, api.TaskFailed, f.Reason)
	case f.Kind == FailCapacity:
		c.requeue(r, c.now.Add(c.times.Backoff), f.Reason)
	case f.Kind == FailUsage:
		r.LimitHits++
		c.limitMet(r.LimitClass(), r.ID, f.Reset, r.LimitHits)
		r.Resume = cmp.Or(r.Result.Conversation, r.Resume)
		if r.Answered = r.Answered || r.Result.Turns > 0 && r.Result.Conversation != ""; r.Answered {
			r.ResumePrompt = continuePrompt // the prompt itself would start the work over
		}
		switch r.ResumeAfterLimit {
		case api.ResumeOff:
			c.end(r, api.TaskFailed, f.Reason)
		case api.ResumeAsk:
			c.noteDuration(r)
			c.hold(r, f.Reason+": `ccdir task start` has it go on")
		default:
			c.trail = append(c.trail, Transition{Task: r.ID, Session: r.Session, From: r.State, To: api.TaskQueued, Reason: f.Reason, Note: api.EventTaskParked})
			c.requeue(r, time.Time{}, f.Reason)
		}
	default:
		c.noteDuration(r)
		r.Failures++
		r.Step, r.Resume, r.ResumePrompt, r.Interruptions, r.Answered = 0, r.Conversation, "", 0, false
		switch {
		case r.Failures > r.Retries:
			c.end(r, api.TaskFailed, f.Reason)
		case r.Failures >= 2:
			c.hold(r, "failed twice in a row ("+f.Reason+"): `ccdir task start` tries again")
		default:
			c.requeue(r, c.now.Add(backoff(c.times.Backoff, r.Failures)), f.Reason)
		}
	}
}

// hold ends the attempt and has the task wait for a person.
func (c *Core) hold(r *Record, reason string) {
	c.setState(r, api.TaskWaiting, reason)
	r.OnHold, r.Stalled, r.PromptPending = true, false, false
	c.release(r, false)
	c.put(*r)
}

// maxPark bounds the reported end of a usage limit: some limits are monthly. A later one
// is taken for a mistake.
const maxPark = 32 * 24 * time.Hour

// backoff is the delay before retry n, from 1: base, doubled for each further one.
func backoff(base time.Duration, n int) time.Duration {
	d := base
	for ; n > 1 && d < maxBackoff; n-- {
		d *= 2
	}
	return min(d, maxBackoff)
}

// requeue ends the attempt and queues the task for another one, not before at.
func (c *Core) requeue(r *Record, at time.Time, reason string) {
	c.noteDuration(r)
	c.setState(r, api.TaskQueued, reason)
	r.NotBefore, r.Stalled, r.PromptPending, r.Approved = at, false, false, true
	if r.Resume == "" {
		r.Account = "" // any of its accounts will do
	}
	c.release(r, false)
	c.put(*r)
}
