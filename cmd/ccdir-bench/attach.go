package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"
)

// attachCost is the cost of one attach: of the client, from its start until the last
// text of every pane was printed, and of the other processes meanwhile.
type attachCost struct {
	took, cpu        time.Duration // cpu of the client
	faults, switches int64         // of the client; voluntary ones
	others           time.Duration // CPU of daemon and hosts, or of tmux's server
	otherSwitches    int64
}

// benchAttach breaks an attach down: CPU time, page faults and context switches stay
// the same on a busy machine, where elapsed times do not. With o.than another build is
// measured in turn, with its own panes and daemon.
func benchAttach(ctx context.Context, o options) error {
	o.cols, o.rows = manyCols, manyRows
	panes, names := fullPanes(o)
	systems := []attacher{&tmux{}, &ccdir{}}
	labels := []string{"tmux", "ccdir"}
	for _, dir := range strings.FieldsFunc(o.than, func(r rune) bool { return r == ',' }) {
		systems, labels = append(systems, &ccdir{fixed: dir}), append(labels, dir)
	}
	var ours [][]int
	for _, s := range systems {
		defer s.stop()
		first, err := s.start(ctx, o, panes)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name(), err)
		}
		if err := first.quiet(500*time.Millisecond, 5*time.Second); err != nil {
			return err
		}
		roles, err := s.processes()
		if err != nil {
			return err
		}
		var pids []int
		for role, list := range roles {
			if role != "tui" && role != "client" {
				pids = append(pids, list...)
			}
		}
		ours = append(ours, pids)
		first.close()
	}
	costs := make([][]attachCost, 2*len(systems))
	for range 4 * o.rounds {
		for i := range costs {
			if err := ctx.Err(); err != nil {
				return err
			}
			at := i % len(systems)
			c, err := attachCosts(o, systems[at], names, ours[at], i >= len(systems))
			if err != nil {
				return fmt.Errorf("%s: %w", labels[at], err)
			}
			costs[i] = append(costs[i], c)
		}
	}
	for _, label := range labels {
		labels = append(labels, label+", a terminal that answers")
	}
	tellAttaches(o, labels, costs)
	return nil
}

// tellAttaches prints what the attaches of each system cost.
func tellAttaches(o options, labels []string, costs [][]attachCost) {
	var lines [][]string
	for i, all := range costs {
		of := func(f func(attachCost) float64) string {
			var v []float64
			for _, c := range all {
				v = append(v, f(c))
			}
			return figure(median(v))
		}
		least := slices.MinFunc(all, func(a, b attachCost) int { return int(a.took - b.took) })
		lines = append(lines, []string{
			labels[i], of(func(c attachCost) float64 { return c.took.Seconds() * 1e3 }), figure(least.took.Seconds() * 1e3),
			of(func(c attachCost) float64 { return c.cpu.Seconds() * 1e3 }), of(func(c attachCost) float64 { return float64(c.faults) }),
			of(func(c attachCost) float64 { return float64(c.switches) }),
			of(func(c attachCost) float64 { return c.others.Seconds() * 1e3 }), of(func(c attachCost) float64 { return float64(c.otherSwitches) }),
		})
	}
	table(fmt.Sprintf("attach to %d full panes, %dx%d: medians of %d, load %s", o.panes, o.cols, o.rows, 4*o.rounds, load()),
		"system\tms\tleast\tclient: CPU ms\tfaults\tswitches\tothers: CPU ms\tswitches\t", lines)
}

// restBefore is the pause before an attach, so that all processes are at rest: the last
// client has just been killed.
const restBefore = 60 * time.Millisecond

func attachCosts(o options, s attacher, names []string, pids []int, answers bool) (c attachCost, err error) {
	time.Sleep(restBefore)
	before := readUsage(pids)
	start := time.Now()
	term, err := s.attach(o)
	if err != nil {
		return c, err
	}
	term.answers = answers
	err = term.untilAll(names, 10*time.Second)
	c.took = time.Since(start)
	_ = term.cmd.Process.Kill()
	u := readUsage(pids).since(before)
	term.close()
	c.others, c.otherSwitches = u.cpu, u.wakeups
	if ru, ok := term.cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		c.cpu = time.Duration(ru.Utime.Nano() + ru.Stime.Nano())
		c.faults, c.switches = ru.Minflt, ru.Nvcsw
	}
	return c, err
}
