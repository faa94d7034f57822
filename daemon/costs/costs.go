// Package costs keeps what conversations used and cost: of each day, session, task, repository, model,
// account.
//
// Contract: it is told of a conversation's answers as they come (Took), and of sums that agents say of
// themselves (Told), from any goroutine. Rows are whole sums, saved before Took returns: a daemon that is
// killed reads the agents' files again and saves the same rows. A day counts where the daemon runs. Took
// and Told block for the disk.
package costs

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"ccdir/api"
	"ccdir/daemon/store"
	"ccdir/usage"
	"ccdir/usage/sums"
)

// keptDays is for how many days rows are kept.
const keptDays = 90

// Store keeps the rows.
type Store interface {
	SaveUsage(of store.UsageOf, rows []sums.Row) error
	Usage(ctx context.Context, since string) ([]store.UsageRow, error)
	UsageTold(ctx context.Context, conversation string) ([]usage.Told, error)
	SaveUsageTold(conversation string, t usage.Told, over time.Time) error
	PruneUsage(day string, before time.Time) error
}

// Options configure a Keeper. All are needed.
type Options struct {
	Store Store
	// Of says whose a session's conversation is, without the conversation; false: nobody knows the
	// session.
	Of func(ctx context.Context, session string) (store.UsageOf, bool)
	// Show shows what a session's conversation has cost; not known: it has no sum, or one that lacks
	// something.
	Show func(ctx context.Context, session, conversation string, sum sums.Sum, known bool)
	// Place is where days count.
	Place *time.Location
	Now   func() time.Time
}

// Keeper owns what was used. It is safe for concurrent use.
type Keeper struct {
	o  Options
	mu sync.Mutex
	// of are the conversations that were told of lately, by id.
	of map[string]*conversation
}

// mostConversations bounds the conversations that are remembered.
const mostConversations = 1000

// conversation is what is known of one.
type conversation struct {
	mu      sync.Mutex // held while its rows are saved
	session string
	used    usage.Used
	told    []usage.Told
	read    bool     // told has what the store has
	saved   int      // used.Changes of the rows that were saved last
	sum     sums.Sum // of those rows
	heard   time.Time
}

// New makes a Keeper.
func New(o Options) *Keeper { return &Keeper{o: o, of: map[string]*conversation{}} }

// conversation returns what is known of a conversation, locked.
func (k *Keeper) conversation(ctx context.Context, id string) (*conversation, error) {
	k.mu.Lock()
	c := k.of[id]
	if c == nil {
		if len(k.of) >= mostConversations {
			oldest := slices.MinFunc(slices.Collect(maps.Keys(k.of)), func(a, b string) int { return k.of[a].heard.Compare(k.of[b].heard) })
			delete(k.of, oldest)
		}
		c = &conversation{saved: -1}
		k.of[id] = c
	}
	c.heard = k.o.Now()
	k.mu.Unlock()
	c.mu.Lock()
	if c.read {
		return c, nil
	}
	told, err := k.o.Store.UsageTold(ctx, id)
	if err != nil {
		c.mu.Unlock()
		return nil, err
	}
	c.told, c.read = told, true
	return c, nil
}

// Took takes in what a session's conversation has used so far. The Keeper reads used until the call
// returns.
func (k *Keeper) Took(ctx context.Context, session, id string, used usage.Used) error {
	c, err := k.conversation(ctx, id)
	if err != nil {
		return err
	}
	defer c.mu.Unlock()
	if c.saved == used.Changes && c.session == session {
		return nil
	}
	c.session, c.used = session, usage.Used{Told: slices.Clone(used.Told), Answers: maps.Clone(used.Answers), Changes: used.Changes}
	return k.save(ctx, id, c)
}

// Told takes in what an agent says that its conversation has cost so far, in US dollars.
func (k *Keeper) Told(ctx context.Context, session, id string, usd float64) error {
	if id == "" || !(usd >= 0) || usd > 1e9 {
		return nil
	}
	c, err := k.conversation(ctx, id)
	if err != nil {
		return err
	}
	defer c.mu.Unlock()
	now, over := usage.Told{Until: k.o.Now().Round(0), USD: usd}, time.Time{}
	switch n := len(c.told); {
	case n > 0 && c.told[n-1].USD == usd:
		if c.used.Answers == nil || n > 0 && !newer(c.used, c.told[n-1].Until) {
			return nil
		}
		fallthrough
	case n > 1 && c.told[n-1].USD <= usd && c.told[n-2].USD <= c.told[n-1].USD: // the first one of a process stays
		over = c.told[n-1].Until
		c.told = c.told[:n-1]
	}
	if err := k.o.Store.SaveUsageTold(id, now, over); err != nil {
		return err
	}
	c.told, c.session = append(c.told, now), session
	return k.save(ctx, id, c)
}

