package orchestrator

import (
	"cmp"
	"fmt"

	"ccdir/api"
)

// A task with Review is done when a person says so. Until then its session stays open, and what that does on prompts of others is no
// step of ours: only its state is followed.

// review has a task whose last step has ended wait for a person's ok.
func (c *Core) review(r *Record) {
	c.noteDuration(r)
	r.Stage, r.Stages = api.StageReview, r.Stages+1
	r.UnderReview, r.OnHold, r.Reworked, r.Stalled, r.PromptPending = true, true, false, false, false
	c.reviewDue(r)
	if !r.Exit.IsZero() {
		r.HasSlot = false
	}
	c.put(*r)
}

// reviewDue says what a task under review waits for.
func (c *Core) reviewDue(r *Record) {
	where := "`ccdir review " + r.Session + "`"
	if r.Session == "" || !r.Exit.IsZero() {
		where = "its session has ended"
	}
	then := "it is done"
	if r.PR {
		then = "its pull request can be made"
	}
	c.setState(r, api.TaskWaiting, fmt.Sprintf("waits for your review (%s): `ccdir task start %s` says that %s", where, r.ID, then))
}

// reviewAlone notes that the session of a task under review has ended.
func (c *Core) reviewAlone(r *Record) {
	r.Exit, r.HasSlot = c.now, false
	c.reviewDue(r)
	c.put(*r)
}

// reportReviewed handles a report about a task under review: a failure is the business of whoever wrote the prompt.
func (c *Core) reportReviewed(r *Record, e Event) {
	switch e := e.(type) {
	case Exited:
		r.Result.ExitCode = e.Code
		c.reviewAlone(r)
		return
	case Observed:
		switch {
		case e.State == api.StateWorking:
			r.Reworked = true
			c.setState(r, api.TaskRunning, "on what was said of its work")
		case e.State.NeedsPerson():
			c.setState(r, api.TaskWaiting, cmp.Or(e.Question, "the agent asks something"))
		default:
			c.reviewDue(r)
		}
	case Used:
		c.used(r, e)
	default:
		return
	}
	r.Progress = c.now
	c.put(*r)
}
