package daemon

import (
	"fmt"
	"math"
	"os"
	"syscall"
	"testing"
	"time"

	"ccdir/api"
)

// queueCosts are what a queue of n tasks costs, as a client sees it through the
// API, by step; disk is in bytes a task.
type queueCosts struct {
	steps map[string]time.Duration
	disk  float64
}

// queueSteps are the steps in their order: adding all in one call, adding a
// further one, listing, cancelling one in the middle (a step of the scheduler),
// moving one to the front, finding a word, the start of a daemon, cancelling all.
var queueSteps = []string{"add", "one-more", "list", "step", "move", "search", "start", "clear"}

// wall is the time on the clock.
func wall() time.Duration { return time.Duration(time.Now().UnixNano()) }

// cpu is the time that this process, client and daemon, has worked: on a busy
// machine it says more than the clock.
func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // cannot fail
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// measureQueue measures a queue of n tasks by a clock; the quick steps count as
// their quickest of some.
func measureQueue(b testing.TB, n int, clock func() time.Duration) queueCosts {
	p := newQueuePlace(b)
	p.run()
	size := func() (total int64) {
		for _, suffix := range []string{"", "-wal"} {
			if info, err := os.Stat(p.paths.Database() + suffix); err == nil {
				total += info.Size()
			}
		}
		return total
	}
	p.stopDaemon()
	empty := size()
	p.run()
	c := queueCosts{steps: map[string]time.Duration{}}
	best := func(name string, times int, f func(i int)) {
		c.steps[name] = math.MaxInt64
		for i := range times {
			start := clock()
			f(i)
			c.steps[name] = min(c.steps[name], clock()-start)
		}
	}
	list := make([]api.NewTask, n)
	for i := range list {
		list[i].Prompt = fmt.Sprintf("look at file %d and say what it does", i)
	}
	best("add", 1, func(int) { p.addTasks(list...) })
	// What was added is being told to the event log for a while.
	until(b, "the events", func() bool {
		var events []api.Event
		p.call("GET", fmt.Sprintf("/v1/events?limit=1&since=%d", n), nil, &events)
		return len(events) > 0
	})
	best("one-more", 9, func(int) { p.addTasks(api.NewTask{Prompt: "one more"}) })
	var all []api.Task
	best("list", 3, func(int) { p.call("GET", "/v1/tasks", nil, &all) })
	if len(all) != n+9 {
		b.Fatalf("%d tasks", len(all))
	}
	best("step", 9, func(i int) { p.call("POST", fmt.Sprintf("/v1/tasks/t%d/cancel", n/2+i), nil, nil) })
	best("move", 3, func(i int) { p.call("POST", fmt.Sprintf("/v1/tasks/t%d/move", n-i), api.MoveTask{Before: "t1"}, nil) })
	var hits []api.SearchHit
	best("search", 3, func(int) { p.call("GET", "/v1/search?q="+fmt.Sprintf("file+%d", n/3), nil, &hits) })
	if len(hits) == 0 {
		b.Fatal("nothing found")
	}
	p.stopDaemon()
	c.disk = float64(size()-empty) / float64(n)
	best("start", 1, func(int) { p.run() })
	best("clear", 1, func(int) { p.call("DELETE", "/v1/tasks", nil, nil) })
	return c
}

// BenchmarkTasks measures queues of several sizes; docs/performance.md has the
// figures.
func BenchmarkTasks(b *testing.B) {
	for _, n := range []int{1_000, 3_000, 10_000, 30_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				c := measureQueue(b, n, wall)
				for _, name := range queueSteps {
					b.ReportMetric(float64(c.steps[name].Microseconds())/1000, name+"-ms")
				}
				b.ReportMetric(c.disk, "disk-B/task")
				b.ReportMetric(0, "ns/op")
			}
		})
	}
}

// TestTasksGrowth: no step of a queue grows worse than n log n. From 500 to 3,000
// tasks that is a factor of 7.7, and 36 for what is quadratic; between the two
// there is room for the collector of garbage and other chance.
func TestTasksGrowth(t *testing.T) {
	const small, large, most = 500, 3_000, 18
	a, b := measureQueue(t, small, cpu), measureQueue(t, large, cpu)
	for _, name := range queueSteps {
		// A millisecond is the noise of a call.
		factor := float64(b.steps[name]+time.Millisecond) / float64(a.steps[name]+time.Millisecond)
		t.Logf("%-8s %8.2f ms %8.2f ms  x%.1f", name, a.steps[name].Seconds()*1000, b.steps[name].Seconds()*1000, factor)
		if factor > most {
			t.Errorf("%s: %d times the tasks take %.0f times as long", name, large/small, factor)
		}
	}
	if b.disk > 2*a.disk || b.disk > 4096 {
		t.Errorf("%.0f and %.0f bytes on disk a task", a.disk, b.disk)
	}
}
