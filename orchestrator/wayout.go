package orchestrator

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"ccdir/api"
)

// A task with PR goes a way out when its last step has ended: the project's checks run, a person looks (Review), its branch is
// pushed and its pull request made, and that is followed until it is merged or closed. The core knows in which stage a task is;
// whoever carries the stages out (daemon/intake) looks at Task.Stage, and says by Staged what became of one. What fails comes
// back as a further step of the task, at most Rounds times until the checks of its pull request pass; then a person is asked.

const (
	// defaultRounds is NewTask.Rounds where that is 0; maxRounds bounds it.
	defaultRounds = 3
	maxRounds     = 100
	// maxDealt bounds Record.Dealt: what is older was answered long ago.
	maxDealt = 1000
)

// leave has a task whose last step has ended go its way out.
func (c *Core) leave(r *Record) {
	switch {
	case r.PR:
		r.Okayed = false
		c.enter(r, api.StageChecks)
	case r.Review:
		c.review(r)
	default:
		c.end(r, api.TaskDone, "")
	}
}

// enter begins a stage, or tries it again.
func (c *Core) enter(r *Record, stage api.TaskStage) {
	c.noteDuration(r)
	was := r.Stage
	r.Stage, r.Stages = stage, r.Stages+1
	r.UnderReview, r.OnHold, r.Stalled, r.PromptPending = false, false, false, false
	reason := map[api.TaskStage]string{api.StageChecks: "its checks run", api.StagePush: "its branch is pushed"}[stage]
	if stage == api.StageOpen {
		reason = pullWords(r)
		c.release(r, r.Keep)
	}
	if r.State == api.TaskRunning && was != stage { // no change of state tells it
		c.trail = append(c.trail, Transition{Task: r.ID, Session: r.Session, From: r.State, To: r.State, Reason: reason, Note: api.EventTaskStage})
	}
	c.setState(r, api.TaskRunning, reason)
	c.put(*r)
}

// pullWords say what its pull request waits for.
func pullWords(r *Record) string {
	if r.Pull == nil {
		return "its pull request is open"
	}
	words := fmt.Sprintf("pull request #%d is open", r.Pull.Number)
	switch r.Pull.Checks {
	case api.ChecksPending:
		words += ", its checks run"
	case api.ChecksFailing:
		words += ", its checks fail"
	}
	return words
}

// okay is a person's ok to the work of a task under review.
func (c *Core) okay(r *Record) {
	switch {
	case !r.PR:
		c.end(r, api.TaskDone, "")
	case r.Reworked: // what the checks passed is not what it is now
		r.Okayed = true
		c.enter(r, api.StageChecks)
	default:
		r.Okayed = true
		c.enter(r, api.StagePush)
	}
}

// onTheWay reports whether a task is in a stage that somebody carries out.
func onTheWay(r *Record) bool { return r.Stage != "" && !r.UnderReview }

// staged handles what became of a stage. About another one it is late, and changes nothing.
func (c *Core) staged(e Staged) {
	old := c.tasks[e.Task]
	if old == nil || old.State.Ended() || !onTheWay(old) || old.Stage != e.Stage || old.Stages != e.Stages {
		return
	}
	r := *old
	failed := r.Pull != nil && r.Pull.Checks == api.ChecksFailing
	if e.Pull != nil {
		r.Pull = e.Pull
	}
	switch e.Outcome {
	case StageBack, StageStuck:
		if r.State == api.TaskWaiting {
			return // a person is asked already
		}
	}
	switch e.Outcome {
	case StagePassed:
		c.passed(&r)
	case StageBack:
		c.comeBack(&r, e)
	case StageStuck:
		r.Dealt = slices.DeleteFunc(slices.Clone(r.Dealt), func(k string) bool { return slices.Contains(e.Keys, k) })
		c.stuck(&r, e.Reason)
	case StageSeen:
		if r.Pull != nil && r.Pull.Checks == api.ChecksPassing {
			r.Round = 0 // it came as far as it can by itself
		}
		switch {
		case r.State != api.TaskWaiting:
			r.Reason = pullWords(&r)
		case failed && r.Pull.Checks == api.ChecksPassing: // what a person was asked about has been mended
			c.enter(&r, r.Stage)
			return
		}
		c.put(r)
	case StageMerged:
		c.end(&r, api.TaskDone, "its pull request was merged"+treeWords(&r))
	case StageClosed:
		c.end(&r, api.TaskCancelled, "its pull request was closed without a merge"+treeWords(&r))
	}
}

// treeWords offer to remove the work tree.
func treeWords(r *Record) string {
	if branch := r.Branch(); branch != "" {
		return fmt.Sprintf(": `ccdir worktree rm %s` removes its work tree", branch)
	}
	return ""
}

func (c *Core) passed(r *Record) {
	switch {
	case r.Stage == api.StageChecks && r.Review && !r.Okayed:
		c.review(r)
	case r.Stage == api.StageChecks:
		c.enter(r, api.StagePush)
	default:
		c.enter(r, api.StageOpen)
	}
}

// stuck has a person decide how a stage goes on: startNow tries it again.
func (c *Core) stuck(r *Record, reason string) {
	c.setState(r, api.TaskWaiting, fmt.Sprintf("%s: `ccdir task start %s` tries again", reason, r.ID))
	c.put(*r)
}

// tryAgain tries a stage again in which a task was stuck.
func (c *Core) tryAgain(r *Record) {
	r.Round = 0
	c.enter(r, r.Stage)
}

// comeBack makes what failed the task's next step.
func (c *Core) comeBack(r *Record, e Staged) {
	if len(e.Keys) > 0 && !slices.ContainsFunc(e.Keys, func(k string) bool { return !slices.Contains(r.Dealt, k) }) {
		return // it was told before
	}
	if most := cmp.Or(r.Rounds, defaultRounds); r.Round >= most {
		c.stuck(r, fmt.Sprintf("%s, after %d rounds", e.Reason, r.Round))
		return
	}
	r.Dealt = slices.Concat(r.Dealt, e.Keys)
	r.Dealt = r.Dealt[max(0, len(r.Dealt)-maxDealt):]
	r.Steps = append(slices.Clone(r.Steps), e.Text)
	r.Stage, r.Okayed, r.Round = "", false, r.Round+1
	r.Step, r.Interruptions, r.Answered, r.ResumePrompt = len(prompts(r.NewTask))-1, 0, false, ""
	c.trail = append(c.trail, Transition{Task: r.ID, Session: r.Session, From: r.State, To: r.State, Reason: e.Reason, Note: api.EventTaskStage})
	if r.HasSlot && !r.Ending && r.Exit.IsZero() {
		c.deliver(r)
		return
	}
	r.Resume = cmp.Or(r.Result.Conversation, r.Resume)
	c.requeue(r, time.Time{}, e.Reason)
}

// reportLeaving handles a report about the session of a task in a stage: it is not needed there.
func (c *Core) reportLeaving(r *Record, e Event) {
	switch e := e.(type) {
	case Exited:
		r.Result.ExitCode = e.Code
		r.Exit, r.HasSlot = c.now, false
	case Used:
		c.used(r, e)
	default:
		return
	}
	c.put(*r)
}
