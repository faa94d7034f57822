package sessions

import (
	"strconv"
	"testing"

	"ccdir/agents"
	"ccdir/agents/adapters"
	"ccdir/api"
	"ccdir/sessions/launch"
	"ccdir/sessions/state"
	"ccdir/wire"
)

// TestWhichEndIsNews: a process that ended badly, and that of a task. One that was lost, or ended
// well, is as unread as before, so that started again it is not done anew.
func TestWhichEndIsNews(t *testing.T) {
	r, _ := newTestRegistry(t, &fakeHost{t: t})
	adapter, _ := adapters.Lookup(agents.KindClaude)
	for i, tt := range []struct {
		task string
		end  func(s *session)
		want bool
	}{
		{"", func(s *session) { s.lost("its host died") }, false},
		{"", func(s *session) { s.exited(wire.ExitRecord{Code: 0}) }, false},
		{"", func(s *session) { s.exited(wire.ExitRecord{Code: 143}) }, false},
		{"", func(s *session) { s.exited(wire.ExitRecord{Code: 1}) }, true},
		{"t1", func(s *session) { s.exited(wire.ExitRecord{Code: 0}) }, true},
	} {
		name := "s" + strconv.Itoa(i)
		s := r.newSession(name, launch.Spec{Name: name}, adapter)
		s.cur = api.Session{ID: s.id, Name: name, State: api.StateIdle, Prompt: "go", Task: tt.task}
		s.fold = state.NewFold(adapter.Managed(), r.now())
		if err := r.add(s, name); err != nil {
			t.Fatal(err)
		}
		if err := s.do(t.Context(), func() {
			if tt.end(s); s.cur.Unread != tt.want {
				t.Errorf("%d: unread %v in state %s, want %v", i, s.cur.Unread, s.cur.State, tt.want)
			}
			s.reset(r.now())
			if s.cur.State = api.StateIdle; !tt.want && s.cur.Standing(r.now()) != api.StandingIdle {
				t.Errorf("%d: started again it is %s", i, s.cur.Standing(r.now()))
			}
		}); err != nil {
			t.Fatal(err)
		}
	}
}

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
