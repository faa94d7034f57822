package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// tempDir makes a directory for one measurement.
func tempDir(what string) (dir string, remove func(), err error) {
	dir, err = os.MkdirTemp("", "ccdir-bench-"+what+"-")
	return dir, func() { _ = os.RemoveAll(dir) }, err
}

// flow describes a flood: how many panes, how much each of them prints in MB, and
// whether a terminal is attached.
type flow struct {
	panes, mb int
	attached  bool
}

// flows of the suite and of its quick form.
func flows(o options) []flow {
	if o.quick {
		return []flow{{1, 8, true}, {o.panes, 1, false}}
	}
	return []flow{{1, 32, true}, {1, 32, false}, {o.panes, 4, true}, {o.panes, 4, false}}
}

// flood is the result of one run of a flow.
type flood struct {
	rate float64 // MB/s
	cpu  float64 // ms per 100 MB, of the system's processes
}

// suiteThroughput lets panes print as fast as they can, until the last byte was
// accepted, or, with an attached terminal, until their end is shown.
func suiteThroughput(ctx context.Context, o options) ([]result, error) {
	var out []result
	for _, f := range flows(o) {
		kinds := []func() system{func() system { return &bare{} }, func() system { return &tmux{} }, func() system { return &ccdir{} }}
		if f.panes > 1 || !f.attached {
			kinds = kinds[1:] // a bare PTY needs a reader
		}
		rates, cpus := make([][]float64, len(kinds)), make([][]float64, len(kinds))
		for range min(o.rounds, 3) {
			for i, kind := range kinds {
				s := kind()
				got, err := f.run(ctx, o, s)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", s.name(), err)
				}
				rates[i], cpus[i] = append(rates[i], got.rate), append(cpus[i], got.cpu)
			}
		}
		n := len(kinds)
		r := result{
			ID: f.id(), Title: f.title(), Unit: "MB/s", More: true,
			Tmux: some(median(rates[n-2])), Ccdir: median(rates[n-1]),
			Floor: 1.25, // about as quick as tmux: how two processors are shared by 33 processes differs by machine
		}
		if n == 3 {
			r.Limit, r.Target = some(median(rates[0])), 3
		}
		out = append(out, r.finish())
		if f.panes == 1 && f.attached {
			out = append(out, result{
				ID: "flood-cpu", Title: "CPU of a flood, attached, per 100 MB", Unit: "ms",
				Tmux: some(median(cpus[n-2])), Ccdir: median(cpus[n-1]),
			}.finish())
		}
	}
	return out, nil
}

func (f flow) id() string {
	return fmt.Sprintf("flood-%s-%d", map[bool]string{true: "attached", false: "detached"}[f.attached], f.panes)
}

func (f flow) title() string {
	who := "a pane that floods"
	if f.panes > 1 {
		who = fmt.Sprintf("%d panes that flood", f.panes)
	}
	if f.attached {
		return who + ", attached"
	}
	return who + ", detached"
}

func (f flow) run(ctx context.Context, o options, s system) (got flood, err error) {
	dir, remove, err := tempDir("flood")
	if err != nil {
		return got, err
	}
	defer remove()
	defer s.stop()
	var panes [][]string
	for i := range f.panes {
		panes = append(panes, self("burst", filepath.Join(dir, fmt.Sprint(i)), fmt.Sprint(f.mb)))
	}
	term, err := s.start(ctx, o, panes)
	if err != nil {
		return got, err
	}
	if err := term.quiet(200*time.Millisecond, 2*time.Second); err != nil {
		return got, err
	}
	roles, err := s.processes()
	if err != nil {
		return got, err
	}
	if !f.attached {
		term.close()
		delete(roles, "tui")
		delete(roles, "client")
	}
	var pids []int
	for _, list := range roles {
		pids = append(pids, list...)
	}
	before, start := readUsage(pids), time.Now()
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
		return got, err
	}
	if f.attached && f.panes == 1 {
		err = term.until(done, 60*time.Second)
	} else {
		err = f.printed(ctx, dir, term)
	}
	if err != nil {
		return got, err
	}
	took := time.Since(start).Seconds()
	mb := float64(f.panes * f.mb)
	used := readUsage(pids).since(before).cpu.Seconds()
	return flood{rate: mb / took, cpu: used * 1e3 * 100 / mb}, nil
}

// printed waits until the last byte of every pane was accepted, and reads the terminal
// meanwhile.
func (f flow) printed(ctx context.Context, dir string, term *outer) error {
	for end := time.Now().Add(60 * time.Second); ; {
		missing := 0
		for i := range f.panes {
			if _, err := os.Stat(filepath.Join(dir, fmt.Sprint(i)+".done")); errors.Is(err, fs.ErrNotExist) {
				missing++
			}
		}
		switch {
		case missing == 0:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case time.Now().After(end):
			return fmt.Errorf("%d of %d panes did not print everything within a minute", missing, f.panes)
		case f.attached:
			if _, err := term.drain(time.Millisecond); err != nil {
				return err
			}
		default:
			time.Sleep(time.Millisecond)
		}
	}
}
