package tui

import "time"

// openWithin is how long a picture may wait for what it is made of: the first
// snapshot of the daemon, and the first frames of the panes in view. They come
// within a few milliseconds of each other, and one picture made of all of them
// is on the screen sooner than one that is painted, paced and painted again.
const openWithin = 40 * time.Millisecond

// opening reports whether parts of the scene are still on their way for the
// first time.
func (sc *scene) opening() bool {
	if !sc.Loaded {
		return sc.banner == "" && sc.overlay == nil
	}
	for _, t := range sc.tiles {
		if t.pane != nil && t.pane.Expected() {
			return true
		}
	}
	return false
}

// gather is the painter's wait for a scene that is opening: hold is how long it
// may last yet, 0 if there is nothing to wait for; complete is true once, when
// everything has come.
type gather struct {
	since time.Time // zero: everything is there
}

func (g *gather) look(sc *scene, now time.Time) (hold time.Duration, complete bool) {
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
