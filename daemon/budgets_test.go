package daemon

import (
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/api"
)

// budgetConfig runs one task after another, with budgets of each kind. A task of dear costs $2.50.
const budgetConfig = demoConfig + `
[accounts.work]
agent = "demo"
dir = "/w"
[accounts.spare]
agent = "demo"
dir = "/s"
[quota.budgets.nightly]
label = "night"
dollars = 2
[quota.budgets.other]
agent = "limited"
tokens = 90_000
[quota.budgets.paid]
account = "work"
dollars = 2
`

const dear = "use 100000 claude-opus-4-5\nsay spent"

// held waits until the queue holds something for a reason that begins so.
func (p *place) holds(why string) (found api.QueueHold) {
	p.t.Helper()
	until(p.t, "hold: "+why, func() bool {
		var q api.Queue
		p.call("GET", "/v1/queue", nil, &q)
		i := slices.IndexFunc(q.Held, func(h api.QueueHold) bool { return strings.HasPrefix(h.Why, why) })
		if i >= 0 {
			found = q.Held[i]
		}
		return i >= 0
	})
	return found
}

// told counts the events of a type whose message has a text.
func (p *place) told(kind, text string) (n int) {
	for _, e := range p.events() {
		if e.Type == kind && strings.Contains(e.Message, text) {
			n++
		}
	}
	return n
}

// TestBudgets: what a task has spent holds the very next one that fits, with why and until when, and is told
// once, over a daemon that is killed; what does not fit goes on.
func TestBudgets(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		fits, free api.NewTask
		why        string
	}{
		"of a label":    {api.NewTask{Labels: []string{"night"}}, api.NewTask{Labels: []string{"day"}}, "budget nightly is spent ($2.50 of $2.00)"},
		"of an agent":   {api.NewTask{Agent: "limited"}, api.NewTask{}, "budget other is spent (100"},
		"of an account": {api.NewTask{Accounts: []string{"work"}}, api.NewTask{Accounts: []string{"work", "spare"}}, "budget paid is spent ($2.50 of $2.00)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.config(budgetConfig)
			p.spawn()
			first, next, free := tt.fits, tt.fits, tt.free
			first.Prompt, next.Prompt, free.Prompt = dear, "say next", "say free"
			list := p.addTasks(first, next, free)
			p.queue(api.QueueChange{Mode: api.QueueAuto, Limit: new(1)})
			p.waitTask(list[0].ID, api.TaskDone)
			h := p.holds(tt.why)
			if day := time.Until(h.Until); day <= 0 || day > 25*time.Hour {
				t.Errorf("it is held until %v", h.Until)
			}
			p.waitTask(list[2].ID, api.TaskDone)
			if got := p.task(list[2].ID); tt.free.Accounts != nil && p.get(got.Session).Account != "spare" {
				t.Errorf("%+v did not go to the account with room", got)
			}
			if got := p.task(list[1].ID); got.State != api.TaskQueued || got.Attempt != 0 {
				t.Errorf("the next one is %s, attempt %d", got.State, got.Attempt)
			}
			p.kill9()
			p.spawn()
			p.holds(tt.why)
			if got := p.task(list[1].ID); got.State != api.TaskQueued || got.Attempt != 0 {
				t.Errorf("after a restart the next one is %s, attempt %d", got.State, got.Attempt)
			}
			if n := p.told(api.EventBudgetSpent, tt.why); n != 1 {
				t.Errorf("it was told %d times", n)
			}
			if name == "of a label" { // more is allowed
				p.config(strings.Replace(budgetConfig, "dollars = 2", "dollars = 9", 1))
			} else { // a person starts it
				p.call("POST", "/v1/tasks/"+list[1].ID+"/start", nil, nil)
			}
			p.waitTask(list[1].ID, api.TaskDone)
		})
	}
}

// TestMaxCostAll: what the tasks of a call have cost together stops it, whether the agent tells that itself or its
// file does, and over a daemon that is killed.
func TestMaxCostAll(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ prompt, why string }{
		"by prices":    {dear, "its set has cost $2.50 of $2.00"},
		"by the agent": {strings.Replace(dear, "say", "cost 2.25\nsay", 1), "its set has cost $2.25 of $2.00"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.config(demoConfig)
			p.spawn()
			set := func(prompt string) api.NewTask {
				return api.NewTask{Prompt: prompt, MaxCostAll: 2, Request: "set"}
			}
			list := append(p.addTasks(set(tt.prompt), set("say next")), p.addTasks(api.NewTask{Prompt: "say free"})...)
			p.queue(api.QueueChange{Mode: api.QueueAuto, Limit: new(1)})
			p.waitTask(list[0].ID, api.TaskDone)
			p.holds(tt.why)
			p.waitTask(list[2].ID, api.TaskDone)
			p.kill9()
			p.spawn()
			p.holds(tt.why)
			if got := p.task(list[1].ID); got.State != api.TaskQueued || got.Attempt != 0 {
				t.Errorf("the next one is %s, attempt %d", got.State, got.Attempt)
			}
		})
	}
}
