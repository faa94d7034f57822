package api

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Hold is what keeps a queued task from starting.
type Hold string

// The holds, in the order in which they are looked for.
const (
	HoldNone    Hold = ""
	HoldAfter   Hold = "after"    // tasks that it comes after have not ended
	HoldPerson  Hold = "held"     // a person holds it back
	HoldBackoff Hold = "back-off" // after a failure, until a time
	HoldAgent   Hold = "agent"    // its agent has reached its usage limit
	HoldQuota   Hold = "quota"    // what the queue may use is used
	HoldPaused  Hold = "paused"   // the queue is paused
	HoldManual  Hold = "manual"   // a person has to start it
	HoldLimit   Hold = "limit"    // as many tasks run as may run at once
)

// Hold tells what keeps a queued task from starting, and says it in words; HoldNone for
// tasks in other states, and for one that starts next. open has the ids and names of
// the tasks that have not ended.
func (q Queue) Hold(t Task, open map[string]bool, now time.Time) (h Hold, words string) {
	if t.State != TaskQueued {
		return HoldNone, ""
	}
	var after []string
	for _, a := range t.After {
		if open[a.Task] {
			after = append(after, a.Task)
		}
	}
	why, until, kept := q.kept(t, now)
	switch {
	case len(after) > 0:
		return HoldAfter, "waits for " + strings.Join(after, ", ")
	case t.Hold:
		return HoldPerson, "held back"
	case t.NotBefore.After(now):
		return HoldBackoff, "back-off until " + holdClock(t.NotBefore, now)
	case kept != HoldNone && until.IsZero():
		return kept, why
	case kept != HoldNone:
		return kept, why + " until " + holdClock(until, now)
	case q.Mode == QueuePaused:
		return HoldPaused, "the queue is paused"
	case q.Mode == QueueManual && t.Attempt == 0:
		return HoldManual, "mode is manual"
	case q.Counts[TaskStarting]+q.Counts[TaskRunning]+q.Counts[TaskWaiting] >= q.Limit:
		return HoldLimit, fmt.Sprintf("limit of %d reached", q.Limit)
	}
	return HoldNone, ""
}

// kept is what keeps all of the task's accounts from it, for the first one that has room again; until is
// zero where no time ends it.
func (q Queue) kept(t Task, now time.Time) (why string, until time.Time, h Hold) {
	accounts := t.Accounts
	if t.Account != "" || len(accounts) == 0 {
		accounts = []string{t.Account}
	}
	for i, account := range accounts {
		w, at, kept := q.keptFrom(t, account, now)
		if kept == HoldNone {
			return "", time.Time{}, HoldNone
		}
		if i == 0 || later(until, at) {
			why, until, h = w, at, kept
		}
	}
	return why, until, h
}

// keptFrom is what keeps one account from the task for longest.
func (q Queue) keptFrom(t Task, account string, now time.Time) (why string, until time.Time, h Hold) {
	class := LimitClass(t.Agent, account)
	if at := q.Parked[class]; at.After(now) {
		why, until, h = "usage limit of "+class, at, HoldAgent
	}
	for _, held := range q.Held {
		if held.Fits(t, account) && held.InForce(now) && (h == HoldNone || later(held.Until, until)) {
			why, until, h = held.Why, held.Until, HoldQuota
		}
	}
	return why, until, h
}

// later reports whether a is after b; the zero time is never.
func later(a, b time.Time) bool { return !b.IsZero() && (a.IsZero() || a.After(b)) }

// QueueHold keeps the queue from starting tasks: those that fit what it names. A person can start one all
// the same.
type QueueHold struct {
	// Agent is an agent's name in config.toml, Account an account's (AccountDefault: the agent's own
	// sign-in), Label one of tasks, Request that of a call whose tasks have a bound together, or the id of one
	// that was added alone. "" fits all.
	Agent   string `json:"agent,omitempty"`
	Account string `json:"account,omitempty"`
	Label   string `json:"label,omitempty"`
	Request string `json:"request,omitempty"`
	// Why is for people, Until when it ends; zero: when something else changes.
	Why   string    `json:"why"`
	Until time.Time `json:"until,omitzero"`
}

// Fits reports whether the hold is one of the task, if that uses the account.
func (h QueueHold) Fits(t Task, account string) bool {
	return (h.Agent == "" || h.Agent == t.Agent) && (h.Account == "" || h.Account == cmp.Or(account, AccountDefault)) &&
		(h.Label == "" || slices.Contains(t.Labels, h.Label)) && (h.Request == "" || h.Request == t.Set())
}

// InForce reports whether it holds at that time.
func (h QueueHold) InForce(now time.Time) bool { return h.Until.IsZero() || h.Until.After(now) }

// Set names the tasks that were added with it, and share MaxCostAll.
func (t Task) Set() string { return cmp.Or(t.Request, t.ID) }

// holdClock is a time of today in hours and minutes, one of the next minute with seconds,
// another with its day.
func holdClock(at, now time.Time) string {
	at, now = at.Local(), now.Local()
	switch {
	case at.Sub(now) < time.Minute:
		return at.Format("15:04:05")
	case at.YearDay() != now.YearDay() || at.Year() != now.Year():
		return at.Format("Mon 2 Jan 15:04")
	}
	return at.Format("15:04")
}

