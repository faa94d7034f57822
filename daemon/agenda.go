package daemon

import (
	"slices"
	"time"
)

// agenda is the order in which directories are looked at, and how long nothing is: looks take a
// fifth of a processor, counted over time. The end of a turn comes before other changes, and
// rests are made up for later, up to a bound. The goroutine of radar.run owns it.
type agenda struct {
	turns, others []string
	// rested is when the rest after all looks until now is over.
	rested time.Time
	// looked is when a directory was last looked at.
	looked map[string]time.Time
}

// radarRest is how many times as long as a look took the radar rests. turnPatience is how much rest the
// end of a turn does not wait for: looks of 6 s, one after the other. maxLooked bounds the
// directories whose last look is remembered.
const (
	radarRest    = 4
	turnPatience = 24 * time.Second
	maxLooked    = 1000
)

func newAgenda() *agenda { return &agenda{looked: map[string]time.Time{}} }

// ended plans a look after the end of a turn.
func (a *agenda) ended(dir string) {
	if !slices.Contains(a.turns, dir) {
		a.turns = append(a.turns, dir)
	}
}

// changed plans a look after something happened, if there was none since.
func (a *agenda) changed(dir string, at time.Time) {
	if at.After(a.looked[dir]) && !slices.Contains(a.others, dir) {
		a.others = append(a.others, dir)
	}
}

// next is the directory that is looked at next, and when; "": none.
func (a *agenda) next() (dir string, at time.Time) {
	switch {
	case len(a.turns) > 0:
		return a.turns[0], a.rested.Add(-turnPatience)
	case len(a.others) > 0:
		return a.others[0], a.rested
	}
	return "", at
}

// begin takes a directory off, since it is looked at from now on.
func (a *agenda) begin(dir string, now time.Time) {
	is := func(d string) bool { return d == dir }
	a.turns, a.others = slices.DeleteFunc(a.turns, is), slices.DeleteFunc(a.others, is)
	if len(a.looked) >= maxLooked {
		clear(a.looked)
	}
	a.looked[dir] = now
}

// rest takes the processor time of a look.
func (a *agenda) rest(took time.Duration, now time.Time) {
	if a.rested.Before(now) {
		a.rested = now
	}
	a.rested = a.rested.Add(radarRest * took)
}
