package realcli

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/daemon"
	"ccdir/daemon/queue"
	"ccdir/internal/disk/paths"
	"ccdir/orchestrator"
	"ccdir/sessions/delivery"
	"ccdir/test/fakeapi"
)

// envDaemon makes the test's executable a daemon that dies at a point
// ("point:nth"; "-" never).
const envDaemon = "CCDIR_TEST_TASK_DAEMON"

// envStagger is the pause between starts after a usage limit of that daemon.
const envStagger = "CCDIR_TEST_TASK_STAGGER"

// daemonMain is that daemon.
func daemonMain(spec string) int {
	p, err := paths.New(os.Getenv, os.Getuid())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	point, count, _ := strings.Cut(spec, ":")
	nth, err := strconv.ParseInt(count, 10, 64)
	if err != nil {
		nth = 1
	}
	var seen atomic.Int64
	var times *orchestrator.Times
	if d, err := time.ParseDuration(os.Getenv(envStagger)); err == nil {
		t := orchestrator.DefaultTimes()
		t.Stagger, times = d, &t
	}
	err = daemon.Run(context.Background(), daemon.Options{Paths: p, UID: os.Getuid(), Env: os.Environ(), Shim: os.Getenv("CCDIR_TEST_SHIM"), TaskTimes: times,
		Logger: slog.New(slog.NewTextHandler(os.Stderr, nil)), Ready: func(api.Server) { fmt.Println("ready") },
		Pause: func(at string) {
			if at == point && seen.Add(1) == nth {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
		}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// run starts a daemon that dies at a point. It returns when it accepts calls or
// is dead.
func (p *Product) run(point string) *exec.Cmd {
	p.t.Helper()
	cmd := exec.Command(self(p.t))
	cmd.Env = append(slices.Clone(p.Env), envDaemon+"="+point, "CCDIR_TEST_SHIM="+p.shim)
	out, err := cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	_, _ = out.Read(make([]byte, 16))
	return cmd
}

// counting is a script that knows how many turns run at once.
type counting struct {
	mu        sync.Mutex
	now, most int
	prompts   map[string]int // by prompt, turns of the conversation alone
	// pair, unless it is nil, is closed by met when two turns run at once.
	pair chan struct{}
	met  sync.Once
}

func (c *counting) script(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
	if !r.Main() {
		return fakeapi.Echo(ctx, r)
	}
	c.mu.Lock()
	c.now++
	if c.most = max(c.most, c.now); c.most == 2 && c.pair != nil {
		c.met.Do(func() { close(c.pair) })
	}
	c.prompts[strings.TrimSpace(r.Prompt)]++
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		c.now--
		c.mu.Unlock()
	}()
	if c.pair != nil { // on a busy machine the second one may begin late
		select {
		case <-c.pair:
		case <-time.After(20 * time.Second):
		case <-ctx.Done():
		}
	}
	select { // long enough that those that run in pairs meet
	case <-time.After(time.Second):
	case <-ctx.Done():
	}
	return fakeapi.Echo(ctx, r)
}

// fiveTasks is a file of tasks.
const fiveTasks = `
[[task]]
name = "one"
prompt = "the first task"

[[task]]
prompt = "the second task"
steps = ["its second step"]

[[task]]
prompt = "the third task"
kind = "print"

[[task]]
prompt = "the fourth task"
after = ["one"]

[[task]]
prompt = "the fifth task"
kind = "print"
`

// addFive adds the five tasks through the command line.
func addFive(ctx context.Context, t *testing.T, p *Product) (ids []string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "tasks.toml")
	if err := os.WriteFile(file, []byte(fiveTasks), 0o600); err != nil {
		t.Fatal(err)
	}
	p.Run(ctx, "task", "limit", "2")
	ids = strings.Fields(p.Run(ctx, "task", "add", "-a", "claude", "-f", file))
	if len(ids) != 5 {
		t.Fatalf("added %v", ids)
	}
	p.Run(ctx, "task", "mode", "auto")
	return ids
}

// checkFive holds results and what reached the API against what was asked for.
func checkFive(ctx context.Context, t *testing.T, p *Product, c *counting, ids []string) {
	t.Helper()
	var list []api.Task
	if err := json.Unmarshal([]byte(p.Run(ctx, append([]string{"task", "wait", "--json", "--timeout", "160s"}, ids...)...)), &list); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"the first task", "its second step", "the third task", "the fourth task", "the fifth task"} {
		task := list[i]
		if task.State != api.TaskDone || task.Attempt != 1 || task.Result.Message != "You said: "+want || task.Result.Missing != "" {
			t.Errorf("%+v", task)
		}
		if task.Result.Turns == 0 || task.Result.Tokens == 0 || task.Result.Conversation == "" {
			t.Errorf("%s: what it used is not known: %+v", task.ID, task.Result)
		}
	}
	// Each had one session, which is in the history and has given its pane back.
	kept, archived := 5, 0
	for deadline := time.Now().Add(20 * time.Second); (kept > 0 || archived < 5) && time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		list, err := p.Client.Sessions(ctx)
		if err != nil {
			t.Fatal(err)
		}
		past, err := p.Client.History(ctx, 0)
		if err != nil {
			t.Fatal(err)
		}
		kept, archived = len(list), 0
		for _, e := range past {
			if e.Kind == "session" {
				archived++
			}
		}
	}
	if kept != 0 || archived != 5 {
		t.Errorf("%d sessions in the list, %d in the history", kept, archived)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, prompt := range []string{"the first task", "the second task", "its second step", "the third task", "the fourth task", "the fifth task"} {
		if n := c.prompts[prompt]; n != 1 {
			t.Errorf("%q reached the API %d times: %v", prompt, n, c.prompts)
		}
	}
}

// TestProductTasks: five tasks, two at a time.
func TestProductTasks(t *testing.T) {
	Claude(t)
	t.Parallel()
	c := &counting{prompts: map[string]int{}, pair: make(chan struct{})}
	fake := fakeapi.New(c.script)
	defer fake.Close()
	p := Install(t, Home(t, fake.URL()))
	ctx := limit(t)
	checkFive(ctx, t, p, c, addFive(ctx, t, p))
	if c.most != 2 {
		t.Errorf("at most %d turns ran at once, wanted 2", c.most)
	}
}

var taskKills = flag.Int("task-kills", 10, "how often the daemon is killed in TestProductTasksKilled")

// TestProductTasksKilled: the same while the daemon is killed at every named
// point and at random moments.
func TestProductTasksKilled(t *testing.T) {
	Claude(t)
	t.Parallel()
	points := []string{queue.PauseSaved, queue.PauseStart, queue.PauseStarted, queue.PauseTaken, queue.PauseEnd,
		delivery.PauseExpecting, delivery.PauseTyped, delivery.PauseTaken, delivery.PauseNoted}
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 3))
	for kills := 0; kills < *taskKills; {
		round := 0
		t.Run(fmt.Sprint(kills), func(t *testing.T) {
			c := &counting{prompts: map[string]int{}}
			fake := fakeapi.New(c.script)
			defer fake.Close()
			ctx := limit(t)
			p := Install(t, Home(t, fake.URL()))
			cmd := p.run("-")
			ids := addFive(ctx, t, p)
			for round = 0; round < 10; round++ {
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
				if round == 9 {
					break
				}
				cmd = p.run(fmt.Sprintf("%s:%d", points[(kills+round)%len(points)], 1+r.IntN(2)))
				dead := make(chan struct{})
				go func() { _, _ = cmd.Process.Wait(); close(dead) }()
				select {
				case <-dead:
				case <-time.After(time.Duration(500+r.IntN(2500)) * time.Millisecond): // a random moment
				}
			}
			checkFive(ctx, t, p, c, ids)
		})
		kills += round + 1
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}
