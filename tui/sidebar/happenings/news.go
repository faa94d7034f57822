package happenings

import (
	"strconv"
	"time"

	"ccdir/api"
)

// sameLoss is how far the losses of one cause are apart at most.
const sameLoss = time.Minute

// News are the rows that tell a person what they do not know: without their own doings and
// steps on the way, and with one row for sessions that were lost together and for what is told
// again and again. listed: a list of
// sessions beside them says what each asks.
func News(rows []Row, listed bool) (out []Row) {
	lost := losses{row: -1}
	times := 1 // how often the last row was told
	for _, r := range rows {
		switch {
		case r.Event.Type == api.EventRestoreOffered && lost.row >= 0 && r.Event.At.Sub(lost.last) <= sameLoss:
			// It says once more that they are lost.
		case r.Event.Type == api.EventSessionLost:
			out = lost.add(out, r)
		case r.Event.Type == api.EventSessionStarted:
			lost.again(out, r.Event.Session)
		case r.Known, listed && r.Standing == api.StandingAsks:
		case len(out) > 0 && same(out[len(out)-1], r, times):
			times++
			r.Text += repeated(times)
			out[len(out)-1] = r
			continue
		default:
			out, times = append(out, r), 1
			continue
		}
	}
	return out
}

// repeated is what a row has behind it that stands for several alike.
func repeated(times int) string {
	if times == 1 {
		return ""
	}
	return " (" + strconv.Itoa(times) + "×)"
}

// same reports whether a row of no session tells again what the last one tells, which has been
// told so often.
func same(last, r Row, times int) bool {
	return last.Event.Session == "" && r.Event.Session == "" && last.Event.Type == r.Event.Type && last.Text == r.Text+repeated(times)
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
