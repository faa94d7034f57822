// Package drill checks the first promise of ccdir on this machine, with the real programs:
// nothing is lost. Sessions print numbered lines, hooks fire, an MCP client sends messages,
// sessions and tasks are created, the queue works and grids are attached, while daemon,
// grid, hook and bridge processes are killed (SIGKILL) at random moments. In the end every
// agent still runs as the same process; every line is in its session's ring and scrollback
// once and in order; every hook call, message and task that was accepted is present once;
// every retried request took effect once; and attached grids found the next daemon by
// themselves. One host is killed too: its session alone is lost, and resumed.
//
// Contract: Run works in the given CCDIR_HOME, which must be an empty throw-away one, and
// ends every process that it started there, even when it fails or its context ends. Kinds
// and moments of kills follow from Options.Seed; the state of the victim at that moment
// depends on the machine.
package drill

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/client"
	"ccdir/internal/disk/paths"
)

// Options of a drill.
type Options struct {
	// Exe is the ccdir executable; its shim lies beside it.
	Exe string
	// Linked says that the daemon is linked into Exe; else it lies beside it too.
	Linked bool
	// Home is the CCDIR_HOME to work in; it exists and is empty.
	Home string
	// Env is the environment of all processes that are started; CCDIR_HOME is set to
	// Home.
	Env []string
	// Kills is how many processes are killed, at least 1 (hosts come on top).
	Kills int
	// Seed determines kinds and moments of kills.
	Seed uint64
	// MaxDelay bounds the random time before each kill; 0 is 150 ms.
	MaxDelay time.Duration
	// Within bounds the time until an attached grid shows the next daemon's state; 0
	// only measures.
	Within time.Duration
	// Log gets a line for each step; it may be nil.
	Log func(format string, args ...any)
	// Progress is called after each kill with their number; it may be nil.
	Progress func(kills int)
}

// run is one drill in progress. One goroutine owns it; the loads have their own.
type run struct {
	Options
	rand   *rand.Rand
	paths  paths.Paths
	client *client.Client // starts a daemon if there is none
	looker *client.Client // never does
	grids  []*attached
	lines  []*printer
	marker api.Session // its name is changed to see whether grids take part
	marks  int
	hooks  *hookLoad
	bridge *bridgeLoad
	making *makeLoad
	tasks  []string // the prompts of accepted tasks
	// messages maps the number of each message to the ids under which it arrived.
	messages map[int][]int64
	// logged and prompts count hook calls and tasks' prompts in the log, by number.
	logged, prompts map[int]int
	newest          int64 // the newest event that was seen
	backs           []time.Duration
	joins           []time.Duration
	kinds           []string // kinds to kill next
	result          Result
}

// Run runs the drill. It blocks until every process that it started has ended. The
// error says what was lost, or why the drill could not work; the result counts the work
// until then. When ctx ends, the killing stops, and the work so far is checked
// nevertheless.
func Run(ctx context.Context, opts Options) (res Result, err error) {
	r, err := prepare(opts)
	if err != nil {
		return Result{}, err
	}
	defer r.client.Close()
	defer r.looker.Close()
	defer func() {
		err = errors.Join(err, r.cleanup())
		r.result.Passed = err == nil
		res = r.result
	}()
	began := time.Now()
	err = r.drill(ctx)
	r.result.Seconds = time.Since(began).Seconds()
	r.result.DaemonBack, r.result.GridBack = times(r.backs), times(r.joins)
	return r.result, err
}

func (r *run) drill(ctx context.Context) error {
	if err := r.start(ctx); err != nil {
		return fmt.Errorf("starting: %w", err)
	}
	err := r.killAll(ctx)
	if err != nil && ctx.Err() == nil {
		return err
	}
	// If interrupted, it still reports whether anything was lost until then.
	checking, cancel := context.WithTimeout(context.WithoutCancel(ctx), checkTime+time.Duration(len(r.tasks))*time.Second)
	defer cancel()
	if err := r.check(checking); err != nil {
		return err
	}
	r.result.Checked = true
	for _, took := range r.joins {
		if r.Within > 0 && took > r.Within {
			return fmt.Errorf("an attached grid was back after %s, and may take %s", took.Round(time.Millisecond), r.Within)
		}
	}
	return ctx.Err()
}

// checkTime bounds the final check; waiting tasks add to it.
const checkTime = 2 * time.Minute

func (r *run) killAll(ctx context.Context) error {
	for r.result.Kills.sum() < r.Kills {
		if err := r.round(ctx); err != nil {
			return fmt.Errorf("kill %d: %w", r.result.Kills.sum(), err)
		}
		if r.Progress != nil {
			r.Progress(r.result.Kills.sum())
		}
	}
	if err := r.hostsDie(ctx); err != nil {
		return fmt.Errorf("a host killed: %w", err)
	}
	return nil
}

