// Package drill proves the first promise of ccdir on this machine, with the
// real programs: nothing is lost. A session prints numbered lines while daemon
// and attached terminal are killed (SIGKILL) at random moments, again and again;
// at the end every number must be in the session's output, once and in order,
// and the session must still run as the same process.
//
// Contract: Run works in the CCDIR_HOME that it is given, which should be a
// throw-away one, and ends everything that it started there, also when it
// fails. Its random moments follow from Options.Seed.
package drill

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ccdir/internal/api"
	"ccdir/internal/client"
	"ccdir/internal/hostwire"
	"ccdir/internal/paths"
)

// Options say what to do.
type Options struct {
	// Exe is the ccdir executable; its shim lies beside it.
	Exe string
	// Home is the CCDIR_HOME to work in; it exists and is empty.
	Home string
	// Env is the environment of everything that is started; CCDIR_HOME is set
	// to Home.
	Env []string
	// Kills is how many times something is killed; daemon, attached terminal,
	// and both take turns.
	Kills int
	// Seed gives the random moments.
	Seed uint64
	// MaxDelay bounds the random time before each kill; 0 is 150 ms.
	MaxDelay time.Duration
	// Log gets a line for each step; it may be nil.
	Log func(format string, args ...any)
}

// Result is what came out. The drill is passed if Run's error is nil.
type Result struct {
	// Lines is how many numbered lines the session printed, Bytes its output.
	Lines int    `json:"lines"`
	Bytes uint64 `json:"bytes"`
	// DaemonKills and AttachKills count what was killed.
	DaemonKills int `json:"daemon_kills"`
	AttachKills int `json:"attach_kills"`
	// Watched counts the kills during which the attached terminal was
	// connected to the session's host.
	Watched int `json:"watched"`
	// Events is how many events are in the log.
	Events int64 `json:"events"`
	// SlowestStart is the longest time from the death of a daemon until the
	// next one answered, in milliseconds.
	SlowestStart float64 `json:"slowest_start_ms"`
}

// sessionName is the drill's session.
const sessionName = "drill"

// The session's size. Wide enough that no line wraps.
const (
	cols = 80
	rows = 24
)

// script prints numbered lines, at most some 2,500 a second, until the file
// named by its first argument exists; then it says how many and stays.
const script = `i=0
until [ -e "$1" ]; do
	n=0
	while [ $n -lt 25 ]; do
		i=$((i+1)); n=$((n+1))
		echo "line $i"
	done
	sleep 0.01
done
echo "end $i"
read stay`

// run is one drill under way. One goroutine owns it.
type run struct {
	Options
	rand    *rand.Rand
	paths   paths.Paths
	client  *client.Client
	session api.Session
	attach  *attached
	died    time.Time // when a daemon was killed last
	result  Result
}

