package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// echoKeys are typed in turn: narrow letters that occur neither in escape sequences nor
// in any client's frame, so that their bytes in the output are their echo. There are
// more of them than a pane has columns: if the line above were the same, a client that
// writes only differences would rightly write nothing.
var echoKeys = letters([2]rune{'α', 'ω'}, [2]rune{'А', 'я'}, [2]rune{'ա', 'ֆ'})

func letters(ranges ...[2]rune) (all []rune) {
	for _, r := range ranges {
		for c := r[0]; c <= r[1]; c++ {
			all = append(all, c)
		}
	}
	return all
}

// echoRun is one system under measurement.
type echoRun struct {
	label string
	sys   system
	term  *outer
	turn  string // the file that lets its noisy panes print while it exists
	took  []time.Duration
	bytes int
	keys  int
}

// benchEcho types keys one at a time into a pane that echoes them, and measures the
// time until the echo has reached the outer terminal: alone, and with o.panes-1 noisy
// panes in view, for each kind of noise or those in o.only ("alone" and the kinds'
// ids).
func benchEcho(ctx context.Context, o options) error {
	only := strings.FieldsFunc(o.only, func(r rune) bool { return r == ',' })
	chosen := func(id string) bool { return len(only) == 0 || slices.Contains(only, id) }
	if chosen("alone") {
		alone := append([]system{&bare{}, &tmux{}}, builds(o)...)
		if err := echoTable(ctx, o, "key echo, one pane", noise{}, alone...); err != nil {
			return err
		}
	}
	for _, n := range noises {
		if !chosen(n.id) {
			continue
		}
		title := fmt.Sprintf("key echo, %d %s beside it", o.panes-1, n.title)
		systems := append([]system{&tmux{}}, builds(o)...)
		if err := echoTable(ctx, o, title, n, systems...); err != nil {
			return err
		}
	}
	return nil
}

// builds are the ccdir that is measured and those of o.than.
func builds(o options) []system {
	all := []system{&ccdir{}}
	for _, dir := range strings.FieldsFunc(o.than, func(r rune) bool { return r == ',' }) {
		all = append(all, &ccdir{fixed: dir})
	}
	return all
}

// noise is a program for the panes besides the measured one; it prints while the file
// turn exists, so that only the measured system's noise runs.
type noise struct {
	id, title string
	command   func(turn string) []string
}

var noises = []noise{
	{"noisy", "panes of shell loops", func(turn string) []string { return []string{"sh", "-c", shellNoise, "noise", turn} }},
	{"agents", "panes that repaint", func(turn string) []string { return self("noise", turn) }},
	{"logs", "panes of logs", func(turn string) []string { return self("logs", turn) }},
}

// panes are the measured pane and n-1 noisy ones. The zero noise has none.
func (s noise) panes(n int, turn string) [][]string {
	panes := [][]string{echoPane}
	for s.command != nil && len(panes) < n {
		panes = append(panes, s.command(turn))
	}
	return panes
}

func echoTable(ctx context.Context, o options, title string, beside noise, systems ...system) error {
	runs, err := echoRuns(ctx, o, beside, systems...)
	if err != nil {
		return err
	}
	printEcho(title, runs)
	return nil
}

// echoRuns types o.keys keys in each of o.rounds rounds, in which the systems
// take turns, and returns the sorted times of each.
func echoRuns(ctx context.Context, o options, beside noise, systems ...system) ([]*echoRun, error) {
	runs := make([]*echoRun, len(systems))
	dir, remove, err := tempDir("echo")
	if err != nil {
		return nil, err
	}
	defer remove()
	defer func() {
		for _, s := range systems {
			s.stop()
		}
	}()
	for i, s := range systems {
		turn := filepath.Join(dir, strconv.Itoa(i))
		term, err := s.start(ctx, o, beside.panes(o.panes, turn))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name(), err)
		}
		if err := term.quiet(200*time.Millisecond, 2*time.Second); err != nil {
			return nil, fmt.Errorf("%s: %w", s.name(), err)
		}
		runs[i] = &echoRun{label: s.name(), sys: s, term: term, turn: turn}
	}
	for range o.rounds {
		for _, r := range runs {
			if err := r.round(ctx, o.keys, beside.command != nil); err != nil {
				return nil, fmt.Errorf("%s: %w", r.label, err)
			}
		}
	}
	for _, r := range runs {
		slices.Sort(r.took)
	}
	return runs, nil
}

// round types n keys. Output that is not an echo (a clock, a noisy pane) is read
// between keys, so that it does not count as waiting.
func (r *echoRun) round(ctx context.Context, n int, noisy bool) error {
	if err := os.WriteFile(r.turn, nil, 0o600); err != nil {
		return err
	}
	defer os.Remove(r.turn)
	if _, err := r.term.drain(300 * time.Millisecond); err != nil { // all panes have noticed their turn
		return err
	}
	for i := range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		before := r.term.bytes
		d, err := r.term.echo(string(echoKeys[i%len(echoKeys)]))
		if err != nil {
			return err
		}
		r.took = append(r.took, d)
		r.bytes += r.term.bytes - before
		r.keys++
		gap := 2 * time.Millisecond
		if noisy {
			gap = 7 * time.Millisecond // not a multiple of the noise's period
		}
		if _, err := r.term.drain(gap); err != nil {
			return err
		}
	}
	return nil
}

func printEcho(title string, runs []*echoRun) {
	fmt.Printf("\n%s\n", title)
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "system\tkeys\tp50\tp95\tp99\tbytes/key\tp50/tmux\tp95/tmux\t")
	var base *echoRun
	for _, r := range runs {
		if r.label == "tmux" {
			base = r
		}
	}
	for _, r := range runs {
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t%.1f\t", r.label, r.keys,
			micros(r.at(0.50)), micros(r.at(0.95)), micros(r.at(0.99)), float64(r.bytes)/float64(r.keys))
		if base != nil {
			fmt.Fprintf(w, "%.2f\t%.2f\t", ratio(r.at(0.50), base.at(0.50)), ratio(r.at(0.95), base.at(0.95)))
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush()
}

// at is the quantile q of the sorted times.
func (r *echoRun) at(q float64) time.Duration {
	if len(r.took) == 0 {
		return 0
	}
	return r.took[min(int(q*float64(len(r.took))), len(r.took)-1)]
}

func micros(d time.Duration) string { return fmt.Sprintf("%.0f µs", float64(d)/1e3) }

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }
