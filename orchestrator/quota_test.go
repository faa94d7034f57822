package orchestrator

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/api"
)

// quotas are some holds, of which some end soon.
func (w *world) quotas() Quotas {
	e := Quotas{Labels: []string{"night"}}
	for range w.r.IntN(4) {
		h := api.QueueHold{Why: "because"}
		if w.r.IntN(2) == 0 {
			h.Until = w.now.Add(time.Duration(w.r.IntN(120)-20) * time.Second)
		}
		switch w.r.IntN(5) {
		case 0:
			h.Agent = "a"
		case 1:
			h.Agent, h.Account = "a", "x"
		case 2:
			h.Account = api.AccountDefault
		case 3:
			h.Label = "night"
		case 4:
			h.Account, h.Label = "y", "night"
		}
		e.Holds = append(e.Holds, h)
	}
	return e
}

// unheld is what held says, in other words: by the holds as they were given, and the costs as they were told.
func (w *world) unheld(r *Record, account string) bool {
	for _, h := range w.holds {
		over := !h.Until.IsZero() && !w.now.Before(h.Until)
		other := h.Agent != "" && h.Agent != r.Agent || h.Account != "" && h.Account != cmp.Or(account, api.AccountDefault) ||
			h.Label != "" && !slices.Contains(r.Labels, h.Label)
		if !over && !other {
			w.kept++
			return false
		}
	}
	return w.withinBound(r)
}

func (w *world) withinBound(r *Record) bool {
	if r.MaxCostAll == 0 {
		return true
	}
	sum := 0.0
	for _, usd := range w.costs[r.ID] { // tasks of this world are added alone
		sum += usd
	}
	return sum < r.MaxCostAll
}

// allowed: what has just started was not held. Its own cost is of attempts before.
func (w *world) allowed(r Record) {
	if w.byHand[r.ID] {
		delete(w.byHand, r.ID)
		return
	}
	if !w.unheld(&r, r.Account) {
		w.t.Fatalf("%s starts with account %q, and is held: %+v, costs %v of %v", r.ID, r.Account, w.holds, w.costs[r.ID], r.MaxCostAll)
	}
}

// quotaWorld is a queue of three tasks: of two accounts, of one with a label, and of the agent's own.
func quotaWorld(t *testing.T) *world {
	w := newWorld(t, 1)
	_ = w.apply(SetMode{api.QueuePaused})
	_ = w.apply(Add{Tasks: []api.NewTask{
		{Name: "two", Prompt: "p", Agent: "claude", Accounts: []string{"work", "spare"}, Request: "r"},
		{Name: "night", Prompt: "p", Agent: "claude", Accounts: []string{"spare"}, Labels: []string{"night"}, Request: "r"},
		{Name: "own", Prompt: "p", Agent: "claude", Request: "r"},
	}})
	return w
}

// started are the accounts of the tasks that have started, by name.
func (w *world) started() (list []string) {
	for _, r := range w.c.List() {
		if r.State != api.TaskQueued {
			list = append(list, r.Name+" "+r.Account)
		}
	}
	return list
}

