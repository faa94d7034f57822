package grid

import (
	"ccdir/api"
)

// seats are the sessions with the large panes of the spotlight where there is room for two,
// from left to right. What gets the focus and has none takes the one that had the focus
// last, so that the other stays where a person put it.
type seats struct {
	ids  [2]string
	last int // the one that has the focus
}

// with are the seats when a session has the focus.
func (s seats) with(shown []api.Session, focus string) seats {
	for i, id := range s.ids {
		if at(shown, id) < 0 {
			s.ids[i] = ""
		}
	}
	switch focus {
	case "":
		return s
	case s.ids[0]:
		s.last = 0
	case s.ids[1]:
		s.last = 1
	default:
		if other := 1 - s.last; s.ids[s.last] != "" && s.ids[other] == "" {
			s.last = other
		}
		s.ids[s.last] = focus
	}
	return s.filled(shown)
}

// filled gives the seat that nobody has to the first session without one, preferably to one
// that runs. Seats that are given at once are in the order of the sessions.
func (s seats) filled(shown []api.Session) seats {
	free := 1 - s.last
	if s.ids[free] != "" {
		return s
	}
	next := -1
	for i, v := range shown {
		if v.ID != s.ids[s.last] && (next < 0 || shown[next].State.Ended() && !v.State.Ended()) {
			next = i
		}
	}
	if next < 0 {
		return s
	}
	s.ids[free] = shown[next].ID
	if first := next < at(shown, s.ids[s.last]); first != (free == 0) {
		s.ids[0], s.ids[1], s.last = s.ids[1], s.ids[0], free
	}
	return s
}

// places are the indexes of the sessions that have seats, nil unless both are taken.
func (s seats) places(shown []api.Session) []int {
	a, b := at(shown, s.ids[0]), at(shown, s.ids[1])
	if a < 0 || b < 0 {
		return nil
	}
	return []int{a, b}
}

// swapped are the seats when two sessions change places.
func (s seats) swapped(a, b string) seats {
	if s.ids == [2]string{a, b} || s.ids == [2]string{b, a} {
		s.ids[0], s.ids[1], s.last = s.ids[1], s.ids[0], 1-s.last
	}
	return s
}
