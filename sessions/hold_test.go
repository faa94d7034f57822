package sessions

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"ccdir/agents"
	"ccdir/agents/adapters"
	"ccdir/api"
)

// asker is a session of an agent whose hook holds its dialog back, and that cannot ask.
func asker(t *testing.T, a *desk) *session {
	t.Helper()
	s, err := a.find("aaaaaaaa")
	if err != nil {
		t.Fatal(err)
	}
	s.adapter, _ = adapters.Lookup(agents.KindCodex)
	return s
}

// call is what a hook of that kind reports about a command.
func call(kind api.EventKind, command string) agents.Hook {
	input, _ := json.Marshal(map[string]string{"command": command})
	return agents.Hook{Tool: "Bash", FullInput: input, ToolInput: input,
		Evidence: api.Evidence{Source: api.SourceHook, At: time.Now(), Kind: kind, Name: string(kind), Fields: map[string]string{"tool": "Bash"}}}
}

// TestHoldDialog: an answer within the time is the hook's reply. After it the hook returns without
// one, and the request stays open.
func TestHoldDialog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newDesk(t, &ledger{})
		defer a.Close()
		s := asker(t, a)
		const limit = 10 * time.Second
		type reply struct {
			d     api.Decision
			given bool
			err   error
		}
		ask := func(ctx context.Context, id string) <-chan reply {
			out := make(chan reply, 1)
			go func() {
				var r reply
				r.err = s.askBriefly(ctx, api.Caller{}, call(api.KindDialog, "touch "+id), id, limit, func(d api.Decision) { r.d, r.given = d, true })
				out <- r
			}()
			synctest.Wait()
			return out
		}
		first := ask(t.Context(), "one")
		if _, err := a.Answer(a.one().ID, api.ByPerson, allow); err != nil {
			t.Fatal(err)
		}
		if r := <-first; r.err != nil || !r.given || r.d.Answer.Behavior != api.AnswerAllow {
			t.Errorf("answered in time: %+v", r)
		}
		second := ask(t.Context(), "two")
		if r := <-second; r.err != nil || r.given {
			t.Errorf("not answered: %+v", r)
		}
		if q := a.one(); q.Tool != "Bash" {
			t.Errorf("open after the hook: %+v", q)
		}
		if _, err := a.Answer(a.one().ID, api.ByPerson, deny); err != nil {
			t.Errorf("answered after the hook: %v", err)
		}
		// The agent ended its hook: the dialog may open all the same.
		ctx, cancel := context.WithCancel(t.Context())
		third := ask(ctx, "three")
		cancel()
		if r := <-third; r.err == nil || r.given {
			t.Errorf("a hook that was ended: %+v", r)
		}
		a.evidence("aaaaaaaa", api.Evidence{Source: api.SourceHook, At: time.Now().Add(time.Second), Kind: api.KindTurnInterrupted, Says: api.StateIdle})
		synctest.Wait()
		if list := a.Requests(); len(list) != 0 {
			t.Errorf("open after the turn was interrupted: %+v", list)
		}
	})
}

// TestHoldTool: a call that the policy wants to be asked about waits. What a person allows runs,
// and is not asked about a second time when the agent itself asks; everything else is refused.
func TestHoldTool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newDesk(t, &ledger{})
		defer a.Close()
		s := asker(t, a)
		holder := s.adapter.(agents.ToolHolder)
		h := call(api.KindToolBegins, "make install")
		hold := func(id string) <-chan api.Verdict {
			out := make(chan api.Verdict, 1)
			go func() {
				v, err := s.holdTool(t.Context(), api.Caller{}, h, id, holder, api.Verdict{Effect: api.EffectAsk, Rule: "r", Reason: "the rule"})
				if err != nil {
					t.Error(err)
				}
				out <- v
			}()
			synctest.Wait()
			return out
		}
		allowed := hold("one")
		if _, err := a.Answer(a.one().ID, api.ByPerson, allow); err != nil {
			t.Fatal(err)
		}
		if v := <-allowed; v.Effect != api.EffectNone {
			t.Errorf("allowed: %+v", v)
		}
		asks := call(api.KindDialog, "make install")
		if !s.allowedBefore(t.Context(), asks) || s.allowedBefore(t.Context(), asks) {
			t.Error("what was allowed is asked about again, or allowed for ever")
		}
		denied := hold("two")
		if _, err := a.Answer(a.one().ID, api.ByPerson, api.Answer{Behavior: api.AnswerDeny, Message: "not now"}); err != nil {
			t.Fatal(err)
		}
		if v := <-denied; v.Effect != api.EffectDeny || v.Reason != "not now" || v.Rule != "" {
			t.Errorf("denied: %+v", v)
		}
		if v := <-hold("three"); v.Effect != api.EffectDeny || v.Rule != "r" { // after toolHold
			t.Errorf("nobody answered: %+v", v)
		}
		if s.allowedBefore(t.Context(), asks) {
			t.Error("a refused call counts as allowed")
		}
		_ = s.do(t.Context(), func() { s.allowed.add(allowedKey(h)) })
		_ = s.do(t.Context(), func() { s.hook(call(api.KindToolEnds, "make install"), "") })
		if s.allowedBefore(t.Context(), asks) {
			t.Error("a call that has ended is still allowed")
		}
	})
}

// TestWrites: the answer to a hook waits until what its tool is about to write has been read, for a while; it is told when it is given.
func TestWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newDesk(t, &ledger{})
		defer a.Close()
		ready := make(chan struct{})
		var answered <-chan struct{}
		a.o.Writes = func(_ api.Caller, _ api.ToolUse, told <-chan struct{}) <-chan struct{} {
			answered = told
			return ready
		}
		given := func() bool {
			select {
			case <-answered:
				return true
			default:
				return false
			}
		}
		waited := func() time.Duration {
			began := time.Now()
			wait := a.writes(api.Caller{}, api.ToolUse{})
			if given() {
				t.Error("the answer is said to be given while the policy decides")
			}
			wait()
			if !given() {
				t.Error("nothing is told of the answer")
			}
			return time.Since(began)
		}
		if d := waited(); d != writesTime {
			t.Errorf("a file that is not read holds the answer for %s", d)
		}
		close(ready)
		if d := waited(); d != 0 {
			t.Errorf("a file that is read holds the answer for %s", d)
		}
	})
}
