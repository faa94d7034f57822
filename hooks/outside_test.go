package hooks

import (
	"context"
	"net/http"
	"testing"
	"time"

	"ccdir/api"
)

// outsideRegistry is a Registry that takes calls from outside as well.
type outsideRegistry struct {
	registry
	calls []Call
}

func (o *outsideRegistry) ExternalHook(_ context.Context, pid int, hook, id string, at time.Time, payload []byte) error {
	o.calls = append(o.calls, Call{PID: pid, Hook: hook, ID: id, At: at, Payload: payload})
	return nil
}

func TestCallsFromOutside(t *testing.T) {
	inside := 0
	o := &outsideRegistry{registry: func(context.Context, Call) (api.HookReply, error) {
		inside++
		return api.HookReply{}, nil
	}}
	e := NewEndpoint(o, clock)
	for _, id := range []string{"1", "1", "2"} { // a repeat is no second call
		if r := post(e, `{"a":1}`, api.HeaderPID, "4711", api.HeaderHook, "Stop", api.HeaderHookID, id); r.Code != http.StatusOK {
			t.Fatalf("%d %s", r.Code, r.Body)
		}
	}
	if len(o.calls) != 2 || o.calls[0].PID != 4711 || o.calls[0].Hook != "Stop" || string(o.calls[0].Payload) != `{"a":1}` {
		t.Errorf("calls: %+v", o.calls)
	}
	// The same id of another process is another call.
	post(e, `{}`, api.HeaderPID, "4712", api.HeaderHook, "Stop", api.HeaderHookID, "1")
	if len(o.calls) != 3 {
		t.Errorf("%d calls", len(o.calls))
	}
	for _, pid := range []string{"", "0", "1", "-5", "x"} {
		if r := post(e, `{}`, api.HeaderPID, pid, api.HeaderHook, "Stop"); r.Code != http.StatusBadRequest {
			t.Errorf("pid %q: %d", pid, r.Code)
		}
	}
	// A session's call stays one, whatever else it says.
	post(e, `{}`, api.HeaderSession, "s", api.HeaderPID, "4711", api.HeaderHook, "Stop")
	if inside != 1 || len(o.calls) != 3 {
		t.Errorf("%d inside, %d outside", inside, len(o.calls))
	}
	if r := post(NewEndpoint(o.registry, clock), `{}`, api.HeaderPID, "4711", api.HeaderHook, "Stop"); r.Code != http.StatusForbidden {
		t.Errorf("a registry without: %d", r.Code)
	}
}