func prepare(opts Options) (*run, error) {
	if opts.MaxDelay <= 0 {
		opts.MaxDelay = 150 * time.Millisecond
	}
	if opts.Log == nil {
		opts.Log = func(string, ...any) {}
	}
	var env []string
	for _, kv := range opts.Env {
		if !strings.HasPrefix(kv, "CCDIR_") || strings.HasPrefix(kv, "CCDIR_FAULTS=") { // for builds with fail points
			env = append(env, kv)
		}
	}
	opts.Env = append(env, "CCDIR_HOME="+opts.Home)
	p, err := paths.New(func(key string) string {
		if key == "CCDIR_HOME" {
			return opts.Home
		}
		return ""
	}, os.Getuid())
	if err != nil {
		return nil, err
	}
	r := &run{Options: opts, paths: p, rand: rand.New(rand.NewPCG(opts.Seed, 0)), messages: map[int][]int64{},
		logged: map[int]int{}, prompts: map[int]int{}, result: Result{Seed: opts.Seed}}
	r.client = client.New(client.Options{Paths: p, UID: -1, Exe: opts.Exe, Linked: opts.Linked, Env: opts.Env, Name: "drill"})
	r.looker = client.New(client.Options{Paths: p, UID: -1, Name: "drill"})
	return r, nil
}

// start starts the daemon, the sessions, the grids and the other loads.
func (r *run) start(ctx context.Context) error {
	if err := r.writeConfig(""); err != nil {
		return err
	}
	if _, err := r.client.Connect(ctx); err != nil {
		return err
	}
	var err error
	if r.marker, err = r.session(ctx, api.NewSession{Name: "marker", Argv: []string{"/bin/cat"}}); err != nil {
		return err
	}
	for i := range printers {
		p, err := r.startPrinter(ctx, i)
		if err != nil {
			return err
		}
		r.lines = append(r.lines, p)
	}
	env, err := r.agentEnv(ctx)
	if err != nil {
		return err
	}
	shim := client.ShimPath(r.Exe)
	r.hooks = startHooks(shim, env, r.rand.Uint64())
	r.bridge = startBridge(shim, env, r.Home, r.rand.Uint64())
	r.making = startMaking(r.paths, r.Home, r.Env, r.rand.Uint64())
	if _, err := r.client.ChangeQueue(ctx, api.QueueChange{Mode: api.QueueAuto, Limit: new(3)}); err != nil {
		return err
	}
	for range grids {
		r.grids = append(r.grids, nil)
	}
	return r.attachGrids()
}

// session starts a session of the drill.
func (r *run) session(ctx context.Context, n api.NewSession) (api.Session, error) {
	n.CWD, n.Env, n.Cols, n.Rows, n.Scrollback = r.Home, r.Env, cols, rows, scrollback
	return r.client.CreateSession(ctx, n)
}

// probe is an "agent" that writes down its environment and stays, so that the drill can
// play its hooks and its MCP client.
const probe = `#!/bin/sh
[ "$1" = --version ] && { echo "2.1.200 (Claude Code)"; exit; }
env > "$CCDIR_HOME/probe.tmp" && mv "$CCDIR_HOME/probe.tmp" "$CCDIR_HOME/probe.env"
exec cat
`

// writeConfig writes the configuration, with additional lines in its first table.
func (r *run) writeConfig(more string) error {
	if err := os.MkdirAll(r.paths.Config, 0o700); err != nil {
		return err
	}
	script := filepath.Join(r.Home, "probe")
	if err := os.WriteFile(script, []byte(probe), 0o700); err != nil { //nolint:gosec // a program has to be executable
		return err
	}
	text := fmt.Sprintf("default_agent = \"drilled\"\nmax_sessions = 1000\n%s\n[agents.drilled]\nkind = \"demo\"\nargs = [\"-delay\", \"30ms\"]\n\n[agents.probe]\nkind = \"claude\"\ncommand = %q\n", more, script)
	return os.WriteFile(r.paths.ConfigFile(), []byte(text), 0o600)
}

// agentEnv starts the probe and returns the environment of its hooks.
func (r *run) agentEnv(ctx context.Context) ([]string, error) {
	if _, err := r.session(ctx, api.NewSession{Name: "probe", Agent: "probe"}); err != nil {
		return nil, err
	}
	var data []byte
	err := until(ctx, "the agent did not start", func() (ok bool, err error) {
		data, err = os.ReadFile(filepath.Join(r.Home, "probe.env"))
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return err == nil, err
	})
	env := slices.Clone(r.Env)
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "CCDIR_") {
			env = append(env, strings.TrimSuffix(line, "\n"))
		}
	}
	return env, err
}

// cleanup ends all processes, whatever state they are in.
func (r *run) cleanup() error {
	if r.hooks != nil {
		r.hooks.stop()
	}
	if r.bridge != nil {
		r.bridge.stop()
	}
	if r.making != nil {
		r.making.stop()
	}
	for _, g := range r.grids {
		if g != nil {
			g.kill()
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if _, _, err := r.client.Start(ctx); err != nil { // only a daemon can end sessions cleanly
		return fmt.Errorf("cleaning up: %w", err)
	}
	if err := r.client.Stop(ctx, api.Stop{KillSessions: true}); err != nil {
		return fmt.Errorf("cleaning up: %w", err)
	}
	if err := os.Remove(r.paths.Runtime); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("a socket is left: %w", err)
	}
	return nil
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// patience bounds every wait for another process: generous, because the machine may be
// busy; slow steps are in the result.
const patience = 30 * time.Second

// until polls a condition of another process until it holds or patience is over.
func until(ctx context.Context, failure string, done func() (bool, error)) error {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		ok, err := done()
		if ok || err != nil {
			return err
		}
		if pause(limited, 3*time.Millisecond) != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return errors.New(failure)
		}
	}
}
