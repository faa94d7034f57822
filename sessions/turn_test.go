package sessions

import (
	"testing"

	"ccdir/agents"
	"ccdir/agents/adapters"
	"ccdir/api"
	"ccdir/sessions/launch"
	"ccdir/sessions/state"
)

// TestCost: what a conversation has cost is shown as it is told, and not that of one that was left.
func TestCost(t *testing.T) {
	r, _ := newTestRegistry(t, &fakeHost{t: t})
	adapter, _ := adapters.Lookup(agents.KindClaude)
	s := r.newSession("cost0001", launch.Spec{Name: "cost"}, adapter)
	s.cur = api.Session{ID: s.id, Name: "cost", State: api.StateIdle}
	s.fold = state.NewFold(adapter.Managed(), r.now())
	if err := r.add(s, "cost"); err != nil {
		t.Fatal(err)
	}
	s.cur.Conversation = "now"
	for _, step := range []struct {
		conversation string
		usd          float64
		estimate     bool
		want         float64
	}{{"now", 0.17, true, 0.17}, {"earlier", 5, false, 0.17}, {"now", 0.3, false, 0.3}, {"now", 0, false, 0}} {
		if err := r.SetCost(t.Context(), s.id, step.conversation, step.usd, step.estimate); err != nil {
			t.Fatal(err)
		}
		if v, err := r.Get(t.Context(), s.id); err != nil || v.CostUSD != step.want {
			t.Errorf("after %+v: $%v (%v)", step, v.CostUSD, err)
		}
	}
	if err := r.SetTurn(t.Context(), s.id, api.Turn{Turn: 1, Context: 1000, CostUSD: 9}); err != nil {
		t.Fatal(err)
	}
	if v, err := r.Get(t.Context(), s.id); err != nil || v.CostUSD != 0 {
		t.Errorf("a turn set it: $%v (%v)", v.CostUSD, err)
	}
}