// TestHolds: a window over its bound sends a task to another account of its own, or holds it, and says why and
// until when; people have the reserve while they work.
func TestHolds(t *testing.T) {
	now := time.Unix(1e9, 0)
	end := now.Add(2 * time.Hour)
	work := Window{Agent: "claude", Account: "work", Name: "5h", Percent: 85, Until: end}
	for name, tt := range map[string]struct {
		q     Quota
		start []string
		hold  string // of "two", or else of the first that is held
	}{
		"nothing bound":  {Quota{Used: []Window{work}}, []string{"two work", "night spare", "own "}, ""},
		"one account":    {Quota{StopAt: 85, Used: []Window{work}}, []string{"two spare", "night spare", "own "}, ""},
		"just below":     {Quota{StopAt: 86, Used: []Window{work}}, []string{"two work", "night spare", "own "}, ""},
		"another window": {Quota{StopAt: 50, Windows: map[string]float64{"5h": 90}, Used: []Window{work}}, []string{"two work", "night spare", "own "}, ""},
		"it has rolled":  {Quota{StopAt: 50, Used: []Window{{Agent: "claude", Account: "work", Name: "5h", Percent: 99, Until: now}}}, []string{"two work", "night spare", "own "}, ""},
		"both": {Quota{StopAt: 50, Used: []Window{work, {Agent: "claude", Account: "spare", Name: "7d", Percent: 60, Until: now.Add(time.Hour)}}}, []string{"own "},
			"60% used of 7d of claude/spare until " + now.Add(time.Hour).Local().Format("15:04")},
		"own": {Quota{StopAt: 50, Used: []Window{{Agent: "claude", Account: api.AccountDefault, Name: "5h", Percent: 50, Until: end}}}, []string{"two work", "night spare"},
			"50% used of 5h of claude until " + end.Local().Format("15:04")},
		"a person rests": {Quota{StopAt: 95, Reserve: 20, Used: []Window{work}}, []string{"two work", "night spare", "own "}, ""},
		"a person works": {Quota{Reserve: 20, Used: []Window{{Agent: "claude", Account: "spare", Name: "5h", Percent: 80, Until: end, Busy: now.Add(30 * time.Minute)}}}, []string{"two work", "own "},
			"80% used of 5h of claude/spare until " + now.Add(30*time.Minute).Local().Format("15:04")},
		"budget of a label": {Quota{Budgets: []Budget{{Name: "n", Label: "night", USD: 2, SpentUSD: 2.5, Until: end}}}, []string{"two work", "own "},
			"budget n is spent ($2.50 of $2.00) until " + end.Local().Format("15:04")},
		"budget of tokens": {Quota{Budgets: []Budget{{Name: "n", Agent: "claude", Tokens: 10, SpentTokens: 10, Until: end}}}, nil,
			"budget n is spent (10 of 10 tokens) until " + end.Local().Format("15:04")},
		"budget not spent":  {Quota{Budgets: []Budget{{Name: "n", USD: 2, SpentUSD: 1.99, Tokens: 5, SpentTokens: 4, Until: end}}}, []string{"two work", "night spare", "own "}, ""},
		"of another's work": {Quota{Budgets: []Budget{{Name: "n", Agent: "codex", USD: 2, SpentUSD: 3, Until: end}}}, []string{"two work", "night spare", "own "}, ""},
	} {
		w := quotaWorld(t)
		w.now = now
		_ = w.apply(tt.q.Holds(now))
		_ = w.apply(SetMode{api.QueueAuto})
		if got := w.started(); !slices.Equal(got, tt.start) {
			t.Errorf("%s: started %q, want %q", name, got, tt.start)
		}
		hold := ""
		for _, r := range w.c.List() {
			if h, words := w.c.Queue().Hold(r.Task, map[string]bool{}, now); h == api.HoldQuota && hold == "" {
				hold = words
			}
		}
		if hold != tt.hold {
			t.Errorf("%s: held because %q, want %q", name, hold, tt.hold)
		}
		if tt.hold == "" {
			continue
		}
		w.now = end
		if at := w.c.NextWake(); at.After(w.now) {
			t.Errorf("%s: it wakes at %v, and the hold ends by %v", name, at, w.now)
		}
		_ = w.apply(Tick{})
		if got := w.started(); len(got) != 3 {
			t.Errorf("%s: at the end of the hold %q have started", name, got)
		}
	}
}

// TestHeldByHand: a person starts a task all the same, and it starts none of the others.
func TestHeldByHand(t *testing.T) {
	w := quotaWorld(t)
	_ = w.apply(Quotas{Holds: []api.QueueHold{{Agent: "claude", Why: "because"}}})
	_ = w.apply(SetMode{api.QueueAuto})
	if err := w.apply(StartNow{"t2"}); err != nil || !slices.Equal(w.started(), []string{"night spare"}) {
		t.Errorf("%v %q", err, w.started())
	}
	if len(w.c.set.Limits) > 0 {
		t.Errorf("a limit was met: %+v", w.c.set.Limits)
	}
}

// TestMaxCostAll: the tasks of a call stop to start at their bound together; ended ones are not forgotten before.
func TestMaxCostAll(t *testing.T) {
	w := newWorld(t, 1)
	_ = w.apply(SetLimit{1})
	_ = w.apply(SetMode{api.QueueAuto})
	set := func(request string) (list []api.NewTask) {
		for range 3 {
			list = append(list, api.NewTask{Prompt: "p", MaxCostAll: 2.5, Request: request})
		}
		return list
	}
	if err := w.apply(Add{Tasks: append(set("x")[:2], api.NewTask{Prompt: "p", MaxCostAll: 1, Request: "x"})}); err == nil {
		t.Error("a call of two bounds was taken")
	}
	_ = w.apply(Add{Tasks: set("r")})
	run := func(id string, cost float64) {
		t.Helper()
		r := w.c.tasks[id]
		if r.State != api.TaskStarting {
			t.Fatalf("%s is %s", id, r.State)
		}
		ref := Ref{id, r.Attempt}
		_, _ = w.c.Apply(w.now, Started{Ref: ref, Session: "s" + id, Conversation: "c"})
		_, _ = w.c.Apply(w.now, Delivered{Ref: ref})
		_, _ = w.c.Apply(w.now, Used{Ref: ref, Cost: cost})
		_, _ = w.c.Apply(w.now, TurnEnded{Ref: ref})
		w.now = w.now.Add(time.Minute)
		_, _ = w.c.Apply(w.now, Tick{})
		code := 0
		_, _ = w.c.Apply(w.now, Exited{Ref: ref, Code: &code})
	}
	run("t1", 1.5)
	_, _ = w.c.Apply(w.now, Forget{[]string{"t1"}})
	run("t2", 1)
	third := w.c.tasks["t3"]
	h, words := w.c.Queue().Hold(third.Task, map[string]bool{}, w.now)
	if third.State != api.TaskQueued || h != api.HoldQuota || !strings.HasPrefix(words, "its set has cost $2.50 of $2.50") {
		t.Errorf("%s %s %q", third.State, h, words)
	}
	if _, err := w.c.Apply(w.now, StartNow{"t3"}); err != nil {
		t.Error(err)
	}
	run("t3", 1)
	if gone, _ := w.c.Apply(w.now, Forget{[]string{"t1", "t2", "t3"}}); len(gone) != 3 || len(w.c.sets) > 0 {
		t.Errorf("forgotten %q, left %+v", gone, w.c.sets)
	}
}

