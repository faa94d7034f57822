package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// suiteEcho measures the echo of a key in a single pane.
func suiteEcho(ctx context.Context, o options) ([]result, error) {
	runs, err := echoRuns(ctx, o, noise{}, &bare{}, &tmux{}, &ccdir{})
	if err != nil {
		return nil, err
	}
	bare, tmux, ccdir := runs[0], runs[1], runs[2]
	of := func(q float64) result {
		return result{Unit: "µs", Limit: some(bare.micros(q)), Tmux: some(tmux.micros(q)), Ccdir: ccdir.micros(q)}
	}
	p50, p95 := of(0.5), of(0.95)
	p50.ID, p50.Title, p50.Target = "echo-idle-p50", "key echo, p50", 1.5
	p95.ID, p95.Title = "echo-idle-p95", "key echo, p95"
	return []result{p50.finish(), p95.finish()}, nil
}

// suiteNoisy is the same besides panes that print.
func suiteNoisy(ctx context.Context, o options) ([]result, error) {
	var all []result
	kinds := noises
	if o.quick {
		kinds = kinds[:1]
	}
	for _, n := range kinds {
		runs, err := echoRuns(ctx, o, n, &tmux{}, &ccdir{})
		if err != nil {
			return nil, err
		}
		of := func(q float64) result {
			return result{Unit: "µs", Tmux: some(runs[0].micros(q)), Ccdir: runs[1].micros(q)}
		}
		p50, p95 := of(0.5), of(0.95)
		beside := fmt.Sprintf("key echo beside %d %s, ", o.panes-1, n.title)
		p50.ID, p50.Title, p50.Target = "echo-"+n.id+"-p50", beside+"p50", 1.5
		p95.ID, p95.Title, p95.Target = "echo-"+n.id+"-p95", beside+"p95", 1
		all = append(all, p50.finish(), p95.finish())
	}
	return all, nil
}

func (r *echoRun) micros(q float64) float64 { return float64(r.at(q)) / 1e3 }

// attachPair keeps a system with its panes running, for clients to attach to.
type attachPair struct {
	sys  attacher
	took []float64
}

// suiteAttach measures the time from starting a client until the last line of every
// pane was printed; the systems take turns.
func suiteAttach(ctx context.Context, o options) ([]result, error) {
	o.cols, o.rows = manyCols, manyRows
	panes, names := fullPanes(o)
	pairs := []*attachPair{{sys: &tmux{}}, {sys: &ccdir{}}}
	for _, p := range pairs {
		defer p.sys.stop()
		first, err := p.sys.start(ctx, o, panes)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.sys.name(), err)
		}
		if err := first.quiet(500*time.Millisecond, 5*time.Second); err != nil {
			return nil, err
		}
		first.close() // the measured clients take its place
	}
	for range 4 * o.rounds {
		for _, p := range pairs {
			d, err := attachOnce(o, p.sys, names)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p.sys.name(), err)
			}
			p.took = append(p.took, d.Seconds()*1e3)
		}
	}
	return []result{result{
		ID: "attach", Title: fmt.Sprintf("attach to %d full panes", o.panes), Unit: "ms",
		Tmux: some(median(pairs[0].took)), Ccdir: median(pairs[1].took), Target: 1.5,
	}.finish()}, nil
}

// suiteLink measures the echo of a key beside a flood over a slow line, and the flood's
// throughput meanwhile: a slow line must not block the program.
func suiteLink(ctx context.Context, o options) ([]result, error) {
	dir, remove, err := tempDir("link")
	if err != nil {
		return nil, err
	}
	defer remove()
	var p50, floods []float64
	for _, s := range []system{&tmux{}, &ccdir{}} {
		took, flood, err := linkRun(ctx, o, s, dir+"/"+s.name())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name(), err)
		}
		slices.Sort(took)
		p50, floods = append(p50, took[len(took)/2].Seconds()*1e3), append(floods, flood/(1<<20))
	}
	return []result{
		result{
			ID: "link", Title: fmt.Sprintf("key echo beside a flood, line of %d KB/s that buffers %d MB", linkRate>>10, linkBuffer>>20), Unit: "ms",
			Tmux: some(p50[0]), Ccdir: p50[1], Target: 0.5, Floor: 0.3,
		}.finish(),
		result{ID: "link-flood", Title: "the flood meanwhile", Unit: "MB/s", More: true, Tmux: some(floods[0]), Ccdir: floods[1]}.finish(),
	}, nil
}