// Run does the drill. It blocks until everything that it started has ended.
func Run(ctx context.Context, opts Options) (res Result, err error) {
	r, err := prepare(opts)
	if err != nil {
		return Result{}, err
	}
	defer r.client.Close()
	defer func() { err = errors.Join(err, r.cleanup()) }()
	if err := r.start(ctx); err != nil {
		return r.result, err
	}
	for i := range opts.Kills {
		if err := r.kill(ctx, i); err != nil {
			return r.result, fmt.Errorf("kill %d: %w", i+1, err)
		}
	}
	err = r.check(ctx)
	return r.result, err
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
		if !strings.HasPrefix(kv, "CCDIR_") {
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
	return &run{
		Options: opts,
		paths:   p,
		rand:    rand.New(rand.NewPCG(opts.Seed, 0)),
		client:  client.New(client.Options{Paths: p, UID: -1, Exe: opts.Exe, Env: opts.Env, Name: "drill"}),
	}, nil
}

func (r *run) stopFile() string { return filepath.Join(r.Home, "stop") }

// start starts daemon, session and attached terminal.
func (r *run) start(ctx context.Context) error {
	if _, err := r.client.Connect(ctx); err != nil {
		return err
	}
	var err error
	r.session, err = r.client.CreateSession(ctx, api.NewSession{
		Name: sessionName, Argv: []string{"/bin/sh", "-c", script, "sh", r.stopFile()},
		CWD: r.Home, Env: r.Env, Cols: cols, Rows: rows, Scrollback: 200_000,
	})
	if err != nil {
		return err
	}
	r.attach, err = attach(r.Exe, r.Env, r.session.ID)
	return err
}

// kill waits for a random moment and kills daemon, attached terminal or both.
// Every second time it first waits until the terminal is attached, so that not
// every moment lies within its start.
func (r *run) kill(ctx context.Context, i int) error {
	if i%2 == 1 {
		if err := r.untilAttached(ctx); err != nil {
			return err
		}
		r.result.Watched++
	}
	if err := pause(ctx, time.Duration(r.rand.Int64N(int64(r.MaxDelay)))); err != nil {
		return err
	}
	what := i % 3
	if what != 1 {
		if err := r.killDaemon(ctx); err != nil {
			return err
		}
	}
	if what != 0 {
		r.attach.kill()
		r.result.AttachKills++
		r.Log("killed the attached terminal")
	}
	srv, err := r.client.Connect(ctx)
	if err != nil {
		return fmt.Errorf("the daemon does not come back: %w", err)
	}
	if what != 1 {
		away := time.Since(r.died)
		r.result.SlowestStart = max(r.result.SlowestStart, float64(away.Microseconds())/1000)
		r.Log("daemon %d answers after %s", srv.PID, away.Round(time.Millisecond))
	}
	if err := r.sameSession(ctx); err != nil {
		return err
	}
	if r.attach.ended() {
		if what == 0 {
			return fmt.Errorf("the attached terminal ended with the daemon: %s", r.attach.tail())
		}
		r.attach, err = attach(r.Exe, r.Env, r.session.ID)
	}
	return err
}

func (r *run) killDaemon(ctx context.Context) error {
	srv, err := r.client.Health(ctx)
	if err != nil {
		return err
	}
	if err := syscall.Kill(srv.PID, syscall.SIGKILL); err != nil {
		return fmt.Errorf("killing daemon %d: %w", srv.PID, err)
	}
	r.died = time.Now()
	r.result.DaemonKills++
	r.Log("killed daemon %d", srv.PID)
	// Until the kernel has taken its socket a dead daemon can look alive.
	return until(ctx, "the killed daemon still answers", func() (bool, error) {
		now, err := r.client.Health(ctx)
		return err != nil || now.PID != srv.PID, nil
	})
}

// sameSession checks that the daemon knows the session and that it is the same
// process in the same host.
func (r *run) sameSession(ctx context.Context) error {
	s, err := r.client.Session(ctx, sessionName)
	switch {
	case err != nil:
		return fmt.Errorf("the session is gone: %w", err)
	case s.ID != r.session.ID || s.PID != r.session.PID || s.HostPID != r.session.HostPID || s.State.Ended():
		return fmt.Errorf("the session was id %s pid %d host %d and is id %s pid %d host %d, %s: %s", r.session.ID,
			r.session.PID, r.session.HostPID, s.ID, s.PID, s.HostPID, s.State, s.Error)
	}
	return nil
}

// untilAttached waits until the terminal is connected to the host.
func (r *run) untilAttached(ctx context.Context) error {
	return until(ctx, "no terminal is attached", func() (bool, error) {
		if r.attach.ended() {
			return false, fmt.Errorf("the attached terminal ended: %s", r.attach.tail())
		}
		return r.attach.shows("line"), nil
	})
}

// check ends the numbering and looks for every number in the raw ring and in
// the scrollback.
func (r *run) check(ctx context.Context) error {
	if err := os.WriteFile(r.stopFile(), nil, 0o600); err != nil {
		return err
	}
	var last int
	err := until(ctx, "the session does not say its end", func() (bool, error) {
		out, err := r.client.Output(ctx, sessionName, hostwire.OutputParams{Format: "text"})
		if err != nil {
			return false, err
		}
		_, after, found := strings.Cut("\n"+out.Text, "\nend ")
		if found {
			n, _, _ := strings.Cut(after, "\n")
			last, err = strconv.Atoi(strings.TrimSpace(n))
		}
		return found, err
	})
	if err != nil {
		return err
	}
	raw, err := r.client.Output(ctx, sessionName, hostwire.OutputParams{Format: "raw"})
	if err != nil {
		return err
	}
	if raw.Start != 0 {
		return fmt.Errorf("the ring begins at byte %d: too much was printed to check all of it", raw.Start)
	}
	text, err := r.client.Output(ctx, sessionName, hostwire.OutputParams{Format: "text", Scrollback: true})
	if err != nil {
		return err
	}
	r.result.Lines, r.result.Bytes = last, raw.End
	if err := numbered(string(raw.Raw), last); err != nil {
		return fmt.Errorf("raw output: %w", err)
	}
	if err := numbered(text.Text, last); err != nil {
		return fmt.Errorf("scrollback: %w", err)
	}
	return r.checkEvents(ctx)
}

// checkEvents checks that the numbers in the event log have no gap.
func (r *run) checkEvents(ctx context.Context) error {
	for {
		list, err := r.client.Events(ctx, client.EventFilter{Since: r.result.Events, Limit: 500})
		if err != nil || len(list) == 0 {
			return err
		}
		for _, e := range list {
			if e.Seq != r.result.Events+1 {
				return fmt.Errorf("event %d where event %d belongs", e.Seq, r.result.Events+1)
			}
			r.result.Events = e.Seq
		}
	}
}

// numbered checks that text holds the lines 1 to last, each once, in order.
func numbered(text string, last int) error {
	next := 1
	for line := range strings.Lines(text) {
		number, ok := strings.CutPrefix(strings.TrimSpace(line), "line ")
		if !ok {
			continue
		}
		n, err := strconv.Atoi(number)
		if err != nil {
			return fmt.Errorf("broken line %q where line %d belongs", line, next)
		}
		if n != next {
			return fmt.Errorf("line %d where line %d belongs", n, next)
		}
		next++
	}
	if next != last+1 {
		return fmt.Errorf("%d lines, but %d were printed", next-1, last)
	}
	return nil
}

// cleanup ends everything, whatever state it is in.
func (r *run) cleanup() error {
	if r.attach != nil {
		r.attach.kill()
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if _, _, err := r.client.Start(ctx); err != nil { // only a daemon can end sessions well
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

// until polls a condition of another process until it holds or 20 s have
// passed.
func until(ctx context.Context, failure string, done func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	for {
		ok, err := done()
		if ok || err != nil {
			return err
		}
		if pause(ctx, 5*time.Millisecond) != nil {
			return errors.New(failure)
		}
	}
}
