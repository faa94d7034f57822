package usage

import "time"

// Probing is how often the agent of an account was asked for its windows.
type Probing struct {
	// Asked is when it was asked last; zero: not by this daemon.
	Asked time.Time
	// Failed is how many times in a row nothing came of it, Why the reason of the last time.
	Failed int
	Why    string
}

const (
	// probeIdle is for how long nothing was said of an account when it is asked.
	probeIdle = time.Hour
	// probeReset is how long after the end of a window the next one is asked for: clocks differ.
	probeReset = time.Minute
	// probePause is the least time between two questions, doubled for each that failed up to probeMost.
	probePause = 15 * time.Minute
	probeMost  = 24 * time.Hour
)

// ProbeAt is when the agent of an account is to be asked for its windows, of which these are known: once after the end
// of each, and when nothing was said for long; zero: never. Of an account of which nothing is known, nobody has said
// that it has windows.
func ProbeAt(windows []Window, p Probing) (at time.Time) {
	var heard time.Time
	for _, w := range windows {
		if w.At.After(heard) {
			heard = w.At
		}
	}
	if heard.IsZero() {
		return time.Time{}
	}
	at = heard.Add(probeIdle)
	for _, w := range windows {
		ended := w.ResetsAt.Add(probeReset)
		if !w.ResetsAt.IsZero() && ended.After(p.Asked) && ended.Before(at) {
			at = ended
		}
	}
	if p.Asked.IsZero() {
		return at
	}
	pause := probePause
	for n := 0; n < p.Failed && pause < probeMost; n++ {
		pause *= 2
	}
	if least := p.Asked.Add(min(pause, probeMost)); at.Before(least) {
		at = least
	}
	return at
}
