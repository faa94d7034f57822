package approvals

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
	"testing/synctest"

	"ccdir/api"
)

// book is a Ledger and an Observer that notes everything.
type book struct {
	mu      sync.Mutex
	lines   []string
	rows    []api.Decision
	refuse  error
	panicky bool
}

func (k *book) Record(d api.Decision) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.panicky {
		panic("ledger")
	}
	if k.refuse != nil {
		return k.refuse
	}
	k.rows = append(k.rows, d)
	return nil
}

func (k *book) RequestOpened(r api.Request) { k.note("open " + r.ID) }

func (k *book) RequestEnded(d api.Decision) {
	k.note("end " + d.Request.ID + " " + string(d.Outcome))
}

func (k *book) note(line string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.panicky {
		panic("observer")
	}
	k.lines = append(k.lines, line)
}

func (k *book) all() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append([]string(nil), k.lines...)
}

// result of a Hold in the background.
type result struct {
	d   api.Decision
	err error
}

func hold(ctx context.Context, b *Broker, call string, r api.Request) <-chan result {
	out := make(chan result, 1)
	go func() {
		d, err := b.Hold(ctx, call, r)
		out <- result{d, err}
	}()
	return out
}

func bash(session, command string) api.Request {
	input, _ := json.Marshal(map[string]string{"command": command})
	return api.Request{Session: session, Tool: "Bash", Input: input, AlwaysRule: "Bash(" + command + ")"}
}

// one returns the only open request.
func one(t *testing.T, b *Broker) api.Request {
	t.Helper()
	synctest.Wait()
	list := b.List()
	if len(list) != 1 {
		t.Fatalf("%d requests are open, want 1: %v", len(list), list)
	}
	return list[0]
}

func want(t *testing.T, ch <-chan result, outcome api.RequestOutcome) api.Decision {
	t.Helper()
	synctest.Wait()
	select {
	case r := <-ch:
		if r.err != nil || r.d.Outcome != outcome {
			t.Fatalf("ended with %q (%s), error %v; want %q", r.d.Outcome, r.d.Reason, r.err, outcome)
		}
		return r.d
	default:
		t.Fatalf("it has not ended; want %q", outcome)
		return api.Decision{}
	}
}

var allow = api.Answer{Behavior: api.AnswerAllow}

// deciders are functions as Decider and LeadAsker.
type deciders func(context.Context, api.Request) (api.Answer, bool)

func (f deciders) Decide(ctx context.Context, r api.Request) (api.Answer, bool) { return f(ctx, r) }

func (f deciders) AskLead(ctx context.Context, r api.Request) (api.Answer, bool) { return f(ctx, r) }