// TestCostGoesOn: an attempt that goes on in the conversation of the one before costs what the conversation does, once, and
// that is not forgotten before it says so.
func TestCostGoesOn(t *testing.T) {
	w := newWorld(t, 1)
	_ = w.apply(SetMode{api.QueueAuto})
	_ = w.apply(Add{Tasks: []api.NewTask{{Prompt: "p", MaxCostAll: 3}}})
	tell := func(events ...func(Ref) Event) {
		t.Helper()
		for _, e := range events {
			if _, err := w.c.Apply(w.now, e(Ref{"t1", w.c.tasks["t1"].Attempt})); err != nil {
				t.Fatal(err)
			}
		}
	}
	begins := func(r Ref) Event { return Started{Ref: r, Session: "s", Conversation: "c"} }
	costs := func(usd float64) func(Ref) Event {
		return func(r Ref) Event { return Used{Ref: r, Turns: 1, Cost: usd} }
	}
	expect := func(usd float64) {
		t.Helper()
		if got := w.c.sets["t1"].micros; got != micros(usd) {
			t.Errorf("attempt %d: it has cost $%v, want $%v", w.c.tasks["t1"].Attempt, float64(got)/1e6, usd)
		}
	}
	tell(begins, func(r Ref) Event { return Delivered{Ref: r} }, costs(1.5),
		func(r Ref) Event { return Failed{Ref: r, Kind: FailUsage, Reset: w.now.Add(time.Hour)} }, func(r Ref) Event { return Exited{Ref: r, Code: new(int)} })
	w.now = w.now.Add(2 * time.Hour)
	tell(func(Ref) Event { return Tick{} })
	if r := w.c.tasks["t1"]; r.Attempt != 2 || r.Resume != "c" {
		t.Fatalf("it does not go on: %+v", r)
	}
	expect(1.5)
	tell(begins, costs(0))
	expect(1.5)
	tell(costs(2))
	expect(2)
}

// notes are the notices in the trail of an event.
func (w *world) notes(e Event) (list []string) {
	w.t.Helper()
	if _, err := w.c.Apply(w.now, e); err != nil {
		w.t.Fatal(err)
	}
	for _, tr := range w.c.Take().Trail {
		list = append(list, tr.Note)
	}
	w.c.Settle()
	return list
}

// TestNotices: each is told once, also over restarts, and again in the next window or the next days.
func TestNotices(t *testing.T) {
	w := newWorld(t, 1)
	want := func(what string, e Event, notes ...string) {
		t.Helper()
		if got := w.notes(e); !slices.Equal(got, notes) {
			t.Errorf("%s: told %q, want %q", what, got, notes)
		}
	}
	end := w.now.Add(time.Hour)
	q := func(percent float64, end time.Time, spent float64) Quotas {
		return Quota{Used: []Window{{Agent: "claude", Account: "work", Name: "5h", Percent: percent, Until: end}},
			Budgets: []Budget{{Name: "b", USD: 1, SpentUSD: spent, Until: end}}}.Holds(w.now)
	}
	want("little is used", q(89, end, 0))
	want("near", q(90, end, 0), api.EventLimitNear)
	want("nearer", q(97, end.Add(time.Minute), 0))
	w.restart()
	want("after a restart", q(97, end, 1), api.EventBudgetSpent)
	want("still", q(99, end, 1.5))
	w.now = end
	want("the day is over", Tick{})
	w.now = end.Add(endGrain)
	want("rolled", Tick{}, api.EventLimitRolled)
	want("no more", Tick{})
	sliding := func(end time.Time) Quotas {
		return Quota{Budgets: []Budget{{Name: "week", USD: 1, SpentUSD: 2, Until: end, Sliding: true}}}.Holds(w.now)
	}
	want("a week is spent", sliding(w.now.Add(time.Hour)), api.EventBudgetSpent)
	w.now = w.now.Add(time.Hour)
	want("its oldest day is over", Tick{})
	want("and it is spent all the same", sliding(w.now.Add(24*time.Hour)))
	w.now = w.now.Add(25 * time.Hour)
	want("it has more again", Tick{})
	want("and is spent again", sliding(w.now.Add(time.Hour)), api.EventBudgetSpent)
	want("the next window", q(91, w.now.Add(time.Hour), 2), api.EventLimitNear, api.EventBudgetSpent)
}
