package queue

import (
	"cmp"
	"context"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"ccdir/api"
	"ccdir/config"
	"ccdir/daemon/journal"
	"ccdir/orchestrator"
)

// Spent is what everything that fits a budget used on its days, in US dollars and tokens.
type Spent func(ctx context.Context, b config.Budget) (usd float64, tokens int64, err error)

// quota tells the orchestrator what the queue may not use: by the configuration, the windows of
// accounts, what was spent, and the people's sessions that work.
type quota struct {
	q *Queue
	// mu guards seen and told, and is held while the orchestrator is told.
	mu sync.Mutex
	// seen is what is known of sessions by id, nil before run has heard of them; told is what was told last.
	seen map[string]worked
	told orchestrator.Quotas
	// bell guards the rest, and is never held for long: due, that there may be news, and what ends the wait for them, nil
	// before the first one.
	bell sync.Mutex
	due  bool
	wake context.CancelFunc
}

// worked is what counts of a session.
type worked struct {
	agent, account string
	cost           float64
	// A person's session: now is that it works or asks, last when it did.
	person, now bool
	last        time.Time
}

const (
	// quotaPause is the least time between looks, quotaEvery the longest: days end, and the configuration changes.
	quotaPause = 2 * time.Second
	quotaEvery = time.Minute
	// peopleStay is for how long after a turn people count as using an account.
	peopleStay = time.Hour
)

// run tells what is new until ctx ends.
func (u *quota) run(ctx context.Context) {
	w := u.q.o.Journal.Watch()
	defer w.Close()
	latest := u.q.o.Alarms.AfterFunc(quotaEvery, u.news)
	defer func() { latest.Stop() }()
	for {
		wait := u.waiting(ctx)
		messages, err := w.Next(wait)
		if ctx.Err() != nil || err != nil && wait.Err() == nil {
			return
		}
		if !u.take(messages) {
			continue
		}
		u.now(ctx)
		latest.Stop()
		latest = u.q.o.Alarms.AfterFunc(quotaEvery, u.news)
		pause, end := context.WithCancel(ctx)
		alarm := u.q.o.Alarms.AfterFunc(quotaPause, end)
		<-pause.Done()
		alarm.Stop()
		end()
	}
}

// waiting is a context that ends when there are news.
func (u *quota) waiting(ctx context.Context) context.Context {
	wait, end := context.WithCancel(ctx)
	u.bell.Lock()
	defer u.bell.Unlock()
	if u.wake != nil {
		u.wake()
	}
	if u.wake = end; u.due {
		end()
	}
	return wait
}

// news says that something may be new. It does not wait for anything.
func (u *quota) news() {
	u.bell.Lock()
	defer u.bell.Unlock()
	if u.due = true; u.wake != nil {
		u.wake()
	}
}

// take takes in messages, and reports whether it is time to tell.
func (u *quota) take(messages []*journal.Message) (due bool) {
	u.mu.Lock()
	for _, m := range messages {
		due = u.note(m.WatchMessage) || due
	}
	u.mu.Unlock()
	u.bell.Lock()
	defer u.bell.Unlock()
	due, u.due = due || u.due, false
	return due
}

// now tells the orchestrator what is new. When it returns, what is reported next comes after it.
func (u *quota) now(ctx context.Context) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.seen != nil {
		u.tell(ctx)
	}
}

// spent is now for what was spent.
func (u *quota) spent(ctx context.Context) {
	if len(u.q.o.Config().Quota.Budgets) > 0 {
		u.now(ctx)
	}
}

// note takes in a message, and reports whether something may follow from it. Under mu.
func (u *quota) note(m api.WatchMessage) (due bool) {
	switch {
	case m.Snapshot != nil:
		u.seen = map[string]worked{}
		for _, s := range m.Snapshot.Sessions {
			u.seen[s.ID] = workedOf(s)
		}
		return true
	case m.Session != nil:
		now := workedOf(*m.Session)
		due = u.seen[m.Session.ID] != now
		u.seen[m.Session.ID] = now
	case m.Removed != "":
		delete(u.seen, m.Removed)
	case m.Limits != nil:
		return true
	}
	return due
}

