package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"text/tabwriter"
	"time"
)

// idlePane prints its ready text and sleeps; spinnerPane turns a spinner ten times a
// second, as agents do while they think.
var (
	idlePane    = []string{"sh", "-c", "printf '" + ready + "'; exec sleep 100000"}
	spinnerPane = []string{"sh", "-c", "printf '" + ready + `\r\n'; while :; do for c in '|' / - '\'; do printf '\r\033[36m%s\033[m Thinking' "$c"; sleep 0.1; done; done`}
)

// benchPanes measures the cost of many panes while nothing is typed.
func benchPanes(ctx context.Context, o options) error {
	o.cols, o.rows = manyCols, manyRows
	for _, load := range []struct {
		title string
		pane  []string
	}{
		{"idle", idlePane},
		{"a spinner in each", spinnerPane},
	} {
		panes := make([][]string, o.panes)
		for i := range panes {
			panes[i] = load.pane
		}
		title := fmt.Sprintf("%d panes, %s, %dx%d", o.panes, load.title, o.cols, o.rows)
		if err := panesTable(ctx, o, title, panes, &tmux{}, &ccdir{}); err != nil {
			return err
		}
	}
	return nil
}

func panesTable(ctx context.Context, o options, title string, panes [][]string, systems ...system) error {
	fmt.Printf("\n%s, per second over %d s\n", title, o.seconds)
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "system\trole\tprocesses\tCPU ms/s\twake-ups/s\tPSS MiB\tRSS MiB each\tbytes out/s\t")
	for _, s := range systems {
		if err := panesRow(ctx, o, w, s, panes); err != nil {
			s.stop()
			return fmt.Errorf("%s: %w", s.name(), err)
		}
		s.stop()
	}
	return w.Flush()
}

func panesRow(ctx context.Context, o options, w *tabwriter.Writer, s system, panes [][]string) error {
	term, err := s.start(ctx, o, panes)
	if err != nil {
		return err
	}
	if _, err := term.drain(2 * time.Second); err != nil {
		return err
	}
	roles, err := s.processes()
	if err != nil {
		return err
	}
	before := map[string]usage{}
	for role, pids := range roles {
		before[role] = readUsage(pids)
	}
	length := time.Duration(o.seconds) * time.Second
	out, err := term.drain(length)
	if err != nil {
		return err
	}
	var total usage
	sec := length.Seconds()
	for _, role := range slices.Sorted(maps.Keys(roles)) {
		u := readUsage(roles[role]).since(before[role])
		total = total.plus(u)
		row(w, s.name(), role, len(roles[role]), u, sec, "")
	}
	row(w, s.name(), "all", total.processes, total, sec, fmt.Sprint(int(float64(out)/sec)))
	return nil
}

func row(w *tabwriter.Writer, name, role string, n int, u usage, sec float64, out string) {
	fmt.Fprintf(w, "%s\t%s\t%d\t%.1f\t%.1f\t%.1f\t%.1f\t%s\t\n", name, role, n,
		u.cpu.Seconds()*1e3/sec, float64(u.wakeups)/sec, mib(u.pss), mib(u.rss)/float64(max(n, 1)), out)
}

func mib(n int64) float64 { return float64(n) / (1 << 20) }
