package usage

import (
	"time"

	"ccdir/api"
)

// Use is what one answer of a model used.
type Use struct {
	At time.Time
	// Vendor is whose prices hold for the answer, by the names of models.dev; "": nobody's that is
	// known. Model is the model's name as the agent writes it.
	Vendor, Model string
	Tokens        api.TurnTokens
	// CostUSD is what the agent says that the answer cost, in US dollars; 0: it does not say.
	CostUSD float64
}

// Told is what an agent said that its conversation had cost.
type Told struct {
	// Until is when answers are not part of the sum any more; zero: all that are known are.
	Until time.Time
	USD   float64
}

// Used is what a conversation used, those of its subagents included.
type Used struct {
	// Answers are what each answer used, by the answer's id: one that is written several times counts
	// once, and one that was copied from another conversation not at all.
	Answers map[string]Use
	// Told are the sums that the agent wrote, in their order.
	Told []Told
	// Limits are the newest samples of the windows' limits that the agent wrote, by their names. Whose
	// they are they do not say: the conversation may have been another account's before.
	Limits []Sample
	// Changes grows with every change, so that who has seen one state needs not look again.
	Changes int
}

// MaxAnswers bounds the answers of a conversation that are counted, by number.
const MaxAnswers = 200_000

// Add takes in what an answer used. The same answer again changes nothing, and an answer that was
// written while it grew counts as it was at the end, whatever comes first.
func (u *Used) Add(id string, a Use) {
	if a.Tokens == (api.TurnTokens{}) && a.CostUSD == 0 || id == "" {
		return
	}
	if u.Answers == nil {
		u.Answers = map[string]Use{}
	}
	old, known := u.Answers[id]
	if !known && len(u.Answers) >= MaxAnswers {
		return
	}
	if known {
		at := a.At
		if at.IsZero() || !old.At.IsZero() && old.At.Before(at) {
			at = old.At
		}
		if less(a, old) {
			a = old
		}
		a.At = at
		if a == old {
			return
		}
	}
	u.Changes++
	u.Answers[id] = a
}

// less orders what the same answer used at several times.
func less(a, b Use) bool {
	for _, d := range []float64{float64(a.Tokens.Output - b.Tokens.Output), float64(a.Tokens.Input - b.Tokens.Input),
		float64(a.Tokens.CacheRead - b.Tokens.CacheRead), float64(a.Tokens.CacheWrite - b.Tokens.CacheWrite),
		float64(a.Tokens.CacheWriteHour - b.Tokens.CacheWriteHour), a.CostUSD - b.CostUSD} {
		if d != 0 {
			return d < 0
		}
	}
	if a.Model != b.Model {
		return a.Model < b.Model
	}
	return a.Vendor < b.Vendor
}