func workedOf(s api.Session) worked {
	w := worked{agent: s.Agent, account: cmp.Or(s.Account, api.AccountDefault), cost: s.CostUSD}
	if w.person = s.Task == "" && s.Plain == ""; w.person && !s.State.Ended() && s.Prompt != "" {
		w.now, w.last = s.State == api.StateWorking || s.State.NeedsPerson(), s.Since
	}
	return w
}

// tell tells the orchestrator, if there is something new. Under mu.
func (u *quota) tell(ctx context.Context) {
	e, err := u.q.quotas(ctx, u.seen)
	switch {
	case err != nil && ctx.Err() == nil:
		u.q.o.Logger.Error("what budgets have spent cannot be read; what was known holds", "error", err)
	case err == nil && !reflect.DeepEqual(e, u.told) && u.q.queue.Report(ctx, e):
		u.told = e
	}
}

// quotas is what the queue may not use now.
func (q *Queue) quotas(ctx context.Context, seen map[string]worked) (orchestrator.Quotas, error) {
	cfg, now := q.o.Config(), time.Now()
	quota := orchestrator.Quota{StopAt: float64(cfg.Quota.StopAt), Reserve: float64(cfg.Quota.Reserve), Windows: map[string]float64{}}
	for name, n := range cfg.Quota.Windows {
		quota.Windows[name] = float64(n)
	}
	if q.o.Windows != nil {
		quota.Used = q.windowsOf(cfg.Config, seen, now)
	}
	for _, name := range slices.Sorted(maps.Keys(cfg.Quota.Budgets)) {
		b := cfg.Quota.Budgets[name]
		if q.o.Spent == nil {
			break
		}
		usd, tokens, err := q.o.Spent(ctx, b)
		if err != nil {
			return orchestrator.Quotas{}, err
		}
		quota.Budgets = append(quota.Budgets, orchestrator.Budget{Name: name, Agent: b.Agent, Account: b.Account, Label: b.Label,
			USD: b.Dollars, SpentUSD: usd, Tokens: b.Tokens, SpentTokens: tokens, Until: midnight(now), Sliding: b.Days > 1})
	}
	return quota.Holds(now), nil
}

// midnight is when the next day begins here: the oldest day of a budget no longer counts then.
func midnight(now time.Time) time.Time {
	y, m, d := now.Local().Date()
	return time.Date(y, m, d+1, 0, 0, 0, 0, time.Local)
}

// windowsOf are the windows as the agents of the configuration have them: those of one kind share them.
func (q *Queue) windowsOf(cfg config.Config, seen map[string]worked, now time.Time) (list []orchestrator.Window) {
	for _, w := range q.o.Windows() {
		if w.UsedPercent == nil {
			continue
		}
		again := false
		for _, agent := range cfg.AgentNames() {
			if cfg.KindOf(agent) != w.Agent {
				continue
			}
			one := orchestrator.Window{Agent: agent, Account: w.Account, Name: w.Name, Percent: *w.UsedPercent, Busy: busyUntil(cfg, w, seen, now), Again: again}
			again = true
			if w.ResetsAt != nil {
				one.Until = *w.ResetsAt
			}
			list = append(list, one)
		}
	}
	return list
}

// busyUntil is until when people count as using a window's account; zero: they do not.
func busyUntil(cfg config.Config, w api.UsageWindow, seen map[string]worked, now time.Time) (until time.Time) {
	for _, s := range seen {
		if !s.person || cfg.KindOf(s.agent) != w.Agent || s.account != w.Account || s.last.IsZero() {
			continue
		}
		at := s.last.Add(peopleStay)
		if s.now {
			at = now.Add(peopleStay).Truncate(peopleStay).Add(peopleStay) // far enough, and seldom another one
		}
		if at.After(now) && at.After(until) {
			until = at
		}
	}
	return until
}

// once is a list of accounts, each at its first place.
func once(names []string) (list []string) {
	for _, name := range names {
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}
