package opencode

import (
	"math"
	"testing"

	"ccdir/agents/transcript"
	"ccdir/api"
	"ccdir/usage"
)

// used sums up what a conversation used.
func used(t *testing.T, from transcript.Source) (answers int, sum api.TurnTokens, usd float64) {
	t.Helper()
	u, err := from.(transcript.Metered).Used(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range u.Answers {
		answers++
		sum.Input, sum.Output, sum.CacheRead = sum.Input+a.Tokens.Input, sum.Output+a.Tokens.Output, sum.CacheRead+a.Tokens.CacheRead
		usd += a.CostUSD
		if a.At.IsZero() || a.Vendor != "fake" || a.Model != "m" {
			t.Errorf("%+v", a)
		}
	}
	return answers, sum, usd
}

// TestUsed: counted by hand in testdata/conversations.jsonl. The first conversation has three answers
// that used something, each 900 tokens of input, 20 of output, 100 of the cache and $0.00094. The second
// has twelve such answers and its subagent two; one that was interrupted has none.
func TestUsed(t *testing.T) {
	d := newDatabase(t)
	d.fill()
	for id, want := range map[string]int{firstRecorded: 3, secondRecorded: 12 + 2} {
		from := d.open(id)
		for range 2 { // read again, nothing counts twice
			n, sum, usd := used(t, from)
			if n != want || sum != (api.TurnTokens{Input: int64(900 * want), Output: int64(20 * want), CacheRead: int64(100 * want)}) ||
				math.Abs(usd-0.00094*float64(want)) > 1e-9 {
				t.Errorf("%s: %d answers, %+v, $%v", id, n, sum, usd)
			}
		}
	}
}

// TestUsedGrows: a message that is written again counts as it is at the end; what a branch begins with
// was counted where it was said.
func TestUsedGrows(t *testing.T) {
	d := newDatabase(t)
	d.do("INSERT INTO session VALUES ('ses_a', NULL, 0, 5000)")
	write := func(id, data string, at int) {
		d.do("INSERT INTO message VALUES (?, 'ses_a', ?2, ?2, ?3) ON CONFLICT DO UPDATE SET data = excluded.data, time_updated = excluded.time_updated", id, at, data)
	}
	from := d.open("ses_a")
	expect := func(input int64, usd float64) {
		t.Helper()
		u, err := from.(transcript.Metered).Used(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var sum usage.Use
		for _, a := range u.Answers {
			sum.Tokens.Input, sum.CostUSD = sum.Tokens.Input+a.Tokens.Input, sum.CostUSD+a.CostUSD
		}
		if sum.Tokens.Input != input || sum.CostUSD != usd {
			t.Errorf("%d tokens, $%v, want %d and $%v", sum.Tokens.Input, sum.CostUSD, input, usd)
		}
	}
	expect(0, 0)
	write("m0", `{"role":"assistant","time":{"created":1000},"cost":0.5,"tokens":{"input":10}}`, 5000) // copied
	write("m1", `{"role":"assistant","time":{"created":6000},"cost":0,"tokens":{"input":0}}`, 6000)
	expect(0, 0)
	write("m1", `{"role":"assistant","time":{"created":6000},"cost":0.25,"tokens":{"input":100}}`, 6500)
	write("m2", `{"role":"user","time":{"created":7000},"tokens":{"input":7}}`, 7000)
	write("m3", `broken`, 7000)
	expect(100, 0.25)
	write("m4", `{"role":"assistant","time":{"created":7000},"cost":-3,"tokens":{"input":1,"output":-5}}`, 7000)
	expect(101, 0.25)
}

func FuzzAnswerOf(f *testing.F) {
	f.Add(`{"role":"assistant","time":{"created":6000},"cost":0.25,"tokens":{"input":100,"output":1,"reasoning":2,"cache":{"read":1,"write":2}},"providerID":"p","modelID":"m"}`)
	f.Fuzz(func(t *testing.T, data string) {
		a, ok := answerOf(data, 1, 0)
		if n := a.Tokens; ok && (a.CostUSD < 0 || n.Input < 0 || n.Output < 0 || n.CacheRead < 0 || n.CacheWrite < 0) {
			t.Errorf("%+v", a)
		}
	})
}
