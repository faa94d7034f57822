// Package limits keeps what agents say about the windows of their accounts' limits.
//
// Contract: samples come from any goroutine and are taken at once; the newest of each window wins
// (usage.Table). Run saves them, latest wins, so that a daemon knows after its start what the one before
// knew, and keeps the history for Kept. A crash loses what came within the last moments.
package limits

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"ccdir/agents"
	"ccdir/internal/tune/timer"
	"ccdir/usage"
)

// Kept is how long the history of windows is kept.
const Kept = 90 * 24 * time.Hour

const (
	// maxWindows bounds the windows that are known, as agents name them: further ones are dropped.
	maxWindows = 200
	// maxSessions bounds the sessions whose last report is remembered.
	maxSessions = 4096
	// pruneEvery is the interval of deletions of what is old.
	pruneEvery = 6 * time.Hour
	// saveEvery is how old what is saved of a window may be while its numbers stay the same.
	saveEvery = 5 * time.Minute
	// retryAfter is the pause after a failure to save.
	retryAfter = 30 * time.Second
)

// Store keeps samples.
type Store interface {
	// NewestLimits are the newest samples of all windows.
	NewestLimits(ctx context.Context) ([]usage.Sample, error)
	// SaveLimits saves samples, thinned by their time.
	SaveLimits(samples []usage.Sample) error
	PruneLimits(before time.Time) error
}

// Options configure a Keeper.
type Options struct {
	Store Store
	Now   func() time.Time
	// Changed is told of the windows whenever one has changed, by Run; nil: nobody is told.
	Changed func()
	Alarms  *timer.Clock
	Logger  *slog.Logger
}

// Keeper owns the windows of all accounts. It is safe for concurrent use.
type Keeper struct {
	o Options

	mu    sync.Mutex
	table usage.Table
	// unsaved are the newest samples that Run has not saved yet.
	unsaved map[usage.Key]usage.Sample
	// saved is of when the sample is that was saved, or is about to be.
	saved map[usage.Key]time.Time
	// told is the last report of each session.
	told map[string]string
	// asked is how accounts were asked since the daemon's start.
	asked map[account]usage.Probing
	wake  chan struct{}
}

// Open makes a Keeper that knows what is saved.
func Open(ctx context.Context, o Options) (*Keeper, error) {
	k := &Keeper{o: o, unsaved: map[usage.Key]usage.Sample{}, saved: map[usage.Key]time.Time{}, told: map[string]string{}, asked: map[account]usage.Probing{}, wake: make(chan struct{}, 1)}
	saved, err := o.Store.NewestLimits(ctx)
	if err != nil {
		return nil, fmt.Errorf("the limits that are saved cannot be read: %w", err)
	}
	for _, s := range saved {
		k.table.Add(s)
		k.saved[s.Key] = s.At
	}
	return k, nil
}

// Add takes what a source has just said.
func (k *Keeper) Add(samples ...usage.Sample) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, s := range samples {
		k.add(s)
	}
}

// add takes one sample. The caller holds mu.
func (k *Keeper) add(s usage.Sample) {
	if _, known := k.table.Newest(s.Key); !known && k.table.Len() >= maxWindows {
		return
	}
	if changed := k.table.Add(s); !changed && s.At.Sub(k.saved[s.Key]) < saveEvery {
		return
	}
	k.unsaved[s.Key], _ = k.table.Newest(s.Key)
	k.saved[s.Key] = s.At
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// Told takes the report of a session's agent, which repeats what it was told with its last answer. Only
// one that differs from the session's last is new. The first one of a session may be of long ago: it
// is taken if it is not behind what is known.
func (k *Keeper) Told(session, agent, account string, m agents.Metered) {
	k.mu.Lock()
	defer k.mu.Unlock()
	mark := markOf(m)
	last, known := k.told[session]
	if known && last == mark {
		return
	}
	if !known && len(k.told) >= maxSessions {
		clear(k.told)
	}
	k.told[session] = mark
	for _, s := range m.Samples {
		s.Agent, s.Account = agent, account
		if known || !k.table.Behind(s) {
			k.add(s)
		}
	}
}

// markOf is what a report says, without its time.
func markOf(m agents.Metered) string {
	mark := fmt.Sprint(m.Conversation, " ", m.Work)
	list := slices.SortedFunc(slices.Values(m.Samples), func(a, b usage.Sample) int { return strings.Compare(a.Name, b.Name) })
	for _, s := range list {
		used := -1.0
		if s.UsedPercent != nil {
			used = *s.UsedPercent
		}
		mark += fmt.Sprint(" ", s.Name, " ", used, " ", s.ResetsAt.Unix())
	}
	return mark
}

// Current are the windows now, by agent and account.
func (k *Keeper) Current() []usage.Window {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.table.Windows(k.o.Now())
}

// Run saves what comes, until ctx ends; then what is left.
func (k *Keeper) Run(ctx context.Context) {
	tick := k.o.Alarms.NewTicker(pruneEvery)
	defer tick.Stop()
	k.prune()
	k.changed()
	for {
		select {
		case <-k.wake:
			k.changed()
			if k.save() == nil {
				continue
			}
			pause, end := context.WithCancel(ctx)
			retry := k.o.Alarms.AfterFunc(retryAfter, end)
			<-pause.Done()
			retry.Stop()
			end()
		case <-tick.C:
			k.prune()
		case <-ctx.Done():
			_ = k.save()
			return
		}
	}
}

func (k *Keeper) changed() {
	if k.o.Changed != nil {
		k.o.Changed()
	}
}

// save saves what is unsaved. After a failure it is tried again.
func (k *Keeper) save() error {
	k.mu.Lock()
	list := slices.Collect(maps.Values(k.unsaved))
	clear(k.unsaved)
	k.mu.Unlock()
	if len(list) == 0 {
		return nil
	}
	err := k.o.Store.SaveLimits(list)
	if err != nil {
		k.o.Logger.Error("what agents say of their limits cannot be saved", "error", err)
		k.mu.Lock()
		defer k.mu.Unlock()
		for _, s := range list {
			if _, newer := k.unsaved[s.Key]; !newer {
				k.unsaved[s.Key] = s
			}
		}
		select {
		case k.wake <- struct{}{}:
		default:
		}
	}
	return err
}

func (k *Keeper) prune() {
	if err := k.o.Store.PruneLimits(k.o.Now().Add(-Kept)); err != nil {
		k.o.Logger.Error("old samples of limits cannot be deleted", "error", err)
	}
}
