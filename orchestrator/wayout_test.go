package orchestrator

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/api"
)

// leaving is a queue with a task on its way out, in its checks; its next tasks need it.
func leaving(t *testing.T, n api.NewTask) *Core {
	t.Helper()
	n.Prompt, n.PR, n.Worktree = "p", true, "fix"
	c := queue(t, n, api.NewTask{Prompt: "next", After: []api.TaskAfter{{Task: "t1"}}})
	do(t, c, 1, up("t1", 1)...)
	do(t, c, time.Second, TurnEnded{Ref: Ref{"t1", 1}, Message: "all"})
	do(t, c, 10*time.Second, Tick{})
	stage(t, c, api.StageChecks, api.TaskRunning, "its checks run")
	c.Take()
	c.Settle()
	return c
}

// staged says what became of the stage of t1.
func staged(c *Core, outcome StageOutcome) Staged {
	r := c.tasks["t1"]
	return Staged{Task: r.ID, Stage: r.Stage, Stages: r.Stages, Outcome: outcome, Reason: "check lint failed", Text: "mend lint"}
}

func stage(t *testing.T, c *Core, want api.TaskStage, state api.TaskState, reason string) {
	t.Helper()
	r := c.tasks["t1"]
	if r.Stage != want || r.State != state || !strings.Contains(r.Reason, reason) {
		t.Errorf("stage %q, %s (%s), want %q, %s (%s)", r.Stage, r.State, r.Reason, want, state, reason)
	}
}

// effects are what the core asked for since the last call.
func effects(c *Core) (kinds []string) {
	for _, e := range c.Take().Effects {
		kinds = append(kinds, strings.TrimSpace(fmt.Sprint(string(e.Kind), " ", e.Resume, " ", e.Text)))
	}
	c.Settle()
	return kinds
}

// TestWayOut: checks, a person's ok, push, pull request, merge. Each is said once, and a late word about an earlier stage changes nothing.
func TestWayOut(t *testing.T) {
	c := leaving(t, api.NewTask{Review: true, Timeout: api.Duration(time.Minute)})
	do(t, c, time.Hour, Tick{}) // its time counts no longer
	late := staged(c, StagePassed)
	do(t, c, time.Hour, late, late)
	stage(t, c, api.StageReview, api.TaskWaiting, "waits for your review")
	do(t, c, time.Hour, StartNow{"t1"})
	stage(t, c, api.StagePush, api.TaskRunning, "pushed")
	do(t, c, time.Hour, late)
	stage(t, c, api.StagePush, api.TaskRunning, "")
	pushed := staged(c, StagePassed)
	pushed.Pull = &api.PullRequest{Number: 12, State: api.PullRequestOpen, Checks: api.ChecksPending}
	do(t, c, time.Hour, pushed)
	stage(t, c, api.StageOpen, api.TaskRunning, "pull request #12 is open, its checks run")
	if got := effects(c); !slices.Equal(got, []string{"end"}) {
		t.Errorf("effects %q: its session is not needed any more", got)
	}
	do(t, c, time.Hour, Exited{Ref: Ref{"t1", 1}, Code: code(0)})
	if c.slots != 0 || c.tasks["t2"].State != api.TaskQueued {
		t.Errorf("%d slots, t2 is %s", c.slots, c.tasks["t2"].State)
	}
	seen := staged(c, StageSeen)
	seen.Pull = &api.PullRequest{Number: 12, State: api.PullRequestOpen}
	do(t, c, 2*time.Hour, seen)
	stage(t, c, api.StageOpen, api.TaskRunning, "pull request #12 is open")
	do(t, c, 3*time.Hour, staged(c, StageMerged))
	want(t, c, "t1", api.TaskDone, "was merged: `ccdir worktree rm fix` removes its work tree")
	want(t, c, "t2", api.TaskStarting, "")
	if r := c.tasks["t1"]; !r.Unseen || r.Pull.Number != 12 {
		t.Errorf("%+v", r)
	}
}

