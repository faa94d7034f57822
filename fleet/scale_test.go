package fleet_test

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/client"
	"ccdir/fleet"
	"ccdir/fleet/engine"
)

var (
	scaleNodes = flag.Int("scale-nodes", 20, "machines of TestScale")
	scaleTasks = flag.Int("scale-tasks", 400, "tasks of TestScale")
)

// counter is a machine's daemon whose tasks are done at once. It keeps how often each began, and when.
type counter struct {
	change chan api.Task

	mu    sync.Mutex
	began map[string]time.Time // by prompt
	twice []string
	made  []api.NewTask // t1, t2, …
}

func (c *counter) AddTasks(_ context.Context, list []api.NewTask) ([]api.Task, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	prompt := list[0].Prompt
	if _, again := c.began[prompt]; again {
		c.twice = append(c.twice, prompt)
	}
	c.began[prompt] = time.Now()
	c.made = append(c.made, api.NewTask{Request: list[0].Request})
	t := c.task(len(c.made))
	select {
	case c.change <- t:
	default:
		panic("more changes than a machine has places")
	}
	return []api.Task{t}, nil
}

func (c *counter) task(n int) api.Task {
	return api.Task{ID: "t" + strconv.Itoa(n), NewTask: c.made[n-1], State: api.TaskDone}
}

func (c *counter) Task(_ context.Context, ref string) (api.Task, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, err := strconv.Atoi(strings.TrimPrefix(ref, "t"))
	if err != nil || n < 1 || n > len(c.made) {
		return api.Task{}, api.Errorf(api.CodeNotFound, "no task %s", ref)
	}
	return c.task(n), nil
}

func (c *counter) Tasks(context.Context) (list []api.Task, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for n := range c.made {
		list = append(list, c.task(n+1))
	}
	return list, nil
}

func (c *counter) CancelTask(ctx context.Context, ref string) (api.Task, error) {
	return c.Task(ctx, ref)
}
func (c *counter) StartTask(ctx context.Context, ref string) (api.Task, error) {
	return c.Task(ctx, ref)
}
func (c *counter) Agents(context.Context) ([]api.AgentInfo, error) {
	return []api.AgentInfo{{Name: "claude", Kind: "claude", Path: "/bin/claude"}}, nil
}
func (c *counter) TaskLogs(context.Context, string) (l api.TaskLogs, err error) { return l, nil }
func (c *counter) Diff(context.Context, string, api.DiffQuestion) (d api.ReviewDiff, err error) {
	return d, nil
}
func (c *counter) Queue(context.Context) (api.Queue, error) { return api.Queue{}, nil }

func (c *counter) Watch(ctx context.Context, w client.Watcher) error {
	w.Message(api.WatchMessage{Snapshot: &api.Snapshot{}})
	for {
		select {
		case t := <-c.change:
			w.Message(api.WatchMessage{Task: &t})
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// TestScale: each task of many begins once on one of many machines. It logs how quick that was; `make
// drill-fleet` takes 200 machines and 100,000 tasks.
func TestScale(t *testing.T) {
	b := newBox(t)
	b.lead("one")
	me := b.member(engine.Member{Name: "me", Asks: true})
	nodes := make([]*counter, *scaleNodes)
	invitations := make([]engine.Invitation, len(nodes))
	for i := range nodes {
		var err error
		if invitations[i], err = engine.Invite(b.dir, engine.Member{Name: "n" + strconv.Itoa(i), Runs: true}, []string{b.e.URL()}); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	var joined sync.WaitGroup
	t.Cleanup(func() { stop(); joined.Wait() })
	for i := range nodes {
		nodes[i] = &counter{began: map[string]time.Time{}, change: make(chan api.Task, 64)}
		nc, err := engine.Dial(invitations[i], nil)
		if err != nil {
			t.Fatal(err)
		}
		joined.Go(func() {
			defer nc.Close()
			_ = fleet.Join(ctx, fleet.MemberOptions{Conn: nc, Name: invitations[i].Name, Slots: 4, Daemon: nodes[i], Log: slog.New(slog.DiscardHandler)})
		})
	}
	until(t, "all machines", func() bool {
		return len(ask(t, me, "me", api.FleetRequest{Op: api.FleetState}).Fleet.Nodes) == len(nodes)
	})
	began := func() (n int, latest time.Time) {
		for _, c := range nodes {
			c.mu.Lock()
			n += len(c.began)
			for _, at := range c.began {
				if at.After(latest) {
					latest = at
				}
			}
			c.mu.Unlock()
		}
		return n, latest
	}

	from := time.Now()
	for n := 0; n < *scaleTasks; n += 500 {
		var list []api.NewTask
		for i := n; i < min(n+500, *scaleTasks); i++ {
			list = append(list, api.NewTask{Prompt: "p" + strconv.Itoa(i), Agent: "claude", CWD: "/tmp", Request: "batch" + strconv.Itoa(n)})
		}
		ask(t, me, "me", api.FleetRequest{Op: api.FleetAdd, Tasks: list})
	}
	added := time.Since(from)
	for n := 0; n < *scaleTasks; time.Sleep(50 * time.Millisecond) { // machines' doing
		n, _ = began()
		if time.Since(from) > time.Minute+time.Duration(*scaleTasks)*100*time.Millisecond {
			t.Fatalf("%d of %d tasks have begun", n, *scaleTasks)
		}
	}
	_, last := began()
	runtime.GC()
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	t.Logf("%d machines, %d tasks: added in %.1f s, %.0f claims a second, heap of all %d MB", len(nodes), *scaleTasks, added.Seconds(), float64(*scaleTasks)/last.Sub(from).Seconds(), mem.HeapAlloc>>20)

	until(t, "all tasks to end", func() bool {
		return ask(t, me, "me", api.FleetRequest{Op: api.FleetState}).Fleet.Queue.Counts[api.TaskDone] == *scaleTasks
	})
	var waits []time.Duration
	for i := range 100 {
		prompt := fmt.Sprintf("single%d", i)
		at := time.Now()
		ask(t, me, "me", api.FleetRequest{Op: api.FleetAdd, Tasks: []api.NewTask{{Prompt: prompt, Agent: "claude", CWD: "/tmp", Request: prompt}}})
		until(t, prompt, func() bool { n, _ := began(); return n == *scaleTasks+i+1 })
		_, last := began()
		waits = append(waits, last.Sub(at))
	}
	slices.Sort(waits)
	t.Logf("from order to start: p50 %s, p99 %s", waits[len(waits)/2].Round(100*time.Microsecond), waits[len(waits)-2].Round(100*time.Microsecond))
	for i, c := range nodes {
		if len(c.twice) > 0 {
			t.Errorf("n%d began %v twice", i, c.twice)
		}
	}
}
