package orchestrator

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"ccdir/api"
)

// Quota is what the queue may use, and what is used.
type Quota struct {
	// StopAt is how much of a window may be used for a task to start, in percent, Windows that of
	// windows by name; 0: no bound. Reserve is how much less it is where people use the account.
	StopAt, Reserve float64
	Windows         map[string]float64
	// Used are the windows that are known.
	Used    []Window
	Budgets []Budget
}

// Window is a window of an account's limits.
type Window struct {
	// Agent is an agent's name, Account its account or api.AccountDefault.
	Agent, Account, Name string
	// Percent is how much of it is used, Until when it ends; zero: unknown.
	Percent float64
	Until   time.Time
	// Busy is until when people count as using the account; zero: they do not.
	Busy time.Time
	// Again: it is that of another agent in the list, with the same sign-in.
	Again bool
}

// Budget is a budget with what is spent of it.
type Budget struct {
	Name string
	// Agent, Account and Label are those of api.QueueHold.
	Agent, Account, Label string
	// USD and Tokens are the bounds; 0: none. Spent… is what was used of them.
	USD, SpentUSD       float64
	Tokens, SpentTokens int64
	// Until is when the oldest day no longer counts. Sliding: there are other days.
	Until   time.Time
	Sliding bool
}

// nearAt is from how many percent of a window on little is left, for notices.
const nearAt = 90

// endGrain is how far sources differ about the end of one window.
const endGrain = 2 * time.Minute

// dayGrain is by how much a notice outlasts its day, so that one that goes on is not told again.
const dayGrain = 5 * time.Minute

// Holds are what the queue may not use now, with notices about it. Of windows that have ended
// nothing is known.
func (q Quota) Holds(now time.Time) (e Quotas) {
	for _, w := range q.Used {
		if !w.Until.IsZero() && !w.Until.After(now) {
			continue
		}
		name := fmt.Sprintf("%s of %s", w.Name, api.LimitClass(w.Agent, w.Account))
		if h, held := q.hold(w, now); held {
			h.Why = fmt.Sprintf("%.0f%% used of %s", w.Percent, name)
			e.Holds = append(e.Holds, h)
		}
		if w.Percent >= nearAt && !w.Until.IsZero() && !w.Again {
			e.Notices = append(e.Notices, Notice{Key: "near " + name, Type: api.EventLimitNear, Text: fmt.Sprintf("%.0f%% used of %s, which ends %s", w.Percent, name, clockOf(w.Until)),
				Told: Told{Until: w.Until.Add(endGrain), Then: name + " has begun anew"}})
		}
	}
	for _, b := range q.Budgets {
		if spent := b.spent(); spent != "" {
			why := fmt.Sprintf("budget %s is spent (%s)", b.Name, spent)
			e.Holds = append(e.Holds, api.QueueHold{Agent: b.Agent, Account: b.Account, Label: b.Label, Why: why, Until: b.Until})
			n := Notice{Key: "budget " + b.Name, Type: api.EventBudgetSpent, Text: why, Told: Told{Until: b.Until.Add(dayGrain)}}
			if !b.Sliding {
				n.Key += b.Until.Format(" 2006-01-02")
			}
			e.Notices = append(e.Notices, n)
		}
		if b.Label != "" {
			e.Labels = append(e.Labels, b.Label)
		}
	}
	return e
}

// hold is the hold that follows from one window. The reserve's ends when people have rested.
func (q Quota) hold(w Window, now time.Time) (h api.QueueHold, held bool) {
	bound, set := q.Windows[w.Name]
	if !set {
		bound = q.StopAt
	}
	if bound <= 0 {
		bound = 100
	}
	h = api.QueueHold{Agent: w.Agent, Account: w.Account, Until: w.Until}
	switch {
	case bound < 100 && w.Percent >= bound: // at 100 the agent itself says when it refuses
	case w.Busy.After(now) && q.Reserve > 0 && w.Percent >= bound-q.Reserve:
		if w.Until.IsZero() || w.Busy.Before(w.Until) {
			h.Until = w.Busy
		}
	default:
		return h, false
	}
	return h, true
}

// spent says what is spent of a budget, "" if something is left.
func (b Budget) spent() string {
	switch {
	case b.USD > 0 && b.SpentUSD >= b.USD:
		return fmt.Sprintf("$%.2f of $%.2f", b.SpentUSD, b.USD)
	case b.Tokens > 0 && b.SpentTokens >= b.Tokens:
		return fmt.Sprintf("%d of %d tokens", b.SpentTokens, b.Tokens)
	}
	return ""
}

func clockOf(at time.Time) string { return at.Local().Format("Mon 15:04") }

// Quotas says anew what the queue may not use.
type Quotas struct {
	Holds []api.QueueHold
	// Labels are those that holds of this configuration can name.
	Labels  []string
	Notices []Notice
}

