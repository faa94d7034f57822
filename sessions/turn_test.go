package sessions

import (
	"testing"

	"ccdir/agents"
	"ccdir/agents/adapters"
	"ccdir/api"
	"ccdir/sessions/launch"
	"ccdir/sessions/state"
)

// TestOldCost: what a conversation has cost is shown until it goes on without a new sum.
func TestOldCost(t *testing.T) {
	r, _ := newTestRegistry(t, &fakeHost{t: t})
	adapter, _ := adapters.Lookup(agents.KindClaude)
	s := r.newSession("cost0001", launch.Spec{Name: "cost"}, adapter)
	s.cur = api.Session{ID: s.id, Name: "cost", State: api.StateIdle}
	s.fold = state.NewFold(adapter.Managed(), r.now())
	if err := r.add(s, "cost"); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		turn api.Turn
		want float64
	}{
		{api.Turn{Turn: 1, Context: 1000, CostUSD: 0.17}, 0.17},
		{api.Turn{Turn: 2, Prompt: "go on"}, 0.17},
		{api.Turn{Turn: 2, Prompt: "go on", Context: 2000}, 0},
		{api.Turn{Turn: 2, Prompt: "go on", Context: 2000, CostUSD: 0.3}, 0.3},
	} {
		if err := r.SetTurn(t.Context(), s.id, step.turn); err != nil {
			t.Fatal(err)
		}
		if v, err := r.Get(t.Context(), s.id); err != nil || v.CostUSD != step.want {
			t.Errorf("after %+v: $%v, want $%v (%v)", step.turn, v.CostUSD, step.want, err)
		}
	}
}
