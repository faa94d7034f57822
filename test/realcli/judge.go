package realcli

import (
	"fmt"

	"ccdir/api"
)

// moment is a change of the displayed state.
type moment struct {
	ms    int64
	state api.State
	why   string
}

// segment is a period in which one state is true.
type segment struct {
	from, to int64
	state    api.State
}

// truth returns the segments described by the entries, in order.
func truth(entries []Entry) (list []segment) {
	for _, e := range entries {
		if e.Source == SourceTruth {
			if n := len(list); n > 0 {
				list[n-1].to = e.MS
			}
			list = append(list, segment{e.MS, 1 << 40, api.State(e.Name)})
		}
	}
	return list
}

// Tolerances, in milliseconds. Evidence arrives some time after its cause (Esc is
// reported after 90 ms; recordings were made on a busy machine); a dialog is announced
// half a second before it is drawn, and an answer's end just before the test sees it.
const (
	graceMS       = 400
	earlyDialogMS = 700
	earlyMS       = 300
)

// judge reports where the displayed state differs from the truth, at every moment until
// end. The tolerances are multiplied by slack.
func judge(truth []segment, shown []moment, end, slack int64) (wrong []string) {
	for i, m := range shown {
		until := end
		if i+1 < len(shown) {
			until = shown[i+1].ms
		}
		for n, s := range truth {
			from, to := max(m.ms, s.from), min(until, s.to)
			if from >= to || m.state == s.state || s.state == Unsaid {
				continue
			}
			for _, past := range truth[:n] {
				if m.state == past.state || past.state == Unsaid {
					from = max(from, past.to+graceMS*slack) // not reported yet
				}
			}
			if n+1 < len(truth) && m.state == truth[n+1].state {
				window := int64(earlyMS)
				if m.state.NeedsPerson() {
					window = earlyDialogMS
				}
				if m.ms >= s.to-window*slack {
					continue // reported before it was seen
				}
			}
			if from < to && !(m.state == api.StateExiting && n+1 == len(truth)) {
				wrong = append(wrong, fmt.Sprintf("from %d to %d ms %s instead of %s (%s)", from, to, m.state, s.state, m.why))
			}
		}
	}
	return wrong
}

// delays reports how long after its truth each state was displayed, one line each.
func delays(truth []segment, shown []moment) (lines []string) {
	for _, s := range truth {
		for i, m := range shown {
			if m.state != s.state || i+1 < len(shown) && shown[i+1].ms <= s.from || m.ms >= s.to {
				continue
			}
			lines = append(lines, fmt.Sprintf("%s %+d", s.state, m.ms-s.from))
			break
		}
	}
	return lines
}
