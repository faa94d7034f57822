package daemon

import (
	"os"
	"testing"
	"time"

	"ccdir/internal/api"
)

// benchTasks is how many tasks are in the queue.
const benchTasks = 10_000

// BenchmarkTasks10000 measures a queue of 10,000 tasks through the API: adding
// them in one call, adding one more, listing, a step (one is cancelled), a start
// of the daemon, and the disk per task.
func BenchmarkTasks10000(b *testing.B) {
	for b.Loop() {
		p := newQueuePlace(b)
		p.run()
		size := func() (n int64) {
			for _, suffix := range []string{"", "-wal"} {
				if info, err := os.Stat(p.paths.Database() + suffix); err == nil {
					n += info.Size()
				}
			}
			return n
		}
		p.stopDaemon()
		empty := size()
		p.run()
		list := make([]api.NewTask, benchTasks)
		for i := range list {
			list[i].Prompt = "look at the next file and say what it does"
		}
		timed := func(name string, f func()) {
			start := time.Now()
			f()
			b.ReportMetric(float64(time.Since(start).Microseconds())/1000, name+"-ms")
		}
		timed("add", func() { p.addTasks(list...) })
		timed("one-more", func() { p.addTasks(api.NewTask{Prompt: "one more"}) })
		var all []api.Task
		timed("list", func() { p.call("GET", "/v1/tasks", nil, &all) })
		if len(all) != benchTasks+1 {
			b.Fatal(len(all))
		}
		timed("step", func() { p.call("POST", "/v1/tasks/t5000/cancel", nil, nil) })
		p.stopDaemon()
		b.ReportMetric(float64(size()-empty)/benchTasks, "disk-B/task")
		timed("start", p.run)
		timed("clear", func() { p.call("DELETE", "/v1/tasks", nil, nil) })
		b.ReportMetric(0, "ns/op")
		p.stopDaemon()
		p.run()
	}
}
