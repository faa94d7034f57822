package costs

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"path/filepath"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/daemon/store"
	"ccdir/usage"
	"ccdir/usage/sums"
)

// world is a Keeper over a database, with what it shows.
type world struct {
	*Keeper
	t     *testing.T
	now   time.Time
	store *store.Store
	shown map[string]string // by session
}

func newWorld(t *testing.T) *world {
	t.Helper()
	s, _, err := store.Open(filepath.Join(t.TempDir(), "ccdir.db"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	w := &world{t: t, now: time.Date(2026, 7, 2, 12, 0, 0, 0, time.UTC), store: s, shown: map[string]string{}}
	w.restart()
	return w
}

// restart is a daemon that was killed, and the next one.
func (w *world) restart() {
	w.Keeper = New(Options{Store: w.store, Place: time.UTC, Now: func() time.Time { return w.now },
		Of: func(_ context.Context, session string) (store.UsageOf, bool) {
			of := map[string]store.UsageOf{
				"s1": {Session: "s1", Name: "one", Agent: "claude", Repo: "/r"},
				"s2": {Session: "s2", Name: "two", Agent: "claude", Account: "work", Repo: "/r", Task: "t1", Labels: []string{"night"}},
			}[session]
			return of, of.Session != ""
		},
		Show: func(_ context.Context, session, _ string, sum sums.Sum, known bool) {
			w.shown[session] = fmt.Sprintf("%.4f %v %v", sum.CostUSD, sum.Estimate, known)
		}})
}

// answer adds an answer of a model that costs $5 per million tokens of input.
func (w *world) answer(u *usage.Used, id, model string, input int64) {
	u.Add(id, usage.Use{At: w.now, Vendor: "anthropic", Model: model, Tokens: api.TurnTokens{Input: input}})
}

func (w *world) took(session, id string, u usage.Used) {
	w.t.Helper()
	if err := w.Took(w.t.Context(), session, id, u); err != nil {
		w.t.Fatal(err)
	}
}

// rows are the sums as text.
func (w *world) rows(by api.UsageBy) (text string) {
	w.t.Helper()
	rows, err := w.Rows(w.t.Context(), by, time.Time{})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, r := range rows {
		cost := "?"
		if r.CostUSD != nil {
			cost = fmt.Sprintf("%.4f", *r.CostUSD)
		}
		text += fmt.Sprintf("%s %d $%s %v %v; ", r.Key, *r.InputTokens, cost, r.Estimate, r.Lacks)
	}
	return text
}

// TestSums: what two sessions used on two days, by everything; told again after a daemon was killed, in
// another order, nothing counts twice.
func TestSums(t *testing.T) {
	w := newWorld(t)
	var a, b usage.Used
	w.answer(&a, "1", "claude-opus-4-5", 1000)
	w.took("s1", "conv-a", a)
	if w.shown["s1"] != "0.0050 true true" {
		t.Errorf("it shows %s", w.shown["s1"])
	}
	w.now = w.now.Add(24 * time.Hour)
	w.answer(&a, "2", "claude-opus-4-5", 2000)
	w.answer(&b, "1", "claude-opus-4-5", 4000)
	w.answer(&b, "2", "claude-new", 7)
	w.took("s1", "conv-a", a)
	w.took("s2", "conv-b", b)
	if w.shown["s1"] != "0.0150 true true" || w.shown["s2"] != "0.0200 true false" {
		t.Errorf("it shows %v: a sum that lacks something is none", w.shown)
	}
	for range 2 {
		for by, want := range map[api.UsageBy]string{
			api.UsageByDay:     "2026-07-02 1000 $0.0050 true []; 2026-07-03 6007 $0.0300 true [claude-new]; ",
			api.UsageBySession: "s2 4007 $0.0200 true [claude-new]; s1 3000 $0.0150 true []; ",
			api.UsageByTask:    "t1 4007 $0.0200 true [claude-new];  3000 $0.0150 true []; ",
			api.UsageByRepo:    "/r 7007 $0.0350 true [claude-new]; ",
			api.UsageByModel:   "claude-opus-4-5 7000 $0.0350 true []; claude-new 7 $? false [claude-new]; ",
			api.UsageByAccount: "claude/work 4007 $0.0200 true [claude-new]; claude/default 3000 $0.0150 true []; ",
		} {
			if got := w.rows(by); got != want {
				t.Errorf("by %s:\n%s\n%s", by, got, want)
			}
		}
		w.restart()
		w.took("s2", "conv-b", b)
		w.took("s1", "conv-a", a)
	}
	for want, f := range map[int64]Filter{7007: {}, 6007: {Since: "2026-07-03"}, 4007: {Label: "night"}, 3000: {Agent: "claude", Account: api.AccountDefault},
		2000: {Account: api.AccountDefault, Since: w.Day(0)}, 0: {Account: "other"}} {
		if sum, err := w.Spent(t.Context(), f); err != nil || sum.Tokens.Input != want {
			t.Errorf("%+v: %+v, %v", f, sum, err)
		}
	}
	w.now = w.now.AddDate(0, 0, keptDays)
	if err := w.Prune(); err != nil {
		t.Fatal(err)
	}
	if got := w.rows(""); got != "2026-07-03 6007 $0.0300 true [claude-new]; " {
		t.Errorf("kept is %s", got)
	}
}

// TestTold: the agent's own sum wins, grows within the turn, prices what has no price, and outlives the
// daemon and the agent's process.
func TestTold(t *testing.T) {
	w := newWorld(t)
	var u usage.Used
	tell := func(usd float64) {
		t.Helper()
		w.now = w.now.Add(time.Second)
		if err := w.Told(t.Context(), "s1", "conv", usd); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(want string) {
		t.Helper()
		if w.shown["s1"] != want {
			t.Errorf("it shows %s, want %s", w.shown["s1"], want)
		}
	}
	w.answer(&u, "1", "claude-new", 10)
	w.took("s1", "conv", u)
	expect("0.0000 false false")
	tell(0.5)
	expect("0.5000 false true")
	for i := range 3 {
		w.answer(&u, fmt.Sprint("more", i), "claude-new", 10)
		w.took("s1", "conv", u)
		expect(fmt.Sprintf("%.4f false false", 0.5+float64(i)/4)) // until it is told again
		tell(0.75 + float64(i)/4)
		expect(fmt.Sprintf("%.4f false true", 0.75+float64(i)/4))
	}
	w.restart()
	w.took("s1", "conv", u)
	expect("1.2500 false true")
	w.now = w.now.Add(time.Minute) // its process was killed; the next one begins at 0
	w.answer(&u, "next", "claude-new", 10)
	tell(0.25)
	tell(0.5)
	w.took("s1", "conv", u)
	expect("1.7500 false true")
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1)} {
		tell(bad)
	}
	expect("1.7500 false true")
}
