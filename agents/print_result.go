package agents

import (
	"time"

	"ccdir/api"
)

// PrintResult is the result of a one-shot run.
type PrintResult struct {
	// Text is the final message, at most 32 KiB.
	Text string
	// Failed: the agent reports a failure; Kind is its kind.
	Failed       bool
	Kind         string
	Conversation string
	Turns        int
	// Tokens are input (including cache) and output; Cost is in US dollars.
	Tokens int64
	Cost   float64
	// Denials is the agent's list of refused permissions, nil if it is empty.
	Denials api.Denials
	// Status is the API error that ended the run (429, 529), 0 if none did; Reset is
	// the end of the usage limit, zero if unknown.
	Status int
	Reset  time.Time
}

// Overspent reports whether the run ended because of one of its bounds.
func (r PrintResult) Overspent() bool {
	return r.Kind == "error_max_turns" || r.Kind == "error_max_budget_usd"
}

const (
	// MaxDenials bounds the denials of a result.
	MaxDenials = 50
	// MaxDenialInput bounds the input of one of them, in bytes.
	MaxDenialInput = 1 << 10
)

// ShortDenials drops duplicates and denials beyond the bounds.
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
