// Package limits keeps what agents say about the windows of their accounts' limits.
//
// Contract: samples come from any goroutine; the newest of each window wins (usage.Table).
package limits

import (
	"cmp"
	"sync"
	"time"

	"ccdir/api"
	"ccdir/usage"
)

// Options configure a Keeper.
type Options struct {
	Now func() time.Time
}

// Keeper owns the windows of all accounts. It is safe for concurrent use.
type Keeper struct {
	o Options

	mu    sync.Mutex
	table usage.Table
}

// New makes a Keeper.
func New(o Options) *Keeper { return &Keeper{o: o} }

// Add takes what a source said.
func (k *Keeper) Add(samples ...usage.Sample) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, s := range samples {
		k.table.Add(s)
	}
}

// Current are the windows now, by agent and account.
func (k *Keeper) Current() []usage.Window {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.table.Windows(k.o.Now())
}

// Windows are the windows now, for the API.
func (k *Keeper) Windows() []api.UsageWindow {
	now := k.o.Now()
	list := []api.UsageWindow{}
	for _, w := range k.Current() {
		out := api.UsageWindow{
			Account: cmp.Or(w.Account, api.AccountDefault), Agent: w.Agent, Name: w.Name, UsedPercent: w.UsedPercent,
			Source: string(w.Source), At: w.At.UTC(), Seconds: int64(w.Length / time.Second), Pace: paces[w.Pace(now)],
		}
		if !w.ResetsAt.IsZero() {
			end := w.ResetsAt.UTC()
			out.ResetsAt = &end
		}
		list = append(list, out)
	}
	return list
}

var paces = map[usage.Pace]api.UsagePace{usage.PaceFits: api.PaceFits, usage.PaceQuick: api.PaceQuick, usage.PaceSpent: api.PaceSpent}