// TestComesBack: what fails in its checks is the next step of the same session, and what fails at its pull request that of its
// conversation in a new one; after so many rounds a person is asked, who may let it have more.
func TestComesBack(t *testing.T) {
	c := leaving(t, api.NewTask{Rounds: 2})
	turn := func(at time.Duration, attempt, step int) {
		t.Helper()
		do(t, c, at, Delivered{Ref: Ref{"t1", attempt}, Step: step}, TurnEnded{Ref: Ref{"t1", attempt}, Step: step})
		do(t, c, at+20*time.Second, Tick{})
		stage(t, c, api.StageChecks, api.TaskRunning, "")
	}
	do(t, c, time.Minute, staged(c, StageBack))
	if got := effects(c); !slices.Equal(got, []string{"deliver  mend lint"}) {
		t.Errorf("effects %q", got)
	}
	turn(2*time.Minute, 1, 1)
	do(t, c, 3*time.Minute, staged(c, StagePassed))
	do(t, c, 3*time.Minute, staged(c, StagePassed))
	stage(t, c, api.StageOpen, api.TaskRunning, "")
	do(t, c, 4*time.Minute, Exited{Ref: Ref{"t1", 1}, Code: code(0)})
	effects(c)
	passing := staged(c, StageSeen)
	passing.Pull = &api.PullRequest{Number: 12, State: api.PullRequestOpen, Checks: api.ChecksPassing}
	do(t, c, 4*time.Minute, passing) // its rounds begin anew
	said := staged(c, StageBack)
	said.Keys, said.Text = []string{"comment 1"}, "rename it"
	do(t, c, 5*time.Minute, said)
	if got := effects(c); !slices.Equal(got, []string{"start conv rename it"}) {
		t.Errorf("effects %q", got)
	}
	do(t, c, 5*time.Minute, Started{Ref: Ref{"t1", 2}, Session: "s2", Conversation: "conv"})
	turn(6*time.Minute, 2, 2)
	do(t, c, 7*time.Minute, staged(c, StagePassed), staged(c, StagePassed))
	if r := c.tasks["t1"]; r.Stage != api.StagePush {
		t.Fatalf("%+v", r)
	}
	do(t, c, 7*time.Minute, staged(c, StagePassed))
	passing.Stages = c.tasks["t1"].Stages
	do(t, c, 7*time.Minute, passing)
	again := staged(c, StageBack)
	again.Keys, again.Text = said.Keys, "rename it"
	do(t, c, 8*time.Minute, again) // it was said before
	stage(t, c, api.StageOpen, api.TaskRunning, "")
	for i := range 3 {
		again.Keys, again.Stages = []string{fmt.Sprint("check ", i)}, c.tasks["t1"].Stages
		do(t, c, 8*time.Minute, again)
		if i == 2 {
			break
		}
		if i == 0 {
			do(t, c, 8*time.Minute, Exited{Ref: Ref{"t1", 2}, Code: code(0)}, Started{Ref: Ref{"t1", 3}, Session: "s3", Conversation: "conv"})
		}
		turn(time.Duration(9+i)*time.Minute, 3, 3+i)
		again = staged(c, StageBack)
	}
	stage(t, c, api.StageChecks, api.TaskWaiting, "check lint failed, after 2 rounds: `ccdir task start t1` tries again")
	do(t, c, time.Hour, StartNow{"t1"}, staged(c, StageBack))
	stage(t, c, api.StageChecks, api.TaskRunning, "") // late: about the try before
	do(t, c, time.Hour, staged(c, StageBack))
	want(t, c, "t1", api.TaskRunning, "")
	if r := c.tasks["t1"]; r.Stage != "" || r.Round != 1 || r.Steps[r.Step-1] != "mend lint" {
		t.Errorf("%+v", r)
	}
}

// TestWayOutStuck: a stage that needs a person waits, and is tried again; cancelled and closed end it.
func TestWayOutStuck(t *testing.T) {
	c := leaving(t, api.NewTask{})
	stuck := staged(c, StageStuck)
	stuck.Reason = "nobody has agreed to the check lint"
	do(t, c, time.Minute, stuck)
	stage(t, c, api.StageChecks, api.TaskWaiting, "nobody has agreed to the check lint: `ccdir task start t1` tries again")
	do(t, c, time.Minute, Exited{Ref: Ref{"t1", 1}}) // it does not matter
	stage(t, c, api.StageChecks, api.TaskWaiting, "")
	var records []Record
	for _, r := range c.tasks {
		records = append(records, *r)
	}
	c = Restore(DefaultTimes(), c.set, records)
	c.Recover(t0.Add(time.Hour), nil)
	do(t, c, time.Hour, StartNow{"t1"})
	stage(t, c, api.StageChecks, api.TaskRunning, "")
	do(t, c, time.Hour, staged(c, StagePassed))
	do(t, c, time.Hour, staged(c, StagePassed))
	do(t, c, time.Hour, staged(c, StageClosed))
	want(t, c, "t1", api.TaskCancelled, "closed without a merge")
	want(t, c, "t2", api.TaskBlocked, "")
	c = leaving(t, api.NewTask{})
	before := staged(c, StagePassed)
	do(t, c, time.Minute, Cancel{"t1"}, before)
	want(t, c, "t1", api.TaskCancelled, "by a person")
}

