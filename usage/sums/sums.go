// Package sums computes what a conversation used and cost, by day and model, from what its answers
// used.
//
// Contract: pure. A sum that the agent told wins over one that was computed from prices, which is an
// estimate. What has no price is counted in tokens and lacks in the cost. The same values give the same
// rows, in whatever order they came.
package sums

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"ccdir/api"
	"ccdir/usage"
	"ccdir/usage/prices"
)

// Row is what one model used in a conversation on one day.
type Row struct {
	// Day is YYYY-MM-DD; "" if the agent does not say when.
	Day, Model string
	Sum
}

// Sum is what was used, and what that cost as far as that is known.
type Sum struct {
	Tokens api.TurnTokens
	// CostUSD is in US dollars. Estimate: a part of it was computed from prices.
	CostUSD  float64
	Estimate bool
	// Priced: CostUSD means something. Lacks counts the tokens whose cost is not in it, because nobody
	// knows it.
	Priced bool
	Lacks  int64
}

// Add adds another sum.
func (s *Sum) Add(o Sum) {
	AddTokens(&s.Tokens, o.Tokens)
	s.CostUSD += o.CostUSD
	s.Estimate = s.Estimate || o.Estimate
	s.Priced = s.Priced || o.Priced
	s.Lacks += o.Lacks
}

// Cost is what was used cost in US dollars; nil: nobody knows.
func (s Sum) Cost() *float64 {
	if !s.Priced {
		return nil
	}
	return &s.CostUSD
}

// AddTokens adds up tokens.
func AddTokens(t *api.TurnTokens, o api.TurnTokens) {
	t.Input += o.Input
	t.Output += o.Output
	t.CacheRead += o.CacheRead
	t.CacheWrite += o.CacheWrite
	t.CacheWriteHour += o.CacheWriteHour
}

// Total is how many tokens there are.
func Total(t api.TurnTokens) int64 { return t.Input + t.Output + t.CacheRead + t.CacheWrite }

// answer is an answer with its cost.
type answer struct {
	usage.Use
	id  string
	sum Sum
}

// Rows are the rows of a conversation, by day and model. Days are those of the place.
func Rows(u usage.Used, place *time.Location) []Row {
	answers := make([]answer, 0, len(u.Answers))
	for id, a := range u.Answers {
		answers = append(answers, answer{a, id, priced(a)})
	}
	slices.SortFunc(answers, func(a, b answer) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.id, b.id)) })
	told(answers, u.Told)
	rows := map[[2]string]Sum{}
	for _, a := range answers {
		day := ""
		if !a.At.IsZero() {
			day = a.At.In(place).Format(time.DateOnly)
		}
		key := [2]string{day, a.Model}
		sum := rows[key]
		sum.Add(a.sum)
		rows[key] = sum
	}
	list := make([]Row, 0, len(rows))
	for _, key := range slices.SortedFunc(maps.Keys(rows), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		list = append(list, Row{key[0], key[1], rows[key]})
	}
	return list
}

// priced is what one answer cost, as its agent says or by the table.
func priced(a usage.Use) Sum {
	s := Sum{Tokens: a.Tokens}
	if a.CostUSD > 0 {
		s.CostUSD, s.Priced = a.CostUSD, true
		return s
	}
	if s.CostUSD, s.Priced = prices.Cost(a.Vendor, a.Model, a.Tokens); s.Priced {
		s.Estimate = true
		return s
	}
	s.CostUSD, s.Lacks = 0, Total(a.Tokens)
	return s
}

// told puts the sums that the agent told in the place of computed ones: each for the answers since
// the one before it.
func told(answers []answer, list []usage.Told) {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b usage.Told) int {
		switch {
		case a.Until.IsZero() || b.Until.IsZero():
			return cmp.Compare(btoi(a.Until.IsZero()), btoi(b.Until.IsZero()))
		}
		return a.Until.Compare(b.Until)
	})
	before, from := []float64{0}, 0
	for _, t := range list {
		to := len(answers)
		if !t.Until.IsZero() {
			to, _ = slices.BinarySearchFunc(answers, t.Until, func(a answer, at time.Time) int { return a.At.Compare(at) })
		}
		// A program that was killed does not know what it has cost: the next one begins at the sum
		// that was written last.
		base := before[len(before)-1]
		if t.USD < base {
			base = 0
			for _, b := range before {
				if b <= t.USD {
					base = max(base, b)
				}
			}
		}
		before = append(before, t.USD)
		if to > from {
			spread(answers[from:to], t.USD-base)
			from = to
		} else if t.USD > base && from > 0 {
			answers[from-1].sum.CostUSD += t.USD - base // of what is no answer: a title, a summary
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// spread divides a sum among answers as their prices do; without prices, as their tokens do.
func spread(answers []answer, usd float64) {
	weigh, total := func(a answer) float64 { return a.sum.CostUSD }, 0.0
	if slices.ContainsFunc(answers, func(a answer) bool { return a.sum.Lacks > 0 }) {
		weigh = func(a answer) float64 {
			t := a.Tokens
			return float64(t.Input) + 5*float64(t.Output) + float64(t.CacheRead)/10 + 1.25*float64(t.CacheWrite)
		}
	}
	for _, a := range answers {
		total += weigh(a)
	}
	for i := range answers {
		share := 1 / float64(len(answers))
		if total > 0 {
			share = weigh(answers[i]) / total
		}
		answers[i].sum = Sum{Tokens: answers[i].Tokens, CostUSD: usd * share, Priced: true}
	}
}
