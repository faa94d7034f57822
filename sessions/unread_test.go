package sessions

import (
	"testing"

	"ccdir/agents"
	"ccdir/agents/adapters"
	"ccdir/api"
	"ccdir/sessions/launch"
	"ccdir/sessions/state"
	"ccdir/wire"
)

// TestRedrawIsNoNews: an agent that reports its state is not unread because it draws
// again; its bell is news, and so is the output of a shell.
func TestRedrawIsNoNews(t *testing.T) {
	r, _ := newTestRegistry(t, &fakeHost{t: t})
	for _, tt := range []struct {
		kind, evidence string
		want           bool
	}{
		{agents.KindClaude, wire.EvidenceActive, false},
		{agents.KindClaude, wire.EvidenceBell, true},
		{agents.KindShell, wire.EvidenceActive, true},
	} {
		adapter, _ := adapters.Lookup(tt.kind)
		s := r.newSession(tt.kind+tt.evidence, launch.Spec{Name: tt.kind + tt.evidence}, adapter)
		s.cur = api.Session{ID: s.id, Name: s.spec.Name, State: api.StateIdle}
		s.fold = state.NewFold(adapter.Managed(), r.now())
		if err := r.add(s, s.spec.Name); err != nil {
			t.Fatal(err)
		}
		var unread bool
		if err := s.do(t.Context(), func() {
			s.fromHost(wire.Evidence{Seq: 1, At: r.now(), Name: tt.evidence})
			unread = s.cur.Unread
		}); err != nil {
			t.Fatal(err)
		}
		if unread != tt.want {
			t.Errorf("%s, %s: unread %v, want %v", tt.kind, tt.evidence, unread, tt.want)
		}
	}
}
