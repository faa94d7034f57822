package daemon

import (
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/sessions"
)

// TestKilledBetweenLedgerAndAnswer: an approval is in the ledger before anybody
// acts on it. A daemon that dies in between has given nothing away: the next one
// opens the request again, and an answer there is a row of its own.
func TestKilledBetweenLedgerAndAnswer(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.policy(testPolicy)
	p.spawnDying(sessions.PauseRecorded)
	s := p.agentSession("one")
	r, ch := p.ask(s, "k1", "git push")
	if err := p.try("POST", "/v1/approvals/"+r.ID+"/approve", api.Answer{}, nil); err == nil {
		t.Fatal("the daemon survived")
	}
	p.died()
	if reply := got(t, ch); reply.err == nil {
		t.Fatalf("the hook was answered %+v", reply)
	}
	p.spawn()
	if rows := p.decisions("by=person"); len(rows) != 1 || rows[0].Request != r.ID || rows[0].Decision != "allow" {
		t.Errorf("rows %+v", rows)
	}
	if types := p.eventTypes(s.ID); strings.Contains(types, api.EventPermissionEnded) {
		t.Errorf("events %s", types)
	}
	again, ch := p.ask(s, "k1", "git push") // the hook process dials again, with the same id
	if again.ID != r.ID {
		t.Errorf("the request was %s and is %s", r.ID, again.ID)
	}
	p.call("POST", "/v1/approvals/"+again.ID+"/deny", api.Answer{}, nil)
	if out := got(t, ch).reply.Stdout; !strings.Contains(out, `"deny"`) {
		t.Errorf("the hook prints %s", out)
	}
	rows := p.decisions("by=person")
	if len(rows) != 2 || rows[1].Request != r.ID || rows[1].Decision != "deny" {
		t.Errorf("rows %+v", rows)
	}
	var check api.LedgerCheck
	p.call("GET", "/v1/decisions/verify", nil, &check)
	if check.Problem != "" {
		t.Errorf("verify: %s", check.Problem)
	}
}
