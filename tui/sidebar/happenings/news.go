package happenings

import (
	"strconv"
	"time"

	"ccdir/api"
)

// sameLoss is how far the losses of one cause are apart at most.
const sameLoss = time.Minute

// News are the rows that tell a person what they do not know: without their own doings and
// steps on the way, and with one row for sessions that were lost together. listed: a list of
// sessions beside them says what each asks.
func News(rows []Row, listed bool) (out []Row) {
	lost := losses{row: -1}
	for _, r := range rows {
		switch {
		case r.Event.Type == api.EventSessionLost:
			out = lost.add(out, r)
		case r.Event.Type == api.EventSessionStarted:
			lost.again(out, r.Event.Session)
		case r.Known, listed && r.Standing == api.StandingAsks:
		default:
			out = append(out, r)
		}
	}
	return out
}

// losses are sessions that were lost together.
type losses struct {
	row     int // the last one that tells of them, -1: none
	first   Row
	last    time.Time
	missing map[string]bool // by id, true until it is started again
}

// add tells of one more that is lost.
func (l *losses) add(out []Row, r Row) []Row {
	if l.row < 0 || r.Event.At.Sub(l.last) > sameLoss {
		*l = losses{row: len(out), first: r, missing: map[string]bool{}}
		out = append(out, r)
	}
	l.last = r.Event.At
	l.missing[r.Event.Session] = true
	l.tell(out)
	return out
}

// again tells that one of them runs again.
func (l *losses) again(out []Row, session string) {
	if l.row >= 0 && l.missing[session] {
		l.missing[session] = false
		l.tell(out)
	}
}

// tell writes the row: of one session with its reason, of several how many they are.
func (l *losses) tell(out []Row) {
	away := 0
	for _, missing := range l.missing {
		if missing {
			away++
		}
	}
	r, n := l.first, len(l.missing)
	if n > 1 {
		r.Event.Session, r.Text = "", strconv.Itoa(n)+" sessions lost"
	}
	switch {
	case away == 0:
		r.Standing = ""
		r.Text += ", started again"
	case away < n:
		r.Text += ", " + strconv.Itoa(n-away) + " started again"
	}
	out[l.row] = r
}
