package daemon

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/daemon/httpapi"
	"ccdir/policy/enforce"
	policyfile "ccdir/policy/file"
	"ccdir/sessions"
)

// TestKeysInLedger: what changes what a session may do is made once and is one row of
// the ledger, wherever the daemon dies, and one event.
func TestKeysInLedger(t *testing.T) {
	t.Parallel()
	const make, project, user = "Bash(make)", "Bash(ls *)", "Bash(cat *)"
	each(t, around(enforce.PauseRecorded), func(p *place, n int, point string) {
		if n == 0 {
			p.policy(testPolicy)
		}
		p.spawn()
		dir := filepath.Join(p.paths.Home, fmt.Sprint("project", n))
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		s := p.create(api.NewSession{CWD: dir, Argv: sh("exec sleep 1000")})
		p.kill9()
		at := "/v1/sessions/" + s.ID
		for i, c := range []struct {
			keyed
			decision string
			// holds reports whether what was asked for is so.
			holds func() bool
		}{
			{keyed{"POST", at + "/role", api.SetRole{Role: "lead"}}, api.LedgerRole, func() bool { return p.get(s.ID).Role == "lead" }},
			{keyed{"POST", at + "/override", api.SetOverride{Mode: api.OverrideReads}}, api.LedgerOverride, func() bool { return p.get(s.ID).Override != nil }},
			{keyed{"POST", "/v1/rules", api.NewRule{Session: s.ID, Scope: api.ScopeSession, Rule: make}}, api.LedgerRule, func() bool { return p.sessionRules(s) == make }},
			{keyed{"DELETE", at + "/rules?rule=" + make, nil}, api.LedgerRevoked, func() bool { return p.sessionRules(s) == "" }},
			{keyed{"POST", "/v1/rules", api.NewRule{Session: s.ID, Scope: api.ScopeProject, Rule: project}}, api.LedgerRule, func() bool { return p.ruleCount(filepath.Join(dir, policyfile.ProjectFile), project) == 1 }},
			{keyed{"POST", "/v1/rules", api.NewRule{Session: s.ID, Scope: api.ScopeUser, Rule: strings.Replace(user, "cat", fmt.Sprint("cat", n), 1)}}, api.LedgerRule,
				func() bool {
					return p.ruleCount(p.paths.PolicyFile(), strings.Replace(user, "cat", fmt.Sprint("cat", n), 1)) == 1
				}},
		} {
			before := len(p.rowsOf(s, c.decision))
			p.once(point, fmt.Sprintf("key%d-%d", n, i), c.keyed)
			if rows := p.rowsOf(s, c.decision); !c.holds() || len(rows) != before+1 || rows[before].Call == "" {
				t.Errorf("%s, %s %s: it holds: %t; rows %+v", point, c.method, c.path, c.holds(), rows)
			}
			if o := p.get(s.ID).Override; c.decision == api.LedgerOverride && !strings.Contains(p.rowsOf(s, c.decision)[before].Reason, o.Until.Format("2006-01-02T15:04:05Z")) {
				t.Errorf("%s: the override is %+v, the row says %+v", point, o, p.rowsOf(s, c.decision)[before])
			}
			p.kill9()
		}
		p.spawn()
		if told := strings.Count(p.eventTypes(s.ID), api.EventSessionPolicy); told != 2 {
			t.Errorf("%s: %d events", point, told)
		}
		p.ledgerIsWhole()
	})
}

