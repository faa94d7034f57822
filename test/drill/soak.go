package drill

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/creack/pty"

	"ccdir/api"
	"ccdir/client"
)

// SoakOptions are the options of a soak; Exe, Home, Env, Seed and Log are as for Run.
type SoakOptions struct {
	Options
	// Duration is the time of work, at least a minute, without setup and the last
	// measurement.
	Duration time.Duration
	// Work is the time between two measurements; 0 is 8 s.
	Work time.Duration
	// Sampled is called with each measurement; it may be nil.
	Sampled func(Sample)
	// Beside is called once before each measurement, for tests that let something grow;
	// it may be nil.
	Beside func(context.Context) error
}

// soakSessions is the number of sessions that exist all the time: half of them are only
// resized, the others are killed and restarted.
const soakSessions = 16

// soakScript prints $1 lines at once and then continues for ever, some kilobytes per
// second.
const soakScript = `i=0; while :; do i=$((i+1)); printf '\033[3%dmline %d of a session that prints on and on\033[0m\n' $((i%8)) $i; [ $i -le $1 ] || sleep 0.05; done`

// Soak fills all bounded buffers (rings, histories, the daemon's memories of calls),
// then uses ccdir like a busy day (sessions come, print, are resized, restarted and go;
// grids attach and detach; hooks fire, agents take prompts), rests now and then, and
// each time measures the memory and files of its processes. The error says what grew.
// Like Run it ends every process that it started.
func Soak(ctx context.Context, o SoakOptions) (res SoakResult, err error) {
	if o.Work <= 0 {
		o.Work = 8 * time.Second
	}
	r, err := prepare(o.Options)
	if err != nil {
		return SoakResult{}, err
	}
	defer r.client.Close()
	defer r.looker.Close()
	s := &soak{run: r, o: o}
	defer func() {
		err = errors.Join(err, r.cleanup())
		s.result.Passed = err == nil
		res = s.result
	}()
	s.result.Seed = o.Seed
	began := time.Now()
	if err := s.start(ctx); err != nil {
		return s.result, fmt.Errorf("starting: %w", err)
	}
	if err := s.fill(ctx); err != nil {
		return s.result, fmt.Errorf("filling what is bounded: %w", err)
	}
	s.result.Filled = time.Since(began).Seconds()
	err = s.cycles(ctx)
	s.result.Seconds = time.Since(began).Seconds()
	if err != nil {
		return s.result, err
	}
	s.result.Series = judge(s.samples)
	return s.result, errors.Join(s.result.problems()...)
}

// soak is one soak in progress.
type soak struct {
	*run
	o       SoakOptions
	stay    []api.Session // never restarted
	change  []api.Session // killed and started again
	env     []string      // of the agent whose hooks are called
	daemon  int           // pid
	samples []Sample
	mu      sync.Mutex // guards result while loads count
	result  SoakResult
}

func (s *soak) start(ctx context.Context) error {
	if err := s.writeConfig(""); err != nil {
		return err
	}
	srv, err := s.client.Connect(ctx)
	if err != nil {
		return err
	}
	s.daemon = srv.PID
	for i := range soakSessions {
		burst := 0
		if i < soakSessions/2 {
			burst = fillLines
		}
		n := api.NewSession{Name: fmt.Sprintf("soak-%d", i+1), Argv: []string{"/bin/sh", "-c", soakScript, "sh", strconv.Itoa(burst)}}
		if i%4 == 3 {
			n.Argv, n.Agent = nil, "drilled"
		}
		n.CWD, n.Env, n.Cols, n.Rows = s.Home, s.Env, cols, rows
		v, err := s.client.CreateSession(ctx, n)
		if err != nil {
			return err
		}
		if i < soakSessions/2 {
			s.stay = append(s.stay, v)
		} else {
			s.change = append(s.change, v)
		}
	}
	if s.env, err = s.agentEnv(ctx); err != nil {
		return err
	}
	s.hooks = startHooks(client.ShimPath(s.Exe), s.env, s.rand.Uint64())
	g, err := attach(s.Exe, s.Env) // stays attached all the time
	s.grids = append(s.grids, g)
	return err
}

// cycles works and measures, in turn, until the time is over.
func (s *soak) cycles(ctx context.Context) error {
	end := time.Now().Add(s.o.Duration)
	for time.Now().Before(end) {
		if err := s.work(ctx); err != nil {
			return fmt.Errorf("cycle %d: %w", len(s.samples)+1, err)
		}
		if s.o.Beside != nil {
			if err := s.o.Beside(ctx); err != nil {
				return err
			}
		}
		// Ended processes are reaped, and timers of a second have fired.
		if err := pause(ctx, 1500*time.Millisecond); err != nil {
			return err
		}
		sample, err := s.look(ctx)
		if err != nil {
			return err
		}
		s.samples = append(s.samples, sample)
		if s.o.Sampled != nil {
			s.o.Sampled(sample)
		}
	}
	return nil
}

