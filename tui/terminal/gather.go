package terminal

import "time"

// gather is the painter's wait for a scene that is opening. The zero value waits for
// nothing.
type gather struct {
	since time.Time // zero: everything is there
}

// look reports how long the painter may go on waiting for sc, 0: not at all; complete is
// true once, when everything has come.
func (g *gather) look(sc *Scene, now time.Time) (hold time.Duration, complete bool) {
	if !sc.opening() {
		complete = !g.since.IsZero()
		g.since = time.Time{}
		return 0, complete
	}
	if g.since.IsZero() {
		g.since = now
	}
	return max(0, openWithin-now.Sub(g.since)), false
}
