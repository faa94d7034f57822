package limits

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ccdir/agents"
	"ccdir/usage"
)

// shelf is a store in memory.
type shelf struct {
	mu    sync.Mutex
	saved map[usage.Key]usage.Sample
	saves int
	fails int
}

func (s *shelf) NewestLimits(context.Context) (list []usage.Sample, err error) {
	for _, v := range s.saved {
		list = append(list, v)
	}
	return list, nil
}

func (s *shelf) SaveLimits(list []usage.Sample) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fails > 0 {
		s.fails--
		return errors.New("the disk is full")
	}
	s.saves++
	for _, v := range list {
		s.saved[v.Key] = v
	}
	return nil
}

func (s *shelf) PruneLimits(time.Time) error { return nil }

func open(t *testing.T, s *shelf) *Keeper {
	t.Helper()
	k, err := Open(t.Context(), Options{Store: s, Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// report is one of a status line: work is how often its agent has asked its API.
func report(used float64, work int64) agents.Metered {
	now := time.Now()
	return agents.Metered{Conversation: "c", Work: work, Samples: []usage.Sample{{Key: usage.Key{Name: "5h"}, Length: usage.FiveHours,
		UsedPercent: usage.Percent(used), ResetsAt: now.Truncate(5 * time.Hour).Add(5 * time.Hour), Source: usage.SourceStatusLine, At: now}}}
}

func used(t *testing.T, k *Keeper) float64 {
	t.Helper()
	w := k.Current()
	if len(w) != 1 || w[0].UsedPercent == nil {
		t.Fatalf("%+v", w)
	}
	return *w[0].UsedPercent
}

// TestRepetitions: an agent that is idle repeats old numbers, which must not replace those of one that
// works.
func TestRepetitions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := open(t, &shelf{saved: map[usage.Key]usage.Sample{}})
		k.Told("idle", "claude", "", report(40, 1))
		time.Sleep(time.Minute)
		k.Told("busy", "claude", "", report(47, 9))
		time.Sleep(time.Minute)
		k.Told("idle", "claude", "", report(40, 1))
		if got := used(t, k); got != 47 {
			t.Errorf("after a repetition: %v", got)
		}
		k.Told("resumed", "claude", "", report(12, 0))
		if got := used(t, k); got != 47 {
			t.Errorf("after the first word of a session that is behind: %v", got)
		}
		k.Told("idle", "claude", "", report(45, 2)) // the limit was raised: it has asked since
		if got := used(t, k); got != 45 {
			t.Errorf("after an answer: %v", got)
		}
	})
}

// TestSaved: what is known outlives the daemon, also a failure to save; numbers that stay the same are
// not saved each time.
func TestSaved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shelf{saved: map[usage.Key]usage.Sample{}, fails: 1}
		k := open(t, s)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); k.Run(ctx) }()
		for i := range 20 {
			k.Told("s", "claude", "work", report(40, int64(i)))
			time.Sleep(time.Second)
		}
		time.Sleep(retryAfter)
		k.Told("s", "claude", "work", report(41, 99))
		synctest.Wait()
		cancel()
		<-ended
		if s.saves != 2 {
			t.Errorf("%d saves", s.saves)
		}
		again := open(t, s)
		if got := used(t, again); got != 41 || again.Current()[0].Account != "work" {
			t.Errorf("after a restart: %v %+v", got, again.Current())
		}
	})
}

// TestManyNames: names that an agent makes up do not fill the memory.
func TestManyNames(t *testing.T) {
	k := open(t, &shelf{saved: map[usage.Key]usage.Sample{}})
	for i := range 2 * maxWindows {
		k.Add(usage.Sample{Key: usage.Key{Agent: "claude", Name: time.Duration(i).String()}, At: time.Now()})
	}
	if n := len(k.Current()); n != maxWindows {
		t.Errorf("%d windows", n)
	}
}

// asker answers as it is told to.
type asker struct {
	mu     sync.Mutex
	asked  []string
	busy   bool
	answer func() ([]usage.Sample, error)
}

func (a *asker) May(agent, _ string) bool { return agent == "claude" }

func (a *asker) Ask(_ context.Context, agent, account string) ([]usage.Sample, error) {
	a.mu.Lock()
	if a.busy {
		panic("two at once")
	}
	a.busy = true
	a.mu.Unlock()
	time.Sleep(time.Second)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.busy = false
	a.asked = append(a.asked, agent+"/"+account)
	return a.answer()
}

// TestProbe: accounts that nobody says anything of are asked, one after the other, and once after a reset; one that
// has no answer is asked less often, and keeps its numbers.
func TestProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := open(t, &shelf{saved: map[usage.Key]usage.Sample{}})
		begin := time.Now()
		say := func(agent, account string, used float64, ends time.Duration) {
			k.Add(usage.Sample{Key: usage.Key{Agent: agent, Account: account, Name: "5h"}, UsedPercent: usage.Percent(used), ResetsAt: begin.Add(ends), Source: usage.SourceStatusLine, At: time.Now()})
		}
		say("claude", "", 10, 20*time.Minute)
		say("claude", "work", 20, 3*time.Hour)
		say("codex", "", 30, time.Minute)
		a := &asker{answer: func() ([]usage.Sample, error) {
			return []usage.Sample{{Key: usage.Key{Name: "5h"}, UsedPercent: usage.Percent(3), ResetsAt: begin.Add(5 * time.Hour), Source: usage.SourceProbe, At: time.Now()}}, nil
		}}
		ctx, end := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); k.Probe(ctx, a) }()
		expect := func(after time.Duration, want string) {
			t.Helper()
			time.Sleep(time.Until(begin.Add(after)))
			synctest.Wait()
			a.mu.Lock()
			defer a.mu.Unlock()
			if got := strings.Join(a.asked, " "); got != want {
				t.Errorf("after %v: asked %q, want %q", after, got, want)
			}
		}
		probing := func(name string, failed int, why string, next time.Duration) {
			t.Helper()
			p, at := k.Probing("claude", name)
			if p.Failed != failed || p.Why != why || !at.Equal(begin.Add(next)) {
				t.Errorf("%q: %+v, next %v", name, p, at.Sub(begin))
			}
		}
		expect(20*time.Minute, "")
		probing("", 0, "", 21*time.Minute)
		if p, at := k.Probing("claude", "gone"); !at.IsZero() || !p.Asked.IsZero() {
			t.Errorf("of an account that nobody knows: %+v, next %v", p, at)
		}
		expect(23*time.Minute, "claude/")
		expect(63*time.Minute, "claude/ claude/work")
		if w := k.Current()[0]; *w.UsedPercent != 3 || w.Source != usage.SourceProbe {
			t.Errorf("after a probe: %+v", w)
		}
		a.mu.Lock()
		a.asked, a.answer = nil, func() ([]usage.Sample, error) { return nil, errors.New("it does not know the question") }
		a.mu.Unlock()
		say("claude", "", 5, 5*time.Hour)
		say("claude", "work", 5, 5*time.Hour)
		expect(25*time.Hour, strings.TrimSpace(strings.Repeat("claude/ claude/work ", 6)))
		if p, at := k.Probing("claude", "work"); p.Failed != 6 || p.Why != "it does not know the question" || at.Sub(p.Asked) < 15*time.Hour {
			t.Errorf("of one that does not answer: %+v, next %v", p, at)
		}
		if w := k.Current()[0]; w.UsedPercent != nil || !w.Rolled {
			t.Errorf("it is estimated: %+v", w)
		}
		end()
		<-ended
	})
}
