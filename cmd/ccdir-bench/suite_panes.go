package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// cost is the use of resources per second by a system's processes and its terminal.
type cost struct {
	cpu, wakeups, bytes, pss float64 // ms, count, bytes; MiB as of now
}

// panesCost runs panes in a system and measures for o.seconds.
func panesCost(ctx context.Context, o options, s system, panes [][]string) (c cost, err error) {
	defer s.stop()
	term, err := s.start(ctx, o, panes)
	if err != nil {
		return c, err
	}
	settle := cmp.Or(o.settle, 2*time.Second)
	if o.quick {
		settle = time.Second
	}
	if _, err := term.drain(settle); err != nil {
		return c, err
	}
	roles, err := s.processes()
	if err != nil {
		return c, err
	}
	var pids []int
	for _, list := range roles {
		pids = append(pids, list...)
	}
	// In a short look a garbage collection counts for more than all the rest (restFor): of
	// three looks the middle one is reported.
	looks := make([]cost, 1, 3)
	if o.quick {
		looks = looks[:3]
	}
	for i := range looks {
		if looks[i], err = lookAt(term, pids, time.Duration(o.seconds)*time.Second); err != nil {
			return c, err
		}
	}
	slices.SortFunc(looks, func(a, b cost) int { return cmp.Compare(a.wakeups, b.wakeups) })
	return looks[len(looks)/2], nil
}

// lookAt measures what the processes cost for a time.
func lookAt(term *outer, pids []int, length time.Duration) (cost, error) {
	before := readUsage(pids)
	out, err := term.drain(length)
	if err != nil {
		return cost{}, err
	}
	u := readUsage(pids).since(before)
	sec := length.Seconds()
	return cost{u.cpu.Seconds() * 1e3 / sec, float64(u.wakeups) / sec, float64(out) / sec, mib(u.pss)}, nil
}

func both(ctx context.Context, o options, panes [][]string) (t, c cost, err error) {
	if t, err = panesCost(ctx, o, &tmux{}, panes); err != nil {
		return t, c, fmt.Errorf("tmux: %w", err)
	}
	if c, err = panesCost(ctx, o, &ccdir{}, panes); err != nil {
		err = fmt.Errorf("ccdir: %w", err)
	}
	return t, c, err
}

func repeated(pane []string, n int) [][]string {
	panes := make([][]string, n)
	for i := range panes {
		panes[i] = pane
	}
	return panes
}

// restAfter is the time until panes are at rest. In the first half minute a daemon
// stores what it started, connections that only the start needed are closed, and the
// grid's garbage from the start is collected.
const restAfter = 30 * time.Second

// restFor is for how many seconds panes at rest are watched. A garbage collection of
// the grid makes as many wake-ups in a few milliseconds (the runtime's monitor polls
// while something runs) as all processes together in half a minute.
const restFor = 60

// suitePanes measures the cost of panes while nothing is typed.
func suitePanes(ctx context.Context, o options) ([]result, error) {
	o.cols, o.rows = manyCols, manyRows
	n := fmt.Sprintf("%d panes ", o.panes)
	rest := o
	rest.settle = restAfter
	if !o.quick {
		rest.seconds = restFor
	}
	it, ic, err := both(ctx, rest, repeated(idlePane, o.panes))
	if err != nil {
		return nil, err
	}
	st, sc, err := both(ctx, o, repeated(spinnerPane, o.panes))
	if err != nil {
		return nil, err
	}
	return []result{
		{ID: "idle-wakeups", Title: n + "at rest: wake-ups", Unit: "1/s", Tmux: &it.wakeups, Ccdir: ic.wakeups, Absolute: true, Target: 3, Floor: 30},
		{ID: "idle-cpu", Title: n + "at rest: CPU", Unit: "ms/s", Tmux: &it.cpu, Ccdir: ic.cpu, Absolute: true, Floor: 15}, // one look of the daemon, within a second of a slow machine, is 8
		result{ID: "spinners-cpu", Title: n + "with spinners: CPU", Unit: "ms/s", Tmux: &st.cpu, Ccdir: sc.cpu, Target: 3}.finish(),
		result{ID: "spinners-bytes", Title: n + "with spinners: bytes out", Unit: "1/s", Tmux: &st.bytes, Ccdir: sc.bytes, Target: 0.6}.finish(),
	}, nil
}

// suiteMemory measures the cost of one more pane, by the proportional set size of all
// processes with one pane and with nine.
func suiteMemory(ctx context.Context, o options) ([]result, error) {
	lines := []int{0, 10_000}
	if o.quick {
		lines = lines[:1]
	}
	const more = 8
	o.seconds, o.history, o.settle = 0, 10_000, 4*time.Second // hosts give memory back after a second
	var out []result
	for _, n := range lines {
		pane := self("lines", strconv.Itoa(n))
		t1, c1, err := both(ctx, o, repeated(pane, 1))
		if err != nil {
			return nil, err
		}
		t9, c9, err := both(ctx, o, repeated(pane, 1+more))
		if err != nil {
			return nil, err
		}
		out = append(out, result{
			ID: fmt.Sprintf("memory-%d", n), Title: fmt.Sprintf("memory of a pane with %d lines", n), Unit: "MiB",
			Tmux: some((t9.pss - t1.pss) / more), Ccdir: (c9.pss - c1.pss) / more, Absolute: true,
		})
	}
	return out, nil
}