// OpenTasks are the ids and names of those that have not ended.
func OpenTasks(list []Task) map[string]bool {
	open := map[string]bool{}
	for _, t := range list {
		if !t.State.Ended() {
			open[t.ID], open[t.Name] = true, true
		}
	}
	return open
}

// Need is a task's place in lists: what needs a person first.
type Need int

// The needs, in the order of lists.
const (
	NeedsYou    Need = iota // it waits for a person, or makes no progress
	NeedFailed              // it failed, ran out of time, or is blocked by one that did
	NeedRunning             // its session works
	NeedWaiting             // queued, behind other tasks or until a time
	NeedQueued              // queued
	NeedDone                // done, or cancelled
)

func (n Need) String() string {
	return [...]string{"needs you", "failed", "running", "has to wait", "queued", "done"}[n]
}

// Need is the task's place for the reason that keeps it from starting (Queue.Hold).
func (t Task) Need(h Hold) Need {
	switch {
	case t.State == TaskDone, t.State == TaskCancelled:
		return NeedDone
	case t.State.Ended():
		return NeedFailed
	case t.State == TaskWaiting, t.Stalled:
		return NeedsYou
	case t.State != TaskQueued:
		return NeedRunning
	case h == HoldAfter, h == HoldBackoff, h == HoldAgent, h == HoldQuota:
		return NeedWaiting
	}
	return NeedQueued
}

// Headline is one line about the task: what became of it, or why it stands where it does;
// "" if nothing is known. hold are the words of Queue.Hold. Its text comes from agents.
func (t Task) Headline(hold string) string {
	line := t.Reason
	switch {
	case t.State == TaskDone:
		line = t.Result.Message
	case hold != "" && t.Reason != "" && t.Attempt > 0:
		line = hold + ": " + t.Reason
	case hold != "":
		line = hold
	}
	line, _, _ = strings.Cut(strings.TrimSpace(line), "\n")
	return strings.TrimRight(line, "\r")
}

// Standing is what the task's state means to a person, in the words and signs that sessions
// have.
func (t Task) Standing() Standing {
	switch t.State {
	case TaskDone:
		if t.Unseen {
			return StandingDone
		}
		return StandingEnded
	case TaskFailed, TaskTimedOut, TaskBlocked:
		if t.Unseen {
			return StandingFailed
		}
		return StandingSettled
	case TaskCancelled:
		return StandingEnded
	case TaskQueued:
		return StandingIdle
	}
	if t.State == TaskWaiting || t.Stalled {
		return StandingAsks
	}
	return StandingWorking
}

// StandingWord is the task's state in a word or two; on its way out, the stage that it is in.
func (t Task) StandingWord() string {
	if t.Stalled {
		return "stalled"
	}
	if t.Stage == StageReview || t.Stage != "" && t.State == TaskRunning {
		return map[TaskStage]string{StageChecks: "in checks", StageReview: "in review", StagePush: "is pushed", StageOpen: "pull request"}[t.Stage]
	}
	return t.State.Word()
}

// Word is the state in words, as those of sessions.
func (s TaskState) Word() string {
	if s == TaskWaiting {
		return string(StandingAsks)
	}
	return strings.ReplaceAll(string(s), "_", " ")
}

// Title is the first line of the task's prompt, after its name. Its text comes from agents, too.
func (t Task) Title() string {
	prompt, _, _ := strings.Cut(strings.TrimSpace(t.Prompt), "\n")
	prompt = strings.TrimRight(prompt, "\r")
	if t.Name != "" {
		return t.Name + ": " + prompt
	}
	return prompt
}

// TaskNews are the tasks that have ended since a person looked, each list with the latest first.
type TaskNews struct{ Failed, Done []Task }

// News are those of the tasks that nobody has looked at since they ended.
func News(list []Task) (n TaskNews) {
	for i := range list {
		if !list[i].Unseen { // most of them, and grids ask often
			continue
		}
		switch t := list[i]; t.Standing() {
		case StandingFailed:
			n.Failed = append(n.Failed, t)
		case StandingDone:
			n.Done = append(n.Done, t)
		}
	}
	for _, some := range [][]Task{n.Failed, n.Done} {
		slices.SortStableFunc(some, func(a, b Task) int { return b.Ended.Compare(a.Ended) })
	}
	return n
}

// Apart are the tasks that failed and whose session does not show that by itself: it has gone,
// there was none, or the queue ended it.
func (n TaskNews) Apart(sessions []Session, now time.Time) (list []Task) {
	shown := map[string]bool{}
	for _, s := range sessions {
		shown[s.ID] = s.Standing(now) == StandingFailed
	}
	for _, t := range n.Failed {
		if !shown[t.Session] {
			list = append(list, t)
		}
	}
	return list
}

// String counts them: "8 done, 2 failed"; "" for none.
func (n TaskNews) String() string {
	var parts []string
	if k := len(n.Done); k > 0 {
		parts = append(parts, fmt.Sprintf("%d done", k))
	}
	if k := len(n.Failed); k > 0 {
		parts = append(parts, fmt.Sprintf("%d failed", k))
	}
	return strings.Join(parts, ", ")
}
