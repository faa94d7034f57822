package attention

import (
	"fmt"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/tui/ui"
)

const (
	// awayLeast is how long a person was away of whom it is said what happened meanwhile.
	awayLeast = 10 * time.Minute
	// awayFor is how long that is said, at most.
	awayFor = time.Minute
)

// Returned says once, to who comes back after a while, what has happened since the last grid was
// detached; left is when that was, zero never.
func (s *State) Returned(env ui.Env, left time.Time) []ui.Effect {
	if s.returned || !env.Loaded || env.Unseen {
		return nil
	}
	s.returned = true
	if left.IsZero() || env.Now.Sub(left) < awayLeast {
		return nil
	}
	text := sinceLeft(env)
	if text == "" {
		return nil
	}
	s.since = "since you left " + awayAge(env.Now.Sub(left)) + " ago: " + text
	return []ui.Effect{ui.SayFor{Text: s.since, For: awayFor}}
}

// Here notes that the person is: what Returned has said, which is returned once, is to be taken
// back.
func (s *State) Here() (said string) {
	said, s.since = s.since, ""
	return said
}

// sinceLeft counts what is done and failed and was not looked at, and who asks; "" for nothing. The
// cost is in it where every task that ended has one, and is said to be of tasks where other sessions are counted.
func sinceLeft(env ui.Env) string {
	n, news := map[api.Standing]int{}, env.Work.News()
	for _, v := range env.Sessions {
		if !env.Work.Has(v) {
			n[v.Standing(env.Now)]++
		}
	}
	var parts []string
	for _, p := range []struct {
		n    int
		word string
	}{{n[api.StandingDone] + len(news.Done), "done"}, {n[api.StandingFailed] + len(news.Failed), "failed"}, {len(env.Waiting(env.Now)), "asks"}} {
		if p.n == 1 || p.n > 0 && p.word != "asks" {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.word))
		} else if p.n > 1 {
			parts = append(parts, fmt.Sprintf("%d ask", p.n))
		}
	}
	if cost, known := news.Cost(); known && n[api.StandingDone]+n[api.StandingFailed] > 0 {
		parts = append(parts, fmt.Sprintf("the tasks cost $%.2f", cost))
	} else if known {
		parts = append(parts, fmt.Sprintf("$%.2f", cost))
	}
	return strings.Join(parts, ", ")
}

// awayAge is a time of absence in words.
func awayAge(d time.Duration) string {
	switch {
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Round(time.Hour).Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}