// Known is the part of what a conversation has cost that is known, in US dollars; 0: nothing is.
func (k *Keeper) Known(id string) float64 {
	k.mu.Lock()
	c := k.of[id]
	k.mu.Unlock()
	if c == nil {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sum.CostUSD
}

// newer reports whether there are answers since a time.
func newer(u usage.Used, since time.Time) bool {
	for _, a := range u.Answers {
		if !a.At.Before(since) {
			return true
		}
	}
	return false
}

// save saves the rows of a conversation, and shows its sum. Under its lock.
func (k *Keeper) save(ctx context.Context, id string, c *conversation) error {
	if len(c.used.Answers) == 0 {
		return nil
	}
	of, known := k.o.Of(ctx, c.session)
	if !known {
		return nil
	}
	of.Conversation = id
	all := c.used
	all.Told = slices.Concat(c.used.Told, c.told)
	rows := sums.Rows(all, k.o.Place)
	var sum sums.Sum
	for _, r := range rows {
		sum.Add(r.Sum)
	}
	oldest := k.day(-keptDays)
	if err := k.o.Store.SaveUsage(of, slices.DeleteFunc(rows, func(r sums.Row) bool { return r.Day < oldest })); err != nil {
		return err
	}
	c.saved, c.sum = c.used.Changes, sum
	k.o.Show(ctx, c.session, id, sum, sum.Priced && sum.Lacks == 0)
	return nil
}

// day is today, or another day.
func (k *Keeper) day(after int) string {
	return k.o.Now().In(k.o.Place).AddDate(0, 0, after).Format(time.DateOnly)
}

// Prune deletes what is older than is kept.
func (k *Keeper) Prune() error {
	return k.o.Store.PruneUsage(k.day(-keptDays), k.o.Now().AddDate(0, 0, -keptDays))
}

// Filter says what is summed up; what is "" or zero is not asked for.
type Filter struct {
	// Since is the first day, as YYYY-MM-DD where the daemon runs.
	Since string
	// Account is a name, or api.AccountDefault for the agent's own login.
	Agent, Account, Label string
}

// Day is today, or so many days later, for Filter.Since.
func (k *Keeper) Day(after int) string { return k.day(after) }

// Spent is what was used: for budgets.
func (k *Keeper) Spent(ctx context.Context, f Filter) (sum sums.Sum, err error) {
	rows, err := k.o.Store.Usage(ctx, f.Since)
	for _, r := range rows {
		if (f.Agent == "" || f.Agent == r.Agent) && (f.Account == "" || f.Account == cmp.Or(r.Account, api.AccountDefault)) && (f.Label == "" || slices.Contains(r.Labels, f.Label)) {
			sum.Add(r.Sum)
		}
	}
	return sum, err
}

// keys are how rows are told apart.
var keys = map[api.UsageBy]func(store.UsageRow) (key, name string){
	"":                 func(r store.UsageRow) (string, string) { return r.Day, "" },
	api.UsageByDay:     func(r store.UsageRow) (string, string) { return r.Day, "" },
	api.UsageBySession: func(r store.UsageRow) (string, string) { return r.Session, r.Name },
	api.UsageByTask:    func(r store.UsageRow) (string, string) { return r.Task, "" },
	api.UsageByRepo:    func(r store.UsageRow) (string, string) { return r.Repo, "" },
	api.UsageByModel:   func(r store.UsageRow) (string, string) { return r.Model, "" },
	api.UsageByAccount: func(r store.UsageRow) (string, string) {
		return r.Agent + "/" + cmp.Or(r.Account, api.AccountDefault), ""
	},
}

// Rows are the sums by something: days oldest first, the others with what cost most first.
func (k *Keeper) Rows(ctx context.Context, by api.UsageBy, since time.Time) ([]api.UsageRow, error) {
	from := ""
	if !since.IsZero() {
		from = since.In(k.o.Place).Format(time.DateOnly)
	}
	rows, err := k.o.Store.Usage(ctx, from)
	if err != nil {
		return nil, err
	}
	type group struct {
		sums.Sum
		name  string
		lacks []string
	}
	groups := map[string]*group{}
	for _, r := range rows {
		key, name := keys[by](r)
		g := groups[key]
		if g == nil {
			g = &group{}
			groups[key] = g
		}
		g.Add(r.Sum)
		g.name = name
		if r.Lacks > 0 && !slices.Contains(g.lacks, r.Model) {
			g.lacks = append(g.lacks, r.Model)
		}
	}
	list := make([]api.UsageRow, 0, len(groups))
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		g := groups[key]
		t := g.Tokens
		slices.Sort(g.lacks)
		list = append(list, api.UsageRow{Key: key, Name: g.name, InputTokens: &t.Input, OutputTokens: &t.Output, CacheReadTokens: &t.CacheRead,
			CacheWriteTokens: &t.CacheWrite, CostUSD: g.Cost(), Estimate: g.Estimate, Lacks: g.lacks})
	}
	if by != "" && by != api.UsageByDay {
		slices.SortStableFunc(list, func(a, b api.UsageRow) int { return -cmp.Compare(value(a.CostUSD), value(b.CostUSD)) })
	}
	return list, nil
}

func value(usd *float64) float64 {
	if usd == nil {
		return -1
	}
	return *usd
}
