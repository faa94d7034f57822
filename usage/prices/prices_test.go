package prices

import (
	"math"
	"regexp"
	"testing"

	"ccdir/api"
)

// TestCost: sums that were computed by hand from the table of 2 July 2026.
func TestCost(t *testing.T) {
	const million = 1_000_000
	for name, c := range map[string]struct {
		vendor, model string
		tokens        api.TurnTokens
		want          float64
	}{
		"each kind has its price": {"anthropic", "claude-opus-4-5", api.TurnTokens{Input: million, Output: million, CacheRead: million, CacheWrite: million},
			5 + 25 + 0.50 + 6.25},
		"a write for an hour costs twice the input": {"anthropic", "claude-opus-4-5", api.TurnTokens{CacheWrite: 3 * million, CacheWriteHour: 2 * million}, 6.25 + 2*10},
		"a date behind the name":                    {"anthropic", "claude-sonnet-4-6-20260101", api.TurnTokens{Output: 1000}, 0.015},
		"a date with hyphens":                       {"openai", "gpt-5.2-codex-2026-01-14", api.TurnTokens{Output: 1000}, 0.014},
		"the mark of the large context":             {"anthropic", "claude-sonnet-4-5[1m]", api.TurnTokens{Input: 1000}, 0.003},
		"up to the tier's size":                     {"openai", "gpt-5.5", api.TurnTokens{Input: 72_000, CacheRead: 200_000, Output: 1000}, 0.36 + 0.1 + 0.03},
		"above the tier's size":                     {"openai", "gpt-5.5", api.TurnTokens{Input: 72_001, CacheRead: 200_000, Output: 1000}, 0.72001 + 0.2 + 0.045},
		"a model that is free":                      {"opencode", "big-pickle", api.TurnTokens{Input: million, Output: million}, 0},
	} {
		usd, known := Cost(c.vendor, c.model, c.tokens)
		if !known || math.Abs(usd-c.want) > 1e-9 {
			t.Errorf("%s: %v, %v, want %v", name, usd, known, c.want)
		}
	}
}

// TestUnknown: no price is guessed.
func TestUnknown(t *testing.T) {
	for name, c := range map[string]struct {
		vendor, model string
		tokens        api.TurnTokens
	}{
		"a newer model":                  {"anthropic", "claude-opus-5-5", api.TurnTokens{Input: 1}},
		"a name that begins as another":  {"anthropic", "claude-opus-4-5-fast", api.TurnTokens{Input: 1}},
		"a beginning of a name":          {"anthropic", "claude-opus", api.TurnTokens{Input: 1}},
		"no date":                        {"anthropic", "claude-opus-4-5-99999999", api.TurnTokens{Input: 1}},
		"another vendor":                 {"somebody", "claude-opus-4-5", api.TurnTokens{Input: 1}},
		"no name":                        {"anthropic", "", api.TurnTokens{Input: 1}},
		"a kind that has no price there": {"openai", "gpt-5-pro", api.TurnTokens{Input: 1, CacheRead: 1}},
	} {
		if usd, known := Cost(c.vendor, c.model, c.tokens); known {
			t.Errorf("%s: it costs %v", name, usd)
		}
	}
}

// TestTable: the table is whole and dated.
func TestTable(t *testing.T) {
	if !regexp.MustCompile(`^20\d\d-\d\d-\d\d$`).MatchString(Date()) {
		t.Errorf("it is of %q", Date())
	}
	vendors := map[string]int{}
	for key, tiers := range tables().of {
		vendors[key[0]]++
		for i, tier := range tiers {
			if tier.Input < 0 || tier.Output < 0 || i == 0 && tier.above != 0 || i > 0 && tier.above <= tiers[i-1].above {
				t.Errorf("%v: tier %d is %+v", key, i, tier)
			}
		}
	}
	for _, v := range []string{"anthropic", "google", "openai", "opencode"} {
		if vendors[v] < 10 {
			t.Errorf("%d models of %s", vendors[v], v)
		}
	}
}
