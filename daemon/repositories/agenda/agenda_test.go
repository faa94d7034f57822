package agenda

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// wait takes the next key, and checks which it is and how long it let wait.
func wait(t *testing.T, a *Agenda, what, want string, long time.Duration) {
	t.Helper()
	began := time.Now()
	key, ok := a.Wait(t.Context())
	if took := time.Since(began); !ok || key != want || took != long {
		t.Errorf("%s: %q after %s, want %q after %s", what, key, took, want, long)
	}
}

// nothing checks that no key comes for a day.
func nothing(t *testing.T, a *Agenda, what string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
	defer cancel()
	if key, ok := a.Wait(ctx); ok {
		t.Errorf("%s: %q is due", what, key)
	}
	if at := a.Next(); !at.IsZero() {
		t.Errorf("%s: something is due in %s", what, time.Until(at))
	}
}

// TestOrder: keys come in the order of their times, those of one time as they were planned; each
// once, however often it is planned, and then at the earliest of its times.
func TestOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a, now := New(Options{}), time.Now()
		for _, key := range []string{"b", "a", "c", "a", "b"} {
			a.Plan(key, now)
		}
		a.Plan("late", now.Add(time.Hour))
		a.Plan("sooner", now.Add(2*time.Hour))
		a.Plan("sooner", now.Add(time.Minute))
		a.Plan("sooner", now.Add(3*time.Hour))
		wait(t, a, "first", "b", 0)
		wait(t, a, "second", "a", 0)
		if !a.Taken("a").Equal(now) || !a.Taken("c").IsZero() || !a.Taken("unknown").IsZero() {
			t.Errorf("taken: a at %v, c at %v", a.Taken("a"), a.Taken("c"))
		}
		a.Plan("a", now)
		wait(t, a, "planned again after it was taken", "c", 0)
		wait(t, a, "the last one", "a", 0)
		wait(t, a, "planned twice", "sooner", time.Minute)
		wait(t, a, "planned for later", "late", 59*time.Minute)
		nothing(t, a, "all were taken")
	})
}

// TestUrgent: urgent keys come first, in their order, wait for the end of long rests only, and
// are urgent once.
func TestUrgent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const patience = 24 * time.Second
		a := New(Options{Patience: patience})
		a.Plan("a", time.Now())
		a.Plan("b", time.Now())
		a.Urge("c")
		a.Urge("b")
		a.Urge("c")
		wait(t, a, "urgent", "c", 0)
		a.RestAll(20 * time.Second)
		wait(t, a, "urgent while all rest", "b", 0)
		a.RestAll(10 * time.Second)
		a.Plan("b", time.Now())
		a.Urge("c")
		wait(t, a, "at the end of a long rest", "c", 30*time.Second-patience)
		a.Rest("c", time.Now().Add(time.Minute))
		a.Plan("c", time.Now())
		wait(t, a, "the rest of all is over", "a", patience)
		wait(t, a, "the next", "b", 0)
		wait(t, a, "it is not urgent any more", "c", time.Minute-patience)
		nothing(t, a, "all were taken")
	})
}

// TestRests: time without rest is not saved up, rests of all add up, a key's own one is replaced.
func TestRests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := New(Options{})
		time.Sleep(time.Hour)
		a.RestAll(time.Second)
		a.RestAll(time.Second)
		a.Plan("a", time.Now())
		wait(t, a, "two rests", "a", 2*time.Second)
		a.Rest("a", time.Now().Add(time.Hour))
		a.Rest("a", time.Now().Add(time.Minute))
		a.Plan("a", time.Now())
		a.Plan("b", time.Now())
		wait(t, a, "another key", "b", 0)
		if !a.Resting("a") || a.Resting("b") || a.Resting("unknown") {
			t.Error("the wrong key rests")
		}
		a.Cancel("a")
		nothing(t, a, "cancelled")
		a.Rest("a", time.Now().Add(time.Minute))
		a.Plan("a", time.Now())
		a.Cancel("a")
		a.Cancel("unknown")
		a.Plan("a", time.Now())
		wait(t, a, "a rest outlives the plan", "a", time.Minute)
		if a.Resting("a") {
			t.Error("it rests still")
		}
	})
}

// TestSettle: events put a key off, but not for ever; one that is due already stays so.
func TestSettle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const settle, atMost = 2 * time.Second, 5 * time.Second
		a := New(Options{Settle: settle, AtMost: atMost})
		a.Settle("a")
		time.Sleep(settle - 1)
		a.Settle("a")
		wait(t, a, "after the last event", "a", settle)
		for range 6 {
			a.Settle("a")
			time.Sleep(time.Second - 1)
		}
		if key, ok := a.Take(); !ok || key != "a" {
			t.Errorf("busy: %q %v", key, ok)
		}
		a.Plan("a", time.Now())
		a.Settle("a")
		wait(t, a, "it was due before the event", "a", 0)
		a.Rest("a", time.Now().Add(time.Minute))
		a.Settle("a")
		wait(t, a, "an event while it rests", "a", time.Minute)
	})
}

// TestWakes: whoever waits sees what is planned meanwhile, and ends with its context.
func TestWakes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := New(Options{})
		a.Plan("late", time.Now().Add(time.Hour))
		time.AfterFunc(time.Minute, func() { a.Plan("soon", time.Now().Add(time.Second)) })
		wait(t, a, "planned while it waits", "soon", time.Minute+time.Second)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Minute, cancel)
		began := time.Now()
		if key, ok := a.Wait(ctx); ok || time.Since(began) != time.Minute {
			t.Errorf("%q %v after %s", key, ok, time.Since(began))
		}
		a.Plan("now", time.Now())
		if key, ok := a.Wait(ctx); ok {
			t.Errorf("%q though the context has ended", key)
		}
	})
}

// TestBounded: what is neither planned nor rests makes room; what finds none is refused.
func TestBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := New(Options{})
		a.Rest("rests", time.Now().Add(time.Hour))
		for i := range MaxKeys - 1 {
			a.Plan(fmt.Sprint(i), time.Now())
		}
		a.Plan("refused", time.Now())
		wait(t, a, "the first", "0", 0)
		a.Plan("room", time.Now())
		if n := len(a.keys); n != MaxKeys || a.keys["room"] == nil || a.keys["refused"] != nil || a.keys["0"] != nil || !a.Resting("rests") {
			t.Errorf("%d keys, %v", n, a.keys["room"])
		}
	})
}
