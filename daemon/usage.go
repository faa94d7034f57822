package daemon

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/config"
	"ccdir/daemon/conversations"
	"ccdir/daemon/costs"
	"ccdir/daemon/store"
	"ccdir/internal/gitstatus"
	"ccdir/usage"
	"ccdir/usage/prices"
	"ccdir/usage/sums"
)

// usageView is the API's view of limits and sums.
type usageView struct{ d *daemon }

// Windows implements httpapi.Usage.
func (v usageView) Windows() []api.UsageWindow { return v.d.limits.Windows() }

// Probes implements httpapi.Usage.
func (v usageView) Probes() []api.UsageProbe {
	list := []api.UsageProbe{}
	add := func(p api.UsageProbe) {
		if !slices.ContainsFunc(list, func(q api.UsageProbe) bool { return q.Agent == p.Agent && q.Account == p.Account }) {
			list = append(list, p)
		}
	}
	for _, w := range v.d.limits.Windows() {
		add(v.d.probe(w.Agent, w.Account))
	}
	for _, a := range v.d.accounts() {
		add(a.Probe)
	}
	return list
}

// Rows implements httpapi.Usage.
func (v usageView) Rows(ctx context.Context, by api.UsageBy, since time.Time) ([]api.UsageRow, error) {
	return v.d.costs.Rows(ctx, by, since)
}

// Prices implements httpapi.Usage.
func (v usageView) Prices() string { return prices.Date() }

// tellLimits tells watchers the windows of limits.
func (d *daemon) tellLimits() {
	if list := d.limits.Windows(); len(list) > 0 {
		<-d.events.Append(api.WatchMessage{Limits: &api.Limits{Windows: list}}, nil, "")
	}
}

// costing is the keeper of what was used.
type costing struct {
	*costs.Keeper
	trees sync.Map // main work trees of the directories that were looked at, by path
	// indexer reads agents' files; nil before the daemon serves.
	indexer atomic.Pointer[conversations.Indexer]
	// told are the sums that agents have told and nobody has taken in, by conversation: the newest of each. Under mu.
	mu   sync.Mutex
	told map[string]toldCost
	wake chan struct{}
	// taking is held while they are taken in.
	taking sync.Mutex
	log    *slog.Logger
}

// toldCost is what an agent says that the conversation of its session has cost.
type toldCost struct {
	session string
	usd     float64
}

func (d *daemon) newCosts() *costing {
	return &costing{Keeper: costs.New(costs.Options{Store: d.store, Of: d.usageOf, Show: d.showCost, Place: time.Local, Now: time.Now}),
		told: map[string]toldCost{}, wake: make(chan struct{}, 1), log: d.log}
}

// metering hands on what agents tell by their status lines.
type metering struct{ d *daemon }

// Told implements sessions.Limits.
func (m metering) Told(session, agent, account string, told agents.Metered) {
	if len(told.Samples) > 0 {
		m.d.limits.Told(session, agent, account, told)
	}
	if usd := told.CostUSD; usd != nil && *usd > 0 && told.Conversation != "" {
		m.d.costs.tell(told.Conversation, toldCost{session, *usd})
	}
}

// Add implements sessions.Limits.
func (m metering) Add(samples ...usage.Sample) { m.d.limits.Add(samples...) }

// tell notes a sum. It does not block: reports come before the agent's line is shown.
func (c *costing) tell(conversation string, sum toldCost) {
	c.mu.Lock()
	c.told[conversation] = sum
	c.mu.Unlock()
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// run takes in what was told, until ctx ends.
func (c *costing) run(ctx context.Context) {
	for {
		select {
		case <-c.wake:
			c.takeTold(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// takeTold takes in what was told before the call. What cannot be saved is told again by the agent's next line.
func (c *costing) takeTold(ctx context.Context) {
	c.taking.Lock()
	defer c.taking.Unlock()
	c.mu.Lock()
	list := c.told
	c.told = map[string]toldCost{}
	c.mu.Unlock()
	for conversation, sum := range list {
		if err := c.Told(ctx, sum.session, conversation, sum.usd); err != nil && ctx.Err() == nil {
			c.log.Warn("what an agent says that its conversation has cost is not kept", "session", sum.session, "error", err)
		}
	}
}

// tookUsage takes in what a session's conversation used, and what its file says of limits.
func (d *daemon) tookUsage(ctx context.Context, session, conversation string, used usage.Used) error {
	if err := d.costs.Took(ctx, session, conversation, used); err != nil {
		return err
	}
	return d.registry.SawLimits(ctx, session, used.Limits)
}

// readOn takes in what a session's agent has written by now, and what agents have told.
func (d *daemon) readOn(ctx context.Context, session string) {
	if x := d.costs.indexer.Load(); x != nil {
		x.ReadOn(ctx, session)
		d.costs.takeTold(ctx)
	}
}

// spent is what everything that fits a budget used on its days. What has no known price is not in the
// dollars.
func (d *daemon) spent(ctx context.Context, b config.Budget) (usd float64, tokens int64, err error) {
	sum, err := d.costs.Spent(ctx, costs.Filter{Since: d.costs.Day(1 - b.Days), Agent: b.Agent, Account: b.Account, Label: b.Label})
	t := sum.Tokens
	return sum.CostUSD, t.Input + t.Output + t.CacheRead + t.CacheWrite, err
}

// spentSince is what everything used since a day began, in US dollars.
func (d *daemon) spentSince(ctx context.Context, day time.Time) (float64, error) {
	sum, err := d.costs.Spent(ctx, costs.Filter{Since: day.Local().Format(time.DateOnly)})
	return sum.CostUSD, err
}

// usageOf says whose what a session uses is.
func (d *daemon) usageOf(ctx context.Context, session string) (store.UsageOf, bool) {
	s, there := d.events.Session(session)
	if !there {
		past, err := d.conversationSession(ctx, session)
		if err != nil {
			return store.UsageOf{}, false
		}
		s = api.Session{ID: past.ID, Name: past.Name, Agent: past.Agent, CWD: past.CWD}
	}
	of := store.UsageOf{Session: s.ID, Name: s.Name, Agent: s.Agent, Account: s.Account, Task: s.Task, Repo: d.mainTree(ctx, s.CWD)}
	if s.Task != "" {
		if t, ok := d.events.Task(s.Task); ok {
			of.Labels = t.Labels
		}
	}
	return of, true
}

// mainTree is the main work tree of the repository around a directory, or its folder if it has none; ""
// if there is no repository.
func (d *daemon) mainTree(ctx context.Context, dir string) string {
	if known, ok := d.costs.trees.Load(dir); ok {
		return known.(string)
	}
	out, err := gitstatus.Run(ctx, dir, "rev-parse", "--path-format=absolute", "--git-common-dir")
	if err != nil {
		return ""
	}
	tree := strings.TrimSuffix(strings.TrimSpace(out), "/.git")
	d.costs.trees.Store(dir, tree)
	return tree
}

// showCost shows what a session's conversation has cost.
func (d *daemon) showCost(ctx context.Context, session, conversation string, sum sums.Sum, known bool) {
	if !known {
		sum = sums.Sum{}
	}
	if err := d.registry.SetCost(ctx, session, conversation, sum.CostUSD, sum.Estimate); err != nil && ctx.Err() == nil {
		d.log.Warn("what a conversation has cost is not shown", "session", session, "error", err)
	}
	d.tasks.LookAnew()
}
