package timer

import (
	"os"
	"slices"
	"testing"
	"time"
)

// wakers are the ways to wait of this system.
func wakers() map[string]func() waker {
	return map[string]func() waker{
		"system":  newWaker,
		"runtime": func() waker { return newTimerWaker() },
	}
}

func with(w waker) *Clock {
	c := &Clock{wake: w, ended: make(chan struct{})}
	go c.run()
	return c
}

// each runs the test with each way to wait, and with none.
func each(t *testing.T, test func(t *testing.T, c *Clock)) {
	for name, w := range wakers() {
		t.Run(name, func(t *testing.T) {
			c := with(w())
			defer c.Close()
			test(t, c)
		})
	}
	t.Run("nil", func(t *testing.T) { test(t, nil) })
}

// TestOrder: alarms come in the order of their times, which count from when each was asked for, and
// none before its time.
func TestOrder(t *testing.T) {
	for name, w := range wakers() {
		t.Run(name, func(t *testing.T) {
			c := with(w())
			defer c.Close()
			waits := []int{40, 10, 30, 0, 20, -5}
			alarms := make([]*Alarm, len(waits))
			came := make(chan int, len(waits))
			for i, ms := range waits {
				began := time.Now()
				alarms[i] = c.AfterFunc(time.Duration(ms)*time.Millisecond, func() {
					if passed := time.Since(began); passed < time.Duration(ms)*time.Millisecond {
						t.Errorf("the one for %d ms came after %s", ms, passed)
					}
					came <- i
				})
			}
			var order []int
			var late []time.Time
			for range waits {
				i := <-came
				order = append(order, waits[i])
				if waits[i] > 0 { // those whose time had come when the others were asked for come as they can
					late = append(late, alarms[i].at)
				}
			}
			if !slices.IsSortedFunc(late, time.Time.Compare) {
				t.Errorf("they came in the order %v", order)
			}
		})
	}
}

func TestStop(t *testing.T) {
	each(t, func(t *testing.T, c *Clock) {
		first := c.AfterFunc(time.Hour, func() { t.Error("a stopped call was made") })
		second := make(chan struct{})
		c.AfterFunc(time.Millisecond, func() { close(second) })
		third := c.AfterFunc(2*time.Hour, func() { t.Error("a stopped call was made") })
		<-second
		if !first.Stop() || !third.Stop() {
			t.Error("one that was pending wasn't stopped")
		}
		if first.Stop() {
			t.Error("it was stopped twice")
		}
		last := make(chan struct{})
		c.AfterFunc(time.Millisecond, func() { close(last) })
		<-last
	})
}

// A call may ask for another one, sooner or later than what is pending.
func TestAgain(t *testing.T) {
	each(t, func(t *testing.T, c *Clock) {
		done := make(chan struct{})
		later := c.AfterFunc(time.Hour, func() {})
		var next func(n int) func()
		next = func(n int) func() {
			return func() {
				if n == 0 {
					close(done)
					return
				}
				c.AfterFunc(time.Millisecond, next(n-1))
			}
		}
		c.AfterFunc(time.Millisecond, next(5))
		<-done
		if !later.Stop() {
			t.Error("it was not pending any more")
		}
	})
}

func TestTicker(t *testing.T) {
	each(t, func(t *testing.T, c *Clock) {
		began := time.Now()
		tick := c.NewTicker(5 * time.Millisecond)
		for range 4 {
			<-tick.C
		}
		// Those that were due while nobody looked are one.
		if passed := time.Since(began); passed < 20*time.Millisecond {
			t.Errorf("four ticks after %s", passed)
		}
		tick.Stop()
		select {
		case <-tick.C:
		default:
		}
		quiet := make(chan struct{})
		c.AfterFunc(20*time.Millisecond, func() { close(quiet) })
		<-quiet
		select {
		case <-tick.C:
			t.Error("a tick after Stop")
		default:
		}
	})
}

// Ticks that were missed don't come all at once, and the next one is in step.
func TestMissed(t *testing.T) {
	for name, w := range wakers() {
		t.Run(name, func(t *testing.T) {
			c := with(w())
			defer c.Close()
			const every = 40 * time.Millisecond
			began := time.Now()
			tick := c.NewTicker(every)
			defer tick.Stop()
			held := make(chan struct{})
			// The clock is held up past three ticks.
			c.AfterFunc(0, func() { time.Sleep(3*every + every/2); close(held) })
			<-held
			<-tick.C
			second := <-tick.C
			if at := second.Sub(began); at < 4*every {
				t.Errorf("the tick after the late one came at %s", at)
			}
		})
	}
}

func TestClose(t *testing.T) {
	for name, w := range wakers() {
		t.Run(name, func(t *testing.T) {
			c := with(w())
			pending := c.AfterFunc(10*time.Millisecond, func() { t.Error("a call after Close") })
			tick := c.NewTicker(10 * time.Millisecond)
			under, goOn := make(chan struct{}), make(chan struct{})
			c.AfterFunc(0, func() { close(under); <-goOn })
			<-under
			closed := make(chan struct{})
			go func() { c.Close(); close(closed) }()
			select {
			case <-closed:
				t.Error("Close didn't wait for the call under way")
			case <-time.After(20 * time.Millisecond):
			}
			close(goOn)
			<-closed
			if pending.Stop() {
				t.Error("it was pending after Close")
			}
			c.AfterFunc(0, func() { t.Error("a call after Close") })
			c.Close()
			time.Sleep(20 * time.Millisecond) // for what must not come: all of it would be due
			tick.Stop()
			select {
			case <-tick.C:
				t.Error("a tick after Close")
			default:
			}
		})
	}
}

// A closed clock leaves no file behind, one that is idle has one.
func TestFiles(t *testing.T) {
	count := func() int {
		entries, err := os.ReadDir("/dev/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	before := count()
	for range 20 {
		New().Close()
	}
	if after := count(); after > before+1 { // the runtime's poller may come with the first
		t.Errorf("%d files before, %d after", before, after)
	}
}
