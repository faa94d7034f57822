package sums

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/usage"
)

var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// opus is an answer of a model whose price is known: $5, $25 and $0.50 per million tokens.
func opus(after time.Duration, input, output int64) usage.Use {
	return usage.Use{At: noon.Add(after), Vendor: "anthropic", Model: "claude-opus-4-5", Tokens: api.TurnTokens{Input: input, Output: output}}
}

func strange(after time.Duration, input int64) usage.Use {
	return usage.Use{At: noon.Add(after), Vendor: "anthropic", Model: "claude-opus-9", Tokens: api.TurnTokens{Input: input}}
}

func used(told []usage.Told, answers ...usage.Use) usage.Used {
	u := usage.Used{Told: told}
	for i, a := range answers {
		u.Add(fmt.Sprint(i), a)
	}
	return u
}

// said is the rows as text.
func said(rows []Row) (list []string) {
	for _, r := range rows {
		cost := "unknown"
		if c := r.Cost(); c != nil {
			cost = fmt.Sprintf("$%.6f", *c)
		}
		if r.Estimate {
			cost += " about"
		}
		if r.Lacks > 0 {
			cost += fmt.Sprintf(" lacks %d", r.Lacks)
		}
		list = append(list, fmt.Sprintf("%s %s %d %s", r.Day, r.Model, Total(r.Tokens), cost))
	}
	return list
}

func TestRows(t *testing.T) {
	day := 24 * time.Hour
	for name, c := range map[string]struct {
		used usage.Used
		want []string
	}{
		"computed, by day and model": {used(nil, opus(0, 1000, 100), opus(time.Hour, 1000, 0), opus(day, 200, 0), strange(0, 7)),
			[]string{"2026-07-01 claude-opus-4-5 2100 $0.012500 about", "2026-07-01 claude-opus-9 7 unknown lacks 7", "2026-07-02 claude-opus-4-5 200 $0.001000 about"}},
		"the answer's own cost wins": {used(nil, usage.Use{At: noon, Vendor: "anthropic", Model: "claude-opus-4-5", Tokens: api.TurnTokens{Input: 1000}, CostUSD: 3}),
			[]string{"2026-07-01 claude-opus-4-5 1000 $3.000000"}},
		"the agent's own sum wins": {used([]usage.Told{{USD: 3}}, opus(0, 1000, 0), opus(day, 2000, 0)),
			[]string{"2026-07-01 claude-opus-4-5 1000 $1.000000", "2026-07-02 claude-opus-4-5 2000 $2.000000"}},
		"it prices what has no price": {used([]usage.Told{{USD: 3}}, strange(0, 10)), []string{"2026-07-01 claude-opus-9 10 $3.000000"}},
		"what comes after it is computed": {used([]usage.Told{{Until: noon.Add(time.Minute), USD: 3}}, opus(0, 1000, 0), opus(time.Hour, 2000, 0), strange(day, 4)),
			[]string{"2026-07-01 claude-opus-4-5 3000 $3.010000 about", "2026-07-02 claude-opus-9 4 unknown lacks 4"}},
		"a later sum has the earlier one in it": {used([]usage.Told{{USD: 5}, {Until: noon.Add(time.Minute), USD: 3}}, opus(0, 1000, 0), opus(day, 2000, 0)),
			[]string{"2026-07-01 claude-opus-4-5 1000 $3.000000", "2026-07-02 claude-opus-4-5 2000 $2.000000"}},
		"a program that was killed and begins again": {used([]usage.Told{{Until: noon.Add(time.Minute), USD: 1}, {Until: noon.Add(2 * time.Minute), USD: 4}, {USD: 1.5}},
			opus(0, 1, 0), opus(90*time.Second, 1, 0), opus(time.Hour, 1, 0)), []string{"2026-07-01 claude-opus-4-5 3 $4.500000"}},
		"what is no answer counts": {used([]usage.Told{{Until: noon.Add(time.Minute), USD: 1}, {USD: 1.25}}, opus(0, 1, 0)), []string{"2026-07-01 claude-opus-4-5 1 $1.250000"}},
		"nothing":                  {usage.Used{}, nil},
		"a sum without answers":    {usage.Used{Told: []usage.Told{{USD: 1}}}, nil},
	} {
		if got := said(Rows(c.used, time.UTC)); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", name, got, c.want)
		}
	}
	east := time.FixedZone("east", 14*3600)
	if got := Rows(used(nil, opus(0, 1, 0)), east); got[0].Day != "2026-07-02" {
		t.Errorf("the day of another place is %s", got[0].Day)
	}
}

// TestOrderDoesNotCount: answers in any order, cut anywhere, and told again any number of times give the
// rows of each told once.
func TestOrderDoesNotCount(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		type line struct {
			id string
			usage.Use
		}
		var lines []line
		for i := range 1 + r.IntN(20) {
			a := opus(time.Duration(i)*5*time.Hour, r.Int64N(5000), 1)
			if r.IntN(3) == 0 {
				a.Model = "claude-opus-9"
			}
			for range 1 + r.IntN(3) { // it grows while it is written
				lines = append(lines, line{fmt.Sprint(i), a})
				a.Tokens.Output += r.Int64N(500)
			}
		}
		whole, again := usage.Used{}, usage.Used{}
		for _, l := range lines {
			whole.Add(l.id, l.Use)
		}
		for _, l := range lines[:r.IntN(len(lines)+1)] {
			again.Add(l.id, l.Use)
		}
		r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		for _, l := range append(lines, lines[:r.IntN(len(lines))]...) {
			again.Add(l.id, l.Use)
		}
		if n := r.IntN(4); n > 0 {
			for i := range n {
				whole.Told = append(whole.Told, usage.Told{Until: noon.Add(time.Duration(r.IntN(100)) * time.Hour), USD: float64(i)})
			}
			again.Told = whole.Told
		}
		a, b := Rows(whole, time.UTC), Rows(again, time.UTC)
		if !slices.EqualFunc(a, b, func(a, b Row) bool {
			same := math.Abs(a.CostUSD-b.CostUSD) < 1e-9
			a.CostUSD, b.CostUSD = 0, 0
			return same && a == b
		}) {
			t.Fatalf("seed %d:\n%q\n%q", seed, said(a), said(b))
		}
	}
}
