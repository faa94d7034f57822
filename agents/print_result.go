package agents

import (
	"time"

	"ccdir/api"
)

// PrintResult is what a one-shot run reported at its end.
type PrintResult struct {
	// Text is the final message, at most 32 KiB.
	Text string
	// Failed: the agent says that it did not succeed; Kind says how.
	Failed       bool
	Kind         string
	Conversation string
	Turns        int
	// Tokens are input (cache included) and output together; Cost is in US
	// dollars.
	Tokens int64
	Cost   float64
	// Denials is the agent's list of refused permissions, nil if it is empty.
	Denials api.Denials
	// Status is the API's error that ended it (429, 529), 0 if none did; Reset
	// when the usage limit that was met ends, zero if that is not told.
	Status int
	Reset  time.Time
}

// Overspent reports whether the run ended because of a bound that it was given.
func (r PrintResult) Overspent() bool {
	return r.Kind == "error_max_turns" || r.Kind == "error_max_budget_usd"
}

const (
	// MaxDenials bounds the refusals of a result.
	MaxDenials = 50
	// MaxDenialInput bounds the input of one of them, in bytes.
	MaxDenialInput = 1 << 10
)

// ShortDenials drops repetitions, and what is beyond the bounds.
func ShortDenials(list api.Denials) (out api.Denials) {
	seen := map[string]bool{}
	for _, d := range list {
		if d.ID != "" && seen[d.ID] || len(out) == MaxDenials {
			continue
		}
		seen[d.ID] = true
		if len(d.Input) > MaxDenialInput {
			d.Input = nil
		}
		out = append(out, d)
	}
	return out
}