// TestKeysOvertaken: what another call changed after the daemon's end is not changed
// back by the repeat of a call that is recorded: the newest row tells what holds.
func TestKeysOvertaken(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.policy(testPolicy)
	p.spawn()
	s := p.create(api.NewSession{Argv: sh("exec sleep 1000")})
	p.kill9()
	role := keyed{"POST", "/v1/sessions/" + s.ID + "/role", api.SetRole{Role: "lead"}}
	rule := keyed{"POST", "/v1/rules", api.NewRule{Session: s.ID, Scope: api.ScopeSession, Rule: "Bash(make)"}}
	for key, c := range map[string]keyed{"role": role, "rule": rule} {
		p.spawnDying(httpapi.PauseCallDone)
		if a, err := p.tryKeyed(key, c); err == nil {
			t.Fatalf("the daemon survived: %+v", a)
		}
		p.died()
	}
	p.spawn()
	p.call("POST", "/v1/sessions/"+s.ID+"/role", api.SetRole{Role: "dev"}, nil)
	p.call("DELETE", "/v1/sessions/"+s.ID+"/rules?rule=Bash(make)", nil, nil)
	for key, c := range map[string]keyed{"role": role, "rule": rule} {
		if a, err := p.tryKeyed(key, c); err != nil || a.status != http.StatusOK {
			t.Errorf("%s again: %v %+v", key, err, a)
		}
	}
	if v := p.get(s.ID); v.Role != "dev" || p.sessionRules(s) != "" {
		t.Errorf("the role is %s, the rules are %q", v.Role, p.sessionRules(s))
	}
	if roles, rules := p.rowsOf(s, api.LedgerRole), p.rowsOf(s, api.LedgerRule); len(roles) != 2 || roles[1].Role != "dev" || len(rules) != 1 {
		t.Errorf("rows %+v %+v", roles, rules)
	}
}

// TestKeysOnRecordedAnswer: an approval that was recorded and not given is one row
// when its call is repeated.
func TestKeysOnRecordedAnswer(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.policy(testPolicy)
	p.spawnDying(sessions.PauseRecorded)
	s := p.agentSession("one")
	r, ch := p.ask(s, "k1", "git push")
	c := keyed{"POST", "/v1/approvals/" + r.ID + "/approve", api.Answer{}}
	if a, err := p.tryKeyed("key", c); err == nil {
		t.Fatalf("the daemon survived: %+v", a)
	}
	p.died()
	<-ch
	p.spawn()
	again, ch := p.ask(s, "k1", "git push")
	if again.ID != r.ID {
		t.Errorf("the request was %s and is %s", r.ID, again.ID)
	}
	if a, err := p.tryKeyed("key", c); err != nil || a.status != http.StatusOK {
		t.Errorf("%v %+v", err, a)
	}
	if out := got(t, ch).reply.Stdout; !strings.Contains(out, `"allow"`) {
		t.Errorf("the hook prints %s", out)
	}
	if rows := p.decisions("by=person"); len(rows) != 1 || rows[0].Request != r.ID || rows[0].Decision != "allow" {
		t.Errorf("rows %+v", rows)
	}
	p.ledgerIsWhole()
}

// rowsOf are the rows of a session with that decision.
func (p *place) rowsOf(s api.Session, decision string) []api.LedgerRow {
	p.t.Helper()
	if p.cmd == nil {
		p.spawn()
		defer p.kill9()
	}
	return p.decisions("session=" + s.ID + "&decision=" + decision)
}

// sessionRules are the rules that a session was given.
func (p *place) sessionRules(s api.Session) string {
	p.t.Helper()
	var now api.SessionPolicy
	p.call("GET", "/v1/sessions/"+s.ID+"/policy", nil, &now)
	var rules []string
	for _, r := range now.Rules {
		rules = append(rules, r.Rule)
	}
	return strings.Join(rules, " ")
}

// ruleCount is how often a rule stands in a file.
func (p *place) ruleCount(file, rule string) int {
	p.t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		p.t.Error(err)
	}
	return strings.Count(string(text), rule)
}

// ledgerIsWhole checks the chain.
func (p *place) ledgerIsWhole() {
	p.t.Helper()
	var check api.LedgerCheck
	if p.call("GET", "/v1/decisions/verify", nil, &check); check.Problem != "" {
		p.t.Errorf("verify: %s", check.Problem)
	}
}
