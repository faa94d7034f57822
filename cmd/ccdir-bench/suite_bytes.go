package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// suiteBytes counts the bytes that a client writes for the output of its pane.
func suiteBytes(ctx context.Context, o options) ([]result, error) {
	o.fullWidth = true
	targets := map[string]float64{"ink": 0.03}
	var out []result
	for _, p := range pictures {
		frames := 90
		if o.quick && targets[p.name] == 0 { // few frames: the first one weighs more
			frames = 30
		}
		in := 0
		for f := range frames {
			in += len(p.frame(f))
		}
		panes := [][]string{self("frames", p.name, fmt.Sprint(frames))}
		systems := []system{&tmux{}, &ccdir{}}
		ratios := make([]float64, len(systems))
		failed := make([]error, len(systems))
		var wg sync.WaitGroup
		for i, s := range systems { // both at once: bytes are counted, not time
			wg.Go(func() {
				n, err := pictureBytes(ctx, o, s, panes)
				ratios[i], failed[i] = float64(n)/float64(in), err
			})
		}
		wg.Wait()
		if err := errors.Join(failed...); err != nil {
			return nil, err
		}
		r := result{ID: "bytes-" + p.name, Title: p.title, Unit: "bytes out/in", Tmux: some(ratios[0]), Ccdir: ratios[1]}.finish()
		r.Target = targets[p.name]
		if r.Target != 0 { // the target concerns the bytes themselves; tmux sends them all
			r.Title += " (target: of the bytes)"
			r.Ratio = some(r.Ccdir)
		}
		out = append(out, r)
	}
	return out, nil
}

// pictureBytes counts the bytes of output while the single pane draws its picture.
func pictureBytes(ctx context.Context, o options, s system, panes [][]string) (n int, err error) {
	err = eachSystem(ctx, o, panes, []system{s}, func(_ system, term *outer) error {
		before := term.bytes
		if _, err := term.ptmx.WriteString("\r"); err != nil {
			return err
		}
		if err := term.until(done, 30*time.Second); err != nil {
			return err
		}
		n = term.bytes - before
		return nil
	})
	return n, err
}