func (Quotas) event() {}

// Notice is told once, as an event of a type, until it is over.
type Notice struct {
	Key, Type, Text string
	Told
}

// Told is a notice that was told: until when it is not repeated, and what is told then; "": nothing.
type Told struct {
	Until time.Time `json:"until"`
	Then  string    `json:"then,omitempty"`
}

// taskSet is what the tasks of a call with a bound have in common.
type taskSet struct {
	// micros is what they cost, in millionths of a dollar, max the bound.
	micros, max int64
	tasks, open int
}

func micros(usd float64) int64 { return int64(min(usd, 1e9) * 1e6) }

// countSet counts a task in, or out.
func (c *Core) countSet(r *Record, n int) {
	if r.MaxCostAll <= 0 {
		return
	}
	s := c.sets[r.Set()]
	s.micros += int64(n) * (micros(r.CostBefore) + micros(r.Result.Cost))
	s.max = micros(r.MaxCostAll)
	s.tasks += n
	if !r.State.Ended() {
		s.open += n
	}
	if s.tasks == 0 {
		delete(c.sets, r.Set())
		return
	}
	c.sets[r.Set()] = s
}

// boundBy reports whether open tasks share a bound with a task.
func (c *Core) boundBy(r *Record) bool { return r.MaxCostAll > 0 && c.sets[r.Set()].open > 0 }

// held reports whether a task may not start with an account, limits apart.
func (c *Core) held(r *Record, account string) bool {
	if r.First { // a person started it
		return false
	}
	if r.MaxCostAll > 0 {
		if s := c.sets[r.Set()]; s.micros >= s.max {
			return true
		}
	}
	return slices.ContainsFunc(c.holds, func(h api.QueueHold) bool { return h.InForce(c.now) && h.Fits(r.Task, account) })
}

// heldFrom is held for that of the task's accounts that has a class.
func (c *Core) heldFrom(r *Record, class string) bool {
	i := slices.IndexFunc(options(r), func(account string) bool { return api.LimitClass(r.Agent, account) == class })
	return i >= 0 && c.held(r, options(r)[i])
}

// heldNow are the holds in force, those of sets among them.
func (c *Core) heldNow() (list []api.QueueHold) {
	for _, h := range c.holds {
		if h.InForce(c.now) {
			list = append(list, h)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(c.sets)) {
		if s := c.sets[id]; s.open > 0 && s.micros >= s.max {
			list = append(list, api.QueueHold{Request: id, Why: fmt.Sprintf("its set has cost $%.2f of $%.2f (`ccdir task start` starts it all the same)", float64(s.micros)/1e6, float64(s.max)/1e6)})
		}
	}
	return list
}

// quotas takes over what the queue may not use, and tells what is new.
func (c *Core) quotas(e Quotas) {
	c.news = c.news || !slices.Equal(c.holds, e.Holds)
	c.SetHolds(e)
	for _, n := range e.Notices {
		old, told := c.set.Told[n.Key]
		if !n.Until.After(c.now) || told && !n.Until.After(old.Until.Add(dayGrain)) {
			continue
		}
		c.snapshotSettings()
		c.set.Told[n.Key] = n.Told
		if told {
			continue
		}
		c.trail = append(c.trail, Transition{Note: n.Type, Reason: n.Text})
	}
}

// SetHolds is the event Quotas without its notices, for before Recover.
func (c *Core) SetHolds(e Quotas) {
	c.holds = e.Holds
	labels := map[string]bool{}
	for _, l := range e.Labels {
		labels[l] = true
	}
	if maps.Equal(labels, c.heldLabels) {
		return
	}
	c.heldLabels, c.ready, c.timed = labels, map[readyKey]*readyHeap{}, readyHeap{byTime: true}
	for _, r := range c.tasks {
		if h := c.heapOf(r); h != nil {
			h.add(r)
		}
	}
}

// notices tells what follows notices that are over.
func (c *Core) notices() {
	for _, key := range slices.Sorted(maps.Keys(c.set.Told)) {
		t := c.set.Told[key]
		if t.Until.After(c.now) {
			continue
		}
		c.snapshotSettings()
		delete(c.set.Told, key)
		if t.Then != "" {
			c.trail = append(c.trail, Transition{Note: api.EventLimitRolled, Reason: t.Then})
		}
	}
}

// quotaWake are the times at which something about quotas is due.
func (c *Core) quotaWake(consider func(time.Time)) {
	var next time.Time
	for _, h := range c.holds {
		if h.Until.After(c.now) && (next.IsZero() || h.Until.Before(next)) {
			next = h.Until
		}
	}
	for _, t := range c.set.Told {
		if next.IsZero() || t.Until.Before(next) {
			next = t.Until
		}
	}
	consider(next)
}
