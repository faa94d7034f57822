package main

import (
	"context"
	"fmt"
	"time"
)

// suiteBytes counts what comes out of a client for what goes into its pane.
func suiteBytes(ctx context.Context, o options) ([]result, error) {
	o.fullWidth = true
	targets := map[string]float64{"ink": 0.03}
	var out []result
	for _, p := range pictures {
		frames := 90
		if o.quick && targets[p.name] == 0 { // fewer count the first one for more
			frames = 30
		}
		in := 0
		for f := range frames {
			in += len(p.frame(f))
		}
		var ratios []float64
		err := eachSystem(ctx, o, [][]string{self("frames", p.name, fmt.Sprint(frames))}, []system{&tmux{}, &ccdir{}}, func(_ system, term *outer) error {
			before := term.bytes
			if _, err := term.ptmx.WriteString("\r"); err != nil {
				return err
			}
			if err := term.until(done, 30*time.Second); err != nil {
				return err
			}
			ratios = append(ratios, float64(term.bytes-before)/float64(in))
			return nil
		})
		if err != nil {
			return nil, err
		}
		r := result{ID: "bytes-" + p.name, Title: p.title, Unit: "bytes out/in", Tmux: some(ratios[0]), Ccdir: ratios[1]}.finish()
		r.Target = targets[p.name]
		if r.Target != 0 { // the target is of the bytes themselves; tmux sends them all
			r.Title += " (target: of the bytes)"
			r.Ratio = some(r.Ccdir)
		}
		out = append(out, r)
	}
	return out, nil
}
