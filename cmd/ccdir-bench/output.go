package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"text/tabwriter"
	"time"
)

// benchOutput measures output for a given input: an Ink repaint, a flood, and attaching
// to full panes.
func benchOutput(ctx context.Context, o options) error {
	o.cols, o.rows = 120, 40
	if err := inkTable(ctx, o); err != nil {
		return err
	}
	if err := floodTable(ctx, o); err != nil {
		return err
	}
	return attachTable(ctx, o)
}

// table prints one line per system.
func table(title, head string, lines [][]string) {
	fmt.Printf("\n%s\n", title)
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, head)
	for _, l := range lines {
		for _, f := range l {
			fmt.Fprint(w, f, "\t")
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush()
}

// eachSystem starts a system with panes, runs f and stops it.
func eachSystem(ctx context.Context, o options, panes [][]string, systems []system, f func(system, *outer) error) error {
	for _, s := range systems {
		term, err := s.start(ctx, o, panes)
		if err == nil {
			err = term.quiet(200*time.Millisecond, 2*time.Second)
		}
		if err == nil {
			err = f(s, term)
		}
		s.stop()
		if err != nil {
			return fmt.Errorf("%s: %w", s.name(), err)
		}
	}
	return nil
}

const inkFrames = 90

func inkTable(ctx context.Context, o options) error {
	var lines [][]string
	in := 0
	for f := range inkFrames {
		in += len(inkFrame(f))
	}
	err := eachSystem(ctx, o, [][]string{self("frames", "ink", fmt.Sprint(inkFrames))}, []system{&tmux{}, &ccdir{}}, func(s system, term *outer) error {
		before := term.bytes
		if _, err := term.ptmx.WriteString("\r"); err != nil {
			return err
		}
		if err := term.until(done, 30*time.Second); err != nil {
			return err
		}
		out := term.bytes - before
		lines = append(lines, []string{s.name(), fmt.Sprint(in), fmt.Sprint(out), fmt.Sprintf("%.4f", float64(out)/float64(in))})
		return nil
	})
	table(fmt.Sprintf("Ink repaint of %dx%d, %d frames at 30 a second", inkCols, inkRows, inkFrames), "system\tbytes in\tbytes out\tout/in\t", lines)
	return err
}

const floodMB = 32

func floodTable(ctx context.Context, o options) error {
	best := map[string]time.Duration{}
	var order []string
	for range 3 {
		err := eachSystem(ctx, o, [][]string{self("flood", fmt.Sprint(floodMB))}, []system{&bare{}, &tmux{}, &ccdir{}}, func(s system, term *outer) error {
			start := time.Now()
			if _, err := term.ptmx.WriteString("\r"); err != nil {
				return err
			}
			if err := term.until(done, 60*time.Second); err != nil {
				return err
			}
			took := time.Since(start)
			if old, ok := best[s.name()]; !ok {
				order = append(order, s.name())
				best[s.name()] = took
			} else {
				best[s.name()] = min(old, took)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	var lines [][]string
	for _, name := range order {
		lines = append(lines, []string{name, fmt.Sprintf("%.0f", floodMB/best[name].Seconds()), fmt.Sprintf("%.2f", best["tmux"].Seconds()/best[name].Seconds())})
	}
	table(fmt.Sprintf("a pane that prints %d MB, attached, best of 3", floodMB), "system\tMB/s\tto tmux\t", lines)
	return nil
}

// attachTable measures the time from starting a client until the last line of every
// pane was printed.
func attachTable(ctx context.Context, o options) error {
	o.cols, o.rows = manyCols, manyRows
	panes, names := fullPanes(o)
	var lines [][]string
	var base time.Duration
	for _, s := range []attacher{&tmux{}, &ccdir{}} {
		took, err := attachTimes(ctx, o, s, panes, names)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name(), err)
		}
		slices.Sort(took)
		p50 := took[len(took)/2]
		if base == 0 {
			base = p50
		}
		lines = append(lines, []string{s.name(), fmt.Sprintf("%.1f ms", p50.Seconds()*1e3), fmt.Sprintf("%.1f ms", took[len(took)-1].Seconds()*1e3), fmt.Sprintf("%.2f", ratio(p50, base))})
	}
	table(fmt.Sprintf("attach to %d full panes, %dx%d", o.panes, o.cols, o.rows), "system\tp50\tworst\tto tmux\t", lines)
	return nil
}

// fullPanes are o.panes panes whose screens are full, and the last text of each.
func fullPanes(o options) (panes [][]string, names []string) {
	for i := range o.panes {
		names = append(names, fmt.Sprintf("<p%02d>", i))
		panes = append(panes, self("full", names[i]))
	}
	return panes, names
}

// attacher is a system to which further clients can attach.
type attacher interface {
	system
	attach(o options) (*outer, error)
}

func attachTimes(ctx context.Context, o options, s attacher, panes [][]string, names []string) ([]time.Duration, error) {
	defer s.stop()
	first, err := s.start(ctx, o, panes)
	if err != nil {
		return nil, err
	}
	if err := first.quiet(500*time.Millisecond, 5*time.Second); err != nil {
		return nil, err
	}
	first.close() // the measured clients take its place
	var took []time.Duration
	for range 4 * o.rounds {
		d, err := attachOnce(o, s, names)
		if err != nil {
			return nil, err
		}
		took = append(took, d)
	}
	return took, nil
}

// attachOnce measures the time until a new client has printed all names.
func attachOnce(o options, s attacher, names []string) (time.Duration, error) {
	start := time.Now()
	term, err := s.attach(o)
	if err != nil {
		return 0, err
	}
	defer term.close()
	err = term.untilAll(names, 10*time.Second)
	return time.Since(start), err
}

// untilAll reads until every token was printed.
func (t *outer) untilAll(tokens []string, limit time.Duration) error {
	if err := t.ptmx.SetReadDeadline(time.Now().Add(limit)); err != nil {
		return err
	}
	var seen []byte
	for {
		n, err := t.read()
		seen = append(seen, t.buf[:n]...)
		missing := slices.DeleteFunc(slices.Clone(tokens), func(s string) bool { return bytes.Contains(seen, []byte(s)) })
		if len(missing) == 0 {
			return nil
		}
		if err != nil {
			return fmt.Errorf("waiting for %q: %w", missing, err)
		}
	}
}

func (t *tmux) attach(o options) (*outer, error) {
	return startOuter(o, cleanEnv(), "tmux", "-L", t.socket, "-f", "/dev/null", "-u", "attach")
}

func (c *ccdir) attach(o options) (*outer, error) { return startOuter(o, c.env(), c.bin+"/ccdir") }
