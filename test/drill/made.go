package drill

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"ccdir/api"
	"ccdir/client"
	"ccdir/internal/disk/paths"
)

const (
	// makeEvery is the pause between two creations.
	makeEvery = 80 * time.Millisecond
	// One in taskOf creations is a task; in one of giveUpOf calls the caller cancels
	// and retries.
	taskOf, giveUpOf = 8, 3
	// madeFile has a line for each process that was started.
	madeFile = "made.txt"
)

// makeLoad creates sessions and tasks with idempotency keys, removes them again, and
// retries whenever it cancelled or the outcome is unknown. It starts no daemon: the
// grids do.
type makeLoad struct {
	client *client.Client
	home   string
	env    []string
	rand   *rand.Rand
	end    context.CancelFunc
	done   chan struct{}
	once   sync.Once

	// Owned by the load until it has ended.
	sessions, tasks []int // numbers of those created
	repeats         int   // number of retries
	err             error
}

// startMaking starts the load; the caller stops it.
func startMaking(p paths.Paths, home string, env []string, seed uint64) *makeLoad {
	ctx, cancel := context.WithCancel(context.Background())
	l := &makeLoad{client: client.New(client.Options{Paths: p, UID: -1, Name: "drill", Patience: patience}), home: home, env: env,
		rand: rand.New(rand.NewPCG(seed, 3)), end: cancel, done: make(chan struct{})}
	go l.loop(ctx)
	return l
}

// stop ends the load and waits for it.
func (l *makeLoad) stop() { l.once.Do(l.end); <-l.done }

func (l *makeLoad) loop(ctx context.Context) {
	defer close(l.done)
	defer l.client.Close()
	for n := 1; pause(ctx, makeEvery) == nil; n++ {
		// Operations in flight are completed; otherwise the expected state would be
		// unknown.
		make := l.session
		if n%taskOf == 0 {
			make = l.task
		}
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*patience)
		err := make(limited, n)
		cancel()
		if err != nil {
			l.err = fmt.Errorf("making number %d: %w", n, err)
			return
		}
	}
}

// insist retries a call until it is answered. Sometimes it first cancels the call in
// flight.
func (l *makeLoad) insist(ctx context.Context, call func(context.Context) error) error {
	for n := 0; ; n++ {
		within, cancel := ctx, context.CancelFunc(func() {})
		if n == 0 && l.rand.IntN(giveUpOf) == 0 {
			within, cancel = context.WithTimeout(ctx, time.Duration(l.rand.Int64N(int64(30*time.Millisecond))))
		}
		err := call(within)
		cancel()
		gone := api.Unsure(err) || errors.Is(err, client.ErrNotRunning) || errors.Is(err, context.DeadlineExceeded) || api.CodeOf(err) == api.CodeTimeout
		if err == nil || !gone || pause(ctx, 5*time.Millisecond) != nil {
			return err
		}
		l.repeats++
	}
}

// session creates a session whose process writes one line when it starts, and removes
// it.
func (l *makeLoad) session(ctx context.Context, n int) error {
	script := fmt.Sprintf("echo %d >> %s", n, filepath.Join(l.home, madeFile))
	want := api.NewSession{Argv: []string{"/bin/sh", "-c", script}, CWD: l.home, Env: l.env, Cols: cols, Rows: rows, Request: fmt.Sprint("drill-session-", n)}
	var ids []string
	for range 1 + l.rand.IntN(2) { // answered calls are retried too
		var s api.Session
		if err := l.insist(ctx, func(ctx context.Context) (err error) { s, err = l.client.CreateSession(ctx, want); return err }); err != nil {
			return err
		}
		ids = append(ids, s.ID)
	}
	if ids = slices.Compact(ids); len(ids) > 1 {
		return fmt.Errorf("the sessions %q were made", ids)
	}
	l.sessions = append(l.sessions, n)
	return l.insist(ctx, func(ctx context.Context) error {
		_, err := l.client.Wait(ctx, ids[0], []api.State{api.StateExited}, patience)
		if err == nil {
			err = l.client.RemoveSession(ctx, ids[0])
		}
		if api.CodeOf(err) == api.CodeNotFound { // removed by a call that was cancelled
			return nil
		}
		return err
	})
}

// task adds a task and cancels it.
func (l *makeLoad) task(ctx context.Context, n int) error {
	want := []api.NewTask{{Prompt: keyedPrompt(n), CWD: l.home, Env: l.env, Request: fmt.Sprint("drill-task-", n), Priority: -1}}
	var ids []string
	for range 1 + l.rand.IntN(2) {
		var list []api.Task
		if err := l.insist(ctx, func(ctx context.Context) (err error) { list, err = l.client.AddTasks(ctx, want); return err }); err != nil {
			return err
		}
		for _, t := range list {
			ids = append(ids, t.ID)
		}
	}
	if ids = slices.Compact(ids); len(ids) != 1 {
		return fmt.Errorf("the tasks %q were made", ids)
	}
	l.tasks = append(l.tasks, n)
	return l.insist(ctx, func(ctx context.Context) error {
		_, err := l.client.CancelTask(ctx, ids[0])
		if api.CodeOf(err) == api.CodeConflict { // it ended first
			return nil
		}
		return err
	})
}

// keyedPrompt is the prompt of task n.
func keyedPrompt(n int) string { return fmt.Sprintf("say drill-keyed-%d.", n) }

// check compares the created sessions and tasks with the existing ones.
func (l *makeLoad) check(ctx context.Context, c *client.Client) error {
	if l.err != nil {
		return l.err
	}
	data, err := os.ReadFile(filepath.Join(l.home, madeFile))
	if err != nil {
		return err
	}
	started := map[int]int{}
	for line := range bytes.Lines(data) {
		n, err := strconv.Atoi(strings.TrimSpace(string(line)))
		if err != nil {
			return fmt.Errorf("%s has the line %q", madeFile, line)
		}
		started[n]++
	}
	for _, n := range l.sessions {
		if started[n] != 1 {
			return fmt.Errorf("session %d was asked for and its process started %d times", n, started[n])
		}
	}
	if len(started) != len(l.sessions) {
		return fmt.Errorf("%d sessions were asked for and %d processes started", len(l.sessions), len(started))
	}
	list, err := c.Tasks(ctx)
	if err != nil {
		return err
	}
	there := map[string]int{}
	for _, t := range list {
		there[t.Prompt]++
	}
	for _, n := range l.tasks {
		if there[keyedPrompt(n)] != 1 {
			return fmt.Errorf("task %d was asked for and is there %d times", n, there[keyedPrompt(n)])
		}
	}
	return nil
}