// TestRoundsAtThePull: rounds count on while the pull request's checks do not pass, however often the branch is pushed.
func TestRoundsAtThePull(t *testing.T) {
	c := leaving(t, api.NewTask{Rounds: 2})
	for i := range 3 {
		at := time.Duration(i+1) * time.Hour
		do(t, c, at, staged(c, StagePassed))
		do(t, c, at, staged(c, StagePassed))
		do(t, c, at, Exited{Ref: Ref{"t1", i + 1}, Code: code(0)})
		e := staged(c, StageBack)
		e.Keys = []string{fmt.Sprint("check ", i)}
		do(t, c, at, e)
		if i == 2 {
			break
		}
		do(t, c, at, Started{Ref: Ref{"t1", i + 2}, Session: fmt.Sprint("s", i+2), Conversation: "conv"}, Delivered{Ref: Ref{"t1", i + 2}, Step: i + 1}, TurnEnded{Ref: Ref{"t1", i + 2}, Step: i + 1})
		do(t, c, at+20*time.Second, Tick{})
		stage(t, c, api.StageChecks, api.TaskRunning, "")
	}
	stage(t, c, api.StageOpen, api.TaskWaiting, "check lint failed, after 2 rounds")
}

// TestFailsStill: a person is asked about a check that fails still though nothing was committed, once; what they do at the pull
// request answers, and so does `task start`, which lets it be told again.
func TestFailsStill(t *testing.T) {
	open := func() *Core {
		c := leaving(t, api.NewTask{})
		do(t, c, time.Minute, staged(c, StagePassed))
		do(t, c, time.Minute, staged(c, StagePassed))
		c.tasks["t1"].Dealt = []string{"said:1", "check:c0:lint"}
		seen := staged(c, StageSeen)
		seen.Pull = &api.PullRequest{Number: 12, State: api.PullRequestOpen, Checks: api.ChecksFailing}
		fails := staged(c, StageStuck)
		fails.Reason, fails.Keys = "the check lint fails still", []string{"check:c0:lint"}
		do(t, c, time.Hour, seen, fails)
		stage(t, c, api.StageOpen, api.TaskWaiting, "the check lint fails still: `ccdir task start t1` tries again")
		late := staged(c, StageBack)
		late.Keys = fails.Keys
		do(t, c, time.Hour, seen, late)
		stage(t, c, api.StageOpen, api.TaskWaiting, "the check lint fails still")
		return c
	}
	c := open()
	mended := staged(c, StageSeen)
	mended.Pull = &api.PullRequest{Number: 12, State: api.PullRequestOpen, Checks: api.ChecksPassing}
	do(t, c, 2*time.Hour, mended)
	stage(t, c, api.StageOpen, api.TaskRunning, "pull request #12 is open")
	c = open()
	do(t, c, 2*time.Hour, staged(c, StageMerged))
	want(t, c, "t1", api.TaskDone, "was merged")
	c = open()
	do(t, c, 2*time.Hour, StartNow{"t1"})
	stage(t, c, api.StageOpen, api.TaskRunning, "its checks fail")
	told := staged(c, StageBack)
	told.Keys = []string{"check:c0:lint"}
	do(t, c, 2*time.Hour, told)
	if r := c.tasks["t1"]; r.Stage != "" || !slices.Equal(r.Dealt, []string{"said:1", "check:c0:lint"}) || r.Steps[len(r.Steps)-1] != "mend lint" {
		t.Errorf("%+v", r)
	}
}

// TestEndsAnew: a session that was to end when its pull request was open is ended by the next daemon, or is gone; then what comes back starts.
func TestEndsAnew(t *testing.T) {
	for _, alive := range []bool{true, false} {
		c := leaving(t, api.NewTask{})
		do(t, c, time.Minute, staged(c, StagePassed))
		do(t, c, time.Minute, staged(c, StagePassed))
		var records []Record
		for _, r := range c.tasks {
			records = append(records, *r)
		}
		c = Restore(DefaultTimes(), c.set, records)
		c.Recover(t0.Add(time.Hour), []Found{{Ref: Ref{"t1", 1}, Session: "s", Conversation: "conv", Ended: !alive}})
		if got := effects(c); alive != slices.Equal(got, []string{"end"}) {
			t.Errorf("alive %v: effects %q", alive, got)
		}
		if alive {
			do(t, c, time.Hour, Exited{Ref: Ref{"t1", 1}, Code: code(0)})
		}
		do(t, c, 2*time.Hour, staged(c, StageBack))
		if got := effects(c); !slices.Equal(got, []string{"start conv mend lint"}) {
			t.Errorf("alive %v: effects %q", alive, got)
		}
	}
}

// TestReworked: what a person's comments changed is checked again before it is pushed, without a second ok.
func TestReworked(t *testing.T) {
	c := leaving(t, api.NewTask{Review: true})
	do(t, c, time.Minute, staged(c, StagePassed))
	do(t, c, time.Minute, Observed{Ref: Ref{"t1", 1}, State: api.StateWorking}, Observed{Ref: Ref{"t1", 1}, State: api.StateIdle}, StartNow{"t1"})
	stage(t, c, api.StageChecks, api.TaskRunning, "")
	do(t, c, time.Minute, staged(c, StagePassed))
	stage(t, c, api.StagePush, api.TaskRunning, "")
}
