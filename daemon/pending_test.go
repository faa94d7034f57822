package daemon

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/daemon/pending"
	"ccdir/sessions/delivery"
)

func (p *place) later(ref, text string) (made api.PendingPrompt) {
	p.t.Helper()
	p.call("POST", "/v1/sessions/"+ref+"/pending", api.NewPending{Text: text}, &made)
	return made
}

func (p *place) pendings() (list []api.PendingPrompt) {
	p.t.Helper()
	p.call("GET", "/v1/pending", nil, &list)
	return list
}

// settled waits until no prompt is pending.
func (p *place) settled() {
	p.t.Helper()
	until(p.t, "the end of all pending prompts", func() bool {
		return !slices.ContainsFunc(p.pendings(), func(q api.PendingPrompt) bool { return q.State == api.PendingWaits })
	})
}

// keeps blocks until the session shows that it has n pending prompts.
func (p *place) keeps(id string, n int) {
	p.t.Helper()
	until(p.t, fmt.Sprintf("%d prompts are pending", n), func() bool {
		var s api.Session
		p.call("GET", "/v1/sessions/"+id, nil, &s)
		return s.Pending == n
	})
}

// TestPendingPrompts: prompts wait for the end of a dialog, in their order, and can be
// changed and taken back meanwhile.
func TestPendingPrompts(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.config("[agents.demo]\nargs = [\"--delay=50ms\"]\n")
	p.run()
	s := p.create(api.NewSession{Agent: "demo", Prompt: "permit Bash ls", Cols: 100, Rows: 30})
	p.wait(s.ID, api.StatePermission)
	first, second, third := p.later(s.ID, "say one"), p.later(s.ID, "say two"), p.later(s.ID, "say three")
	if first.State != api.PendingWaits || first.Session != s.ID || first.At.IsZero() {
		t.Errorf("%+v", first)
	}
	var edited api.PendingPrompt
	p.call("POST", "/v1/pending/"+second.ID+"/edit", api.NewPending{Text: "say 2"}, &edited)
	if edited.Text != "say 2" || edited.ID != second.ID {
		t.Errorf("%+v", edited)
	}
	p.call("DELETE", "/v1/pending/"+third.ID, nil, nil)
	p.keeps(s.ID, 2)
	if err := p.try("DELETE", "/v1/pending/"+third.ID, nil, nil); api.CodeOf(err) != api.CodeNotFound {
		t.Errorf("cancelled twice: %v", err)
	}
	if _, err := p.send(s.ID, api.SendPrompt{Text: "say now"}); api.CodeOf(err) != api.CodeDialogOpen {
		t.Errorf("a prompt that is pending holds another one up: %v", err)
	}
	p.call("POST", "/v1/sessions/"+s.ID+"/input/raw", api.RawInput{Keys: []string{"1"}}, nil)
	p.settled()
	if got := p.prompts(s.ID); !slices.Equal(got, []string{"permit Bash ls", "say one", "say 2"}) {
		t.Errorf("it took %q", got)
	}
	p.keeps(s.ID, 0)
	for _, q := range p.pendings() {
		if q.State != api.PendingDelivered || q.Ended.IsZero() {
			t.Errorf("%+v", q)
		}
	}
	if err := p.try("POST", "/v1/pending/"+first.ID+"/edit", api.NewPending{Text: "x"}, nil); api.CodeOf(err) != api.CodeConflict {
		t.Errorf("changed after its delivery: %v", err)
	}
}

// TestPendingForEnded: prompts for a session that has ended wait for its next start, and fail
// when it is removed.
func TestPendingForEnded(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.config("[agents.demo]\nargs = [\"--delay=50ms\"]\n")
	p.spawn()
	s := p.create(api.NewSession{Agent: "demo", Prompt: "say first", Cols: 100, Rows: 30})
	p.wait(s.ID, api.StateIdle)
	p.call("POST", "/v1/sessions/"+s.ID+"/kill", api.Kill{}, nil)
	p.later(s.ID, "say again")
	p.kill9()
	p.spawn()
	if list := p.pendings(); len(list) != 1 || list[0].State != api.PendingWaits {
		t.Fatalf("after the daemon's death: %+v", list)
	}
	p.keeps(s.ID, 1)
	p.call("POST", "/v1/sessions/"+s.ID+"/restart", nil, nil)
	p.settled()
	if got := p.prompts(s.ID); !slices.Equal(got, []string{"say first", "say again"}) {
		t.Errorf("it took %q", got)
	}
	p.call("POST", "/v1/sessions/"+s.ID+"/kill", api.Kill{}, nil)
	lost := p.later(s.ID, "say lost")
	p.call("DELETE", "/v1/sessions/"+s.ID, nil, nil)
	p.settled()
	list := p.pendings()
	if last := list[len(list)-1]; last.ID != lost.ID || last.State != api.PendingFailed || !strings.Contains(last.Reason, "removed") {
		t.Errorf("%+v", last)
	}
}

// TestPendingOnceThroughDeaths kills the daemon at each point of a delivery: each prompt is
// typed once.
func TestPendingOnceThroughDeaths(t *testing.T) {
	t.Parallel()
	for _, point := range []string{pending.PauseClaimed, delivery.PauseExpecting, delivery.PauseTyped, delivery.PauseTaken, delivery.PauseNoted, pending.PauseDone} {
		t.Run(point, func(t *testing.T) {
			p := newPlace(t)
			p.config("[agents.demo]\nargs = [\"--delay=50ms\"]\n")
			p.spawn()
			s := p.create(api.NewSession{Agent: "demo", Prompt: "permit Bash ls", Cols: 100, Rows: 30})
			p.wait(s.ID, api.StatePermission)
			p.later(s.ID, "say one")
			p.later(s.ID, "say two")
			p.kill9()
			p.spawnDying(point)
			_ = p.try("POST", "/v1/sessions/"+s.ID+"/input/raw", api.RawInput{Keys: []string{"1"}}, nil) // the daemon may die of it
			p.died()
			p.spawn()
			p.settled()
			p.wait(s.ID, api.StateIdle)
			if got := p.prompts(s.ID); !slices.Equal(got, []string{"permit Bash ls", "say one", "say two"}) {
				t.Errorf("it took %q", got)
			}
			for _, q := range p.pendings() {
				if q.State != api.PendingDelivered {
					t.Errorf("%+v", q)
				}
			}
		})
	}
}