// work uses ccdir concurrently in several ways, and waits until all have ended.
func (s *soak) work(ctx context.Context) error {
	if s.grids[0].ended() {
		return fmt.Errorf("the attached grid has ended; it showed: %s", s.grids[0].tail())
	}
	deadline := time.Now().Add(s.o.Work)
	sides := []func(context.Context) error{s.attachDetach, s.restartSome, s.newAndGone, s.resizeSome, s.promptSome}
	errs := make([]error, len(sides))
	var wg sync.WaitGroup
	for i, side := range sides {
		wg.Go(func() {
			for errs[i] == nil && time.Now().Before(deadline) {
				errs[i] = side(ctx)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// count adds to the result's counters.
func (s *soak) count(n *int) {
	s.mu.Lock()
	*n++
	s.mu.Unlock()
}

// random returns a number below n; the loads share the source.
func (s *soak) random(n int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rand.IntN(n)
}

// attachDetach opens a grid, resizes its terminal, and leaves it, mostly by the detach
// key and sometimes by closing the terminal.
func (s *soak) attachDetach(ctx context.Context) error {
	args := []string{s.stay[s.random(len(s.stay))].ID}
	if s.random(2) == 0 {
		args = nil
	}
	g, err := attach(s.Exe, s.Env, args...)
	if err != nil {
		return err
	}
	defer g.kill()
	if err := until(ctx, "a grid shows nothing", func() (bool, error) { return g.shows("soak-") || g.ended(), nil }); err != nil {
		return err
	}
	for range 3 {
		_ = pty.Setsize(g.pty, &pty.Winsize{Cols: uint16(60 + s.random(80)), Rows: uint16(15 + s.random(30))}) //nolint:gosec // small
		if err := pause(ctx, 150*time.Millisecond); err != nil {
			return err
		}
	}
	s.count(&s.result.Attached)
	if s.random(4) == 0 {
		return nil // killed
	}
	if _, err := g.pty.WriteString("\x02d"); err != nil { // prefix, detach
		return err
	}
	return until(ctx, "a grid does not detach", func() (bool, error) { return g.ended(), nil })
}

// restartSome kills a session's process and starts it again.
func (s *soak) restartSome(ctx context.Context) error {
	v := s.change[s.random(len(s.change))]
	if _, err := s.client.KillSession(ctx, v.ID, api.Kill{Force: s.random(2) == 0}); err != nil {
		return err
	}
	s.count(&s.result.Restarted)
	_, err := s.client.RestartSession(ctx, v.ID)
	return err
}

// newAndGone starts a session and removes it.
func (s *soak) newAndGone(ctx context.Context) error {
	v, err := s.session(ctx, api.NewSession{Argv: []string{"/bin/sh", "-c", "echo here; exec sleep 1000"}})
	if err != nil {
		return err
	}
	if _, err := s.client.KillSession(ctx, v.ID, api.Kill{Force: true}); err != nil {
		return err
	}
	s.count(&s.result.Created)
	return s.client.RemoveSession(ctx, v.ID)
}

func (s *soak) resizeSome(ctx context.Context) error {
	err := s.client.Resize(ctx, s.stay[s.random(len(s.stay))].ID, 60+s.random(80), 15+s.random(30))
	return errors.Join(err, pause(ctx, 100*time.Millisecond))
}

// promptSome sends a prompt to an agent that is never restarted.
func (s *soak) promptSome(ctx context.Context) error {
	for _, v := range s.stay {
		if v.Agent != "drilled" {
			continue
		}
		if _, err := s.client.SendPrompt(ctx, v.ID, api.SendPrompt{Text: "say something", Wait: true}); err != nil {
			return fmt.Errorf("%s does not take a prompt: %w", v.Name, err)
		}
		s.count(&s.result.Prompts)
	}
	return pause(ctx, 200*time.Millisecond)
}

// look measures the processes while no request is in flight.
func (s *soak) look(ctx context.Context) (Sample, error) {
	srv, err := s.looker.Health(ctx)
	if err != nil {
		return Sample{}, err
	}
	if srv.PID != s.daemon {
		return Sample{}, fmt.Errorf("the daemon (pid %d) has died; another one runs (pid %d): see %s", s.daemon, srv.PID, filepath.Join(s.Home, "state", "daemon.log"))
	}
	out := Sample{At: time.Now(), Goroutines: srv.Goroutines, Events: srv.EventSeq}
	if out.Daemon, err = useOf(s.daemon); err != nil {
		return out, err
	}
	if out.Grid, err = useOf(s.grids[0].cmd.Process.Pid); err != nil {
		return out, err
	}
	for _, v := range s.stay {
		u, err := useOf(v.HostPID)
		if err != nil {
			return out, fmt.Errorf("the host of %s: %w", v.Name, err)
		}
		out.Hosts.Memory += u.Memory
		out.Hosts.Files += u.Files
	}
	out.Processes, err = processesOf(s.paths.Home)
	return out, err
}

// median returns 0 for no values.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	values = slices.Sorted(slices.Values(values))
	return values[len(values)/2]
}
