package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// result is one line of the suite's table: the same work done by up to three systems. A
// system that cannot do it has no value.
type result struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Unit  string `json:"unit"`
	// Limit is the best that the system underneath gives: a bare PTY, a bare process, a
	// write to the disk, as the title says.
	Limit *float64 `json:"limit,omitempty"`
	Tmux  *float64 `json:"tmux,omitempty"`
	Ccdir float64  `json:"ccdir"`
	// More: a higher value is better.
	More bool `json:"more,omitempty"`
	// Ratio is ccdir's value divided by tmux's, or by the limit if tmux has none.
	Ratio *float64 `json:"ratio,omitempty"`
	// Target is the goal for the ratio, or for ccdir's own value if Absolute; 0 is
	// none.
	Target float64 `json:"target,omitempty"`
	// Absolute: the values are too small for a ratio; the check takes ccdir's own.
	Absolute bool `json:"absolute,omitempty"`
	// Floor: a cost below it passes the check, however small the baseline is.
	Floor float64 `json:"floor,omitempty"`
}

func some(v float64) *float64 { return &v }

// finish computes the ratio.
func (r result) finish() result {
	base := r.Tmux
	if base == nil {
		base = r.Limit
	}
	if base != nil && *base > 0 {
		r.Ratio = some(r.Ccdir / *base)
	}
	return r
}

// cost is the value that the check compares: the higher, the worse. ok is false if
// there is none.
func (r result) cost() (cost float64, ok bool) {
	switch {
	case r.Absolute:
		return r.Ccdir, true
	case r.Ratio == nil || *r.Ratio <= 0:
		return 0, false
	case r.More:
		return 1 / *r.Ratio, true
	}
	return *r.Ratio, true
}

// met says whether the target is met, "" if there is none.
func (r result) met() string {
	value := r.Ratio
	if r.Absolute {
		value = &r.Ccdir
	}
	switch {
	case r.Target == 0 || value == nil:
		return ""
	case r.More && *value >= r.Target, !r.More && *value <= r.Target:
		return "ok"
	}
	return "missed"
}

// part is one measurement of the suite.
type part struct {
	name string
	run  func(ctx context.Context, o options) ([]result, error)
}

// parts in the order of the table.
var parts = []part{
	{"echo", suiteEcho},
	{"noisy", suiteNoisy},
	{"throughput", suiteThroughput},
	{"bytes", suiteBytes},
	{"panes", suitePanes},
	{"memory", suiteMemory},
	{"attach", suiteAttach},
	{"link", suiteLink},
	{"daemon", suiteDaemon},
}

// report is the output of --json.
type report struct {
	At      time.Time `json:"at"`
	Machine string    `json:"machine"`
	Load    string    `json:"load"`
	Quick   bool      `json:"quick"`
	Took    float64   `json:"took_seconds"`
	Results []result  `json:"results"`
}

// benchAll measures everything and prints one table. With --quick it takes less time
// and fails if a ratio is much worse than the recorded one.
func benchAll(ctx context.Context, o options) error {
	rep := report{At: time.Now().UTC(), Machine: machine(), Load: load(), Quick: o.quick}
	if !o.json {
		fmt.Printf("%s, load %s\n", rep.Machine, rep.Load)
	}
	chosen := strings.FieldsFunc(o.only, func(r rune) bool { return r == ',' })
	var bad []verdict
	for _, p := range parts {
		if len(chosen) > 0 && !slices.Contains(chosen, p.name) {
			continue
		}
		began := time.Now()
		found, worse, err := p.measured(ctx, o)
		fmt.Fprintf(os.Stderr, "%s: %.0f s\n", p.name, time.Since(began).Seconds())
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		rep.Results = append(rep.Results, found...)
		bad = append(bad, worse...)
	}
	rep.Took = time.Since(rep.At).Seconds()
	if o.json {
		enc := json.NewEncoder(os.Stdout)
		enc.SetIndent("", "  ")
		if err := enc.Encode(rep); err != nil {
			return err
		}
	} else {
		printResults(rep)
	}
	if len(bad) > 0 {
		return regression(bad)
	}
	return nil
}

// measured runs the part. A result that the check finds too slow is measured again,
// once, and the better value counts: other programs may use the machine.
func (p part) measured(ctx context.Context, o options) ([]result, []verdict, error) {
	found, err := p.run(ctx, o)
	if err != nil || !o.quick {
		return found, nil, err
	}
	bad := check(found)
	if len(bad) == 0 {
		return found, nil, nil
	}
	again, err := p.run(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	for i, r := range again {
		old, _ := found[i].cost()
		if cost, ok := r.cost(); ok && cost < old {
			found[i] = r
		}
	}
	return found, check(found), nil
}

func printResults(rep report) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\twhat\tunit\tlimit\ttmux\tccdir\tratio\ttarget\t\t")
	for _, r := range rep.Results {
		target := ""
		if r.Target != 0 {
			sign := "≤"
			if r.More {
				sign = "≥"
			}
			target = sign + figure(r.Target)
		}
		fmt.Fprintf(w, "\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", r.Title, r.Unit, optional(r.Limit), optional(r.Tmux), figure(r.Ccdir), optional(r.Ratio), target, r.met())
	}
	_ = w.Flush()
	fmt.Printf("took %.0f s, load at the end %s\n", rep.Took, load())
}

func optional(v *float64) string {
	if v == nil {
		return "–"
	}
	return figure(*v)
}

// figure formats three significant digits.
func figure(v float64) string {
	switch a := math.Abs(v); {
	case a == 0:
		return "0"
	case a < 0.1:
		return fmt.Sprintf("%.3f", v)
	case a < 10:
		return fmt.Sprintf("%.2f", v)
	case a < 100:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

// median of values, which it sorts.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// load is the machine's load average of the last minute, to show whether it was quiet.
func load() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	one, _, _ := strings.Cut(string(data), " ")
	return one + fmt.Sprintf(" on %d CPUs", runtime.NumCPU())
}
