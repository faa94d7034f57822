package drill

import (
	"fmt"
	"strings"
	"time"
)

// Use is the use of resources by one process.
type Use struct {
	// Memory in bytes: the proportional set size where the system reports it, else the
	// resident set.
	Memory int64 `json:"memory"`
	Files  int   `json:"files"`
}

// Sample is one measurement of a soak, at rest.
type Sample struct {
	At     time.Time `json:"at"`
	Daemon Use       `json:"daemon"`
	// Grid is the grid that stays attached, Hosts the sum of those whose sessions are
	// never restarted.
	Grid       Use   `json:"grid"`
	Hosts      Use   `json:"hosts"`
	Goroutines int   `json:"goroutines"` // of the daemon
	Processes  int   `json:"processes"`  // of ccdir, in this home
	Events     int64 `json:"events"`
}

// String is one line.
func (s Sample) String() string {
	mb := func(n int64) float64 { return float64(n) / (1 << 20) }
	return fmt.Sprintf("daemon %.1f MB %d files %d goroutines; grid %.1f MB %d files; hosts %.1f MB %d files; %d processes; %d events",
		mb(s.Daemon.Memory), s.Daemon.Files, s.Goroutines, mb(s.Grid.Memory), s.Grid.Files, mb(s.Hosts.Memory), s.Hosts.Files, s.Processes, s.Events)
}

// Series is one quantity over the measurements that count.
type Series struct {
	Name string `json:"name"`
	Unit string `json:"unit"`
	// From and To are the ends of the fitted line, Most how much To may exceed From.
	From  float64 `json:"from"`
	To    float64 `json:"to"`
	Most  float64 `json:"most"`
	Looks int     `json:"looks"`
}

// Grew is the growth along the fitted line.
func (s Series) Grew() float64 { return s.To - s.From }

// Flat reports whether the growth is within its bound.
func (s Series) Flat() bool { return s.Grew() <= s.Most }

// SoakResult is the result of a soak.
type SoakResult struct {
	Passed  bool    `json:"passed"`
	Seed    uint64  `json:"seed"`
	Seconds float64 `json:"seconds"`
	// Filled is how many of the seconds the setup took, including filling the buffers.
	Filled    float64  `json:"filled"`
	Attached  int      `json:"attached"`
	Restarted int      `json:"restarted"`
	Created   int      `json:"created"`
	Prompts   int      `json:"prompts"`
	Series    []Series `json:"series"`
}

// Bounds on growth from the first measurement that counts to the last. The memory of a
// Go program varies with what its collector has not freed yet, so the bound is a part
// of the level plus some MB; counted things must not grow by more than one that is in
// flight.
const (
	growMemory     = 0.10 // of the level
	growMemoryLeft = 3.0  // MB on top
	growFiles      = 2.0
	growGoroutines = 4.0
	growProcesses  = 1.0 // more than a single extra one in the last of five measurements causes, 0.8
)

// settled is the part of the measurements at the beginning that is left out: rings,
// histories and the daemon's memories are full by then, but the database's pages and
// the collector's heap still grow with use.
const settled = 1.0 / 6

// judge fits a line through each quantity.
func judge(all []Sample) []Series {
	all = all[int(float64(len(all))*settled):]
	if len(all) < 5 {
		return nil
	}
	began := all[0].At
	of := func(name, unit string, value func(Sample) float64) Series {
		var x, y []float64
		for _, s := range all {
			x, y = append(x, s.At.Sub(began).Seconds()), append(y, value(s))
		}
		from, to := fitted(x, y)
		return Series{Name: name, Unit: unit, From: from, To: to, Looks: len(all)}
	}
	memory := func(name string, use func(Sample) Use) Series {
		s := of(name+" memory", "MB", func(s Sample) float64 { return float64(use(s).Memory) / (1 << 20) })
		s.Most = s.From*growMemory + growMemoryLeft
		return s
	}
	files := func(name string, use func(Sample) Use) Series {
		s := of(name+" files", "", func(s Sample) float64 { return float64(use(s).Files) })
		s.Most = growFiles
		return s
	}
	daemon, grid, hosts := func(s Sample) Use { return s.Daemon }, func(s Sample) Use { return s.Grid }, func(s Sample) Use { return s.Hosts }
	goroutines := of("daemon goroutines", "", func(s Sample) float64 { return float64(s.Goroutines) })
	goroutines.Most = growGoroutines
	processes := of("processes", "", func(s Sample) float64 { return float64(s.Processes) })
	processes.Most = growProcesses
	return []Series{
		memory("daemon", daemon), files("daemon", daemon), goroutines,
		memory("grid", grid), files("grid", grid), memory("hosts", hosts), files("hosts", hosts), processes,
	}
}

// fitted returns the values of the least-squares line at the first and last x.
func fitted(x, y []float64) (from, to float64) {
	n := float64(len(x))
	var sx, sy, sxx, sxy float64
	for i := range x {
		sx, sy, sxx, sxy = sx+x[i], sy+y[i], sxx+x[i]*x[i], sxy+x[i]*y[i]
	}
	d := n*sxx - sx*sx
	if d == 0 {
		return median(y), median(y)
	}
	slope := (n*sxy - sx*sy) / d
	base := (sy - slope*sx) / n
	return base + slope*x[0], base + slope*x[len(x)-1]
}

// problems lists the quantities that grew, and reports a soak that was too short.
func (r SoakResult) problems() (list []error) {
	if len(r.Series) == 0 {
		return []error{fmt.Errorf("too few looks to tell: let it run for longer")}
	}
	for _, s := range r.Series {
		if !s.Flat() {
			list = append(list, fmt.Errorf("%s grew from %.1f to %.1f %s within %d looks", s.Name, s.From, s.To, s.Unit, s.Looks))
		}
	}
	return list
}

// Report is the result for people, several lines.
func (r SoakResult) Report() string {
	var b strings.Builder
	fmt.Fprintf(&b, "soaked %.0f s (%.0f to start and fill, seed %d): %d sessions stay, grids attached %d times, sessions restarted %d times, made and removed %d times, prompts %d\n",
		r.Seconds, r.Filled, r.Seed, soakSessions, r.Attached, r.Restarted, r.Created, r.Prompts)
	for _, s := range r.Series {
		verdict := "flat"
		if !s.Flat() {
			verdict = "GREW"
		}
		fmt.Fprintf(&b, "%-18s %8.1f → %8.1f %-2s (may grow by %.1f, %d looks)  %s\n", s.Name, s.From, s.To, s.Unit, s.Most, s.Looks, verdict)
	}
	return b.String()
}
