package attention

import (
	"context"
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

// UsageReader is the part of a client that knows what agents have cost.
type UsageReader interface {
	Usage(ctx context.Context, by api.UsageBy, since time.Time) (api.Usage, error)
}

// Returned says once, to who comes back after a while, what has happened since the last grid was
// detached, and what it cost. left is when that was, zero never; spent what agents had cost by then
// since that day began, nil not known.
func (s *State) Returned(env ui.Env, left time.Time, spent *float64) []ui.Effect {
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
	text = "since you left " + awayAge(env.Now.Sub(left)) + " ago: " + text
	if spent == nil {
		return s.sayReturned(text)
	}
	cost := ""
	return []ui.Effect{ui.Call{
		Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
			reader, err := ui.As[UsageReader](c)
			if err != nil {
				return ui.Result{}, err
			}
			used, err := reader.Usage(ctx, api.UsageByDay, left)
			cost = costSince(used.Rows, *spent)
			return ui.Result{}, err
		},
		Done:   func(ui.Env) []ui.Effect { return s.sayReturned(text + cost) },
		Failed: func(ui.Env, error) []ui.Effect { return s.sayReturned(text) },
	}}
}

func (s *State) sayReturned(text string) []ui.Effect {
	s.since = text
	return []ui.Effect{ui.SayFor{Text: text, For: awayFor}}
}

// costSince is what days cost beyond what was spent before, in words; "" for nothing.
func costSince(days []api.UsageRow, spent float64) string {
	sum, about := -spent, ""
	for _, d := range days {
		if d.CostUSD != nil {
			sum += *d.CostUSD
		}
		if d.Estimate {
			about = "~"
		}
	}
	if sum < 0.005 {
		return ""
	}
	return fmt.Sprintf(", %s$%.2f", about, sum)
}

// Here notes that the person is: what Returned has said, which is returned once, is to be taken
// back.
func (s *State) Here() (said string) {
	said, s.since = s.since, ""
	return said
}

// sinceLeft counts what is done and failed and was not looked at, and who asks; "" for nothing.
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
