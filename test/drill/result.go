package drill

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Killed counts killed processes by kind.
type Killed struct {
	Daemon int `json:"daemon"`
	Grid   int `json:"grid"`
	Hook   int `json:"hook"`
	Bridge int `json:"bridge"`
	// Host does not count in Options.Kills: a host cannot die without its session.
	Host int `json:"host"`
}

func (k Killed) sum() int { return k.Daemon + k.Grid + k.Hook + k.Bridge }

// Times summarises durations, in milliseconds.
type Times struct {
	Count int     `json:"count"`
	P50   float64 `json:"p50_ms"`
	Worst float64 `json:"worst_ms"`
	// Late counts those over a second.
	Late int `json:"over_1s"`
}

// Result is the result of a drill. Losses are in Run's error.
type Result struct {
	Passed bool `json:"passed"`
	// Checked: nothing was lost; true for an interrupted drill too, if the check
	// passed.
	Checked bool    `json:"checked"`
	Seed    uint64  `json:"seed"`
	Seconds float64 `json:"seconds"`
	Kills   Killed  `json:"kills"`
	// Sessions printed Lines numbered lines, Bytes in all; each was found.
	Sessions int    `json:"sessions"`
	Lines    int    `json:"lines"`
	Bytes    uint64 `json:"bytes"`
	// Hooks are the calls that ended by themselves, HooksKilled the killed ones, of
	// which HooksKept are in the log; Messages and Tasks are those that were accepted.
	Hooks       int `json:"hooks"`
	HooksKilled int `json:"hooks_killed"`
	HooksKept   int `json:"hooks_killed_kept"`
	Messages    int `json:"messages"`
	Tasks       int `json:"tasks"`
	// Made sessions and MadeTasks tasks were created with idempotency keys; Repeats
	// counts the caller's retries, besides those of its client.
	Made      int `json:"made"`
	MadeTasks int `json:"made_tasks"`
	Repeats   int `json:"repeats"`
	// Events is how many events are in the log.
	Events int64 `json:"events"`
	// DaemonBack is the time from the death of a daemon until the next one answers,
	// GridBack until an attached grid shows a change made there.
	DaemonBack Times `json:"daemon_back"`
	GridBack   Times `json:"grid_back"`
}

// times sums up.
func times(all []time.Duration) Times {
	if len(all) == 0 {
		return Times{}
	}
	all = slices.Sorted(slices.Values(all))
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	t := Times{Count: len(all), P50: ms(all[len(all)/2]), Worst: ms(all[len(all)-1])}
	for _, d := range all {
		if d > time.Second {
			t.Late++
		}
	}
	return t
}

// String is the times in a line, for people.
func (t Times) String() string {
	if t.Count == 0 {
		return "not measured"
	}
	s := fmt.Sprintf("p50 %.0f ms, worst %.0f ms of %d", t.P50, t.Worst, t.Count)
	if t.Late > 0 {
		s += fmt.Sprintf("; %d took longer than 1 s", t.Late)
	}
	return s
}

// Report is the result for people, several lines.
func (r Result) Report() string {
	var b strings.Builder
	k := r.Kills
	fmt.Fprintf(&b, "killed        %d: daemon %d, grid %d, hook %d, bridge %d; and hosts %d, in %.0f s (seed %d)\n",
		k.sum(), k.Daemon, k.Grid, k.Hook, k.Bridge, k.Host, r.Seconds, r.Seed)
	fmt.Fprintf(&b, "daemon back   %s\n", r.DaemonBack)
	fmt.Fprintf(&b, "grids back    %s\n", r.GridBack)
	if !r.Checked {
		return b.String() + "result        not passed\n"
	}
	fmt.Fprintf(&b, "output        %d lines, %d bytes of %d sessions: lost 0, their processes are the same\n", r.Lines, r.Bytes, r.Sessions)
	fmt.Fprintf(&b, "events        %d without a gap; hook calls %d: lost 0, doubled 0 (of %d killed, %d are in the log)\n", r.Events, r.Hooks, r.HooksKilled, r.HooksKept)
	fmt.Fprintf(&b, "messages      %d: lost 0, doubled 0\n", r.Messages)
	fmt.Fprintf(&b, "tasks         %d: lost 0, doubled 0, all done at the first attempt\n", r.Tasks)
	fmt.Fprintf(&b, "made once     %d sessions, %d tasks; asked for again %d times: none missing, none twice\n", r.Made, r.MadeTasks, r.Repeats)
	if k.Host == 2 {
		fmt.Fprintf(&b, "host killed   its session was lost, its agent ended, its conversation resumed; the others did not notice\n")
	}
	if !r.Passed {
		b.WriteString("result        ended early; nothing was lost until then\n")
	}
	return b.String()
}
