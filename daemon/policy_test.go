package daemon

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/agents/claude"
	"ccdir/api"
	"ccdir/internal/disk/paths"
)

const testPolicy = `
[roles.dev]
allow = ["Bash(git *)", "Read(./**)"]
ask = ["Bash(git push *)"]
deny = ["Bash(rm *)"]

[roles.lead]
allow = ["Bash(git *)", "Bash(make *)"]
`

// policy writes the user's policy file.
func (p *place) policy(text string) {
	p.t.Helper()
	if err := os.MkdirAll(p.paths.Config, 0o700); err != nil {
		p.t.Fatal(err)
	}
	file := p.paths.PolicyFile()
	tmp := file + ".new"
	if err := os.WriteFile(tmp, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	if err := os.Rename(tmp, file); err != nil {
		p.t.Fatal(err)
	}
}

// pretool calls PreToolUse for a command and returns what the hook prints.
func (p *place) pretool(s api.Session, id, command string) string {
	p.t.Helper()
	var reply api.HookReply
	err := p.post(context.Background(), s.ID, p.token(s), claude.HookPreToolUse, id, bashUse(command), &reply)
	if err != nil {
		p.t.Fatal(err)
	}
	return reply.Stdout
}

func bashUse(command string) string {
	return hookJSON(claude.HookPreToolUse, fmt.Sprintf(`"tool_name":"Bash","tool_input":{"command":%q}`, command))
}

// decision is the word in a PreToolUse hook's answer.
func decision(stdout string) string {
	_, rest, _ := strings.Cut(stdout, `"permissionDecision":"`)
	word, _, _ := strings.Cut(rest, `"`)
	return word
}

func (p *place) decisions(query string) []api.LedgerRow {
	p.t.Helper()
	var rows []api.LedgerRow
	p.call("GET", "/v1/decisions?"+query, nil, &rows)
	return rows
}

// TestPolicyAnswersHooks: each effect at the PreToolUse hook, none without a
// rule; a change of the file holds at once, a faulty one leaves the last good
// policy; every decision is a row.
func TestPolicyAnswersHooks(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	s := p.agentSession("one")
	if out := p.pretool(s, "a0", "rm -rf /x"); out != "" {
		t.Fatalf("without a policy file: %s", out)
	}
	p.policy(testPolicy)
	for i, c := range []struct{ command, want string }{
		{"git status", "allow"}, {"git push", "ask"}, {"ls; rm x", "deny"}, {"make", ""}, {"git status && make", ""},
	} {
		if got := decision(p.pretool(s, fmt.Sprint("b", i), c.command)); got != c.want {
			t.Errorf("%s: %q, want %q", c.command, got, c.want)
		}
	}
	p.policy(testPolicy + "nonsense = [\n")
	if got := decision(p.pretool(s, "c1", "rm x")); got != "deny" {
		t.Errorf("with a faulty file: %q", got)
	}
	until(t, "the fault to be told", func() bool { return strings.Contains(p.eventTypes(""), api.EventPolicyError) })
	p.policy("[roles.dev]\nallow = ['Bash(make *)']\n")
	if got := decision(p.pretool(s, "c2", "make")); got != "allow" {
		t.Errorf("with the new policy: %q", got)
	}
	var got []string
	for _, r := range p.decisions("session=one") {
		if r.Rule == "" || r.Line == 0 || r.By != api.ByPolicy || r.Role != "dev" || r.Hook != claude.HookPreToolUse || r.Hash == "" {
			t.Errorf("row %+v", r)
		}
		got = append(got, r.Decision+" "+r.Rule)
	}
	if want := "allow Bash(git *), ask Bash(git push *), deny Bash(rm *), deny Bash(rm *), allow Bash(make *)"; strings.Join(got, ", ") != want {
		t.Errorf("rows %s", strings.Join(got, ", "))
	}
}

// TestLossFile: hooks learn what to answer without a daemon, also when the
// policy changes while the session runs.
func TestLossFile(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	s := p.agentSession("")
	word := func() string {
		data, err := os.ReadFile(filepath.Join(p.paths.SessionDir(s.ID), paths.LossFile))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	if w := word(); w != api.EffectNone {
		t.Errorf("without a policy: %q", w)
	}
	for _, c := range []struct{ policy, want string }{
		{testPolicy, api.EffectAsk}, {"on_daemon_loss = 'deny'\n" + testPolicy, api.EffectDeny}, {"on_daemon_loss = 'none'\n" + testPolicy, api.EffectNone},
	} {
		p.policy(c.policy)
		p.pretool(s, "x"+c.want, "ls")
		until(t, "the file to say "+c.want, func() bool { return word() == c.want })
	}
}

// ask makes a permission request for a command and waits until it is open.
func (p *place) ask(s api.Session, id, command string) (api.Request, <-chan heldReply) {
	p.t.Helper()
	ch := p.held(s, id, strings.Replace(bashUse(command), `"PreToolUse"`, `"PermissionRequest"`, 1))
	var found api.Request
	until(p.t, "the request", func() bool {
		for _, r := range p.approvals() {
			if r.Session == s.ID && strings.Contains(string(r.Input), command) {
				found = r
				return true
			}
		}
		return false
	})
	return found, ch
}

// TestScopes: an approval for always writes the rule that was shown, where it was
// shown, and the next same call is not asked about; scopes that would not help
// are not offered.
func TestScopes(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.policy("# mine\n" + testPolicy)
	p.run()
	project := filepath.Join(p.paths.Home, "work")
	if err := os.MkdirAll(filepath.Join(project, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	s := p.create(api.NewSession{Name: "one", Agent: "claude", Argv: sh("exec sleep 1000"), CWD: project})
	offered := func(r api.Request) (out string) {
		for _, sc := range r.Scopes {
			out += sc.Scope + " "
		}
		return out
	}
	// A rule that asks beats an allow rule of a file, but not what the person said
	// about this session.
	r, ch := p.ask(s, "p1", "git push origin")
	if got := offered(r); got != "session " || r.AlwaysRule != "Bash(git push origin)" || !strings.Contains(r.Rule, "Bash(git push *) (") || r.Role != "dev" {
		t.Fatalf("offered %q, %+v", got, r)
	}
	p.wantCode(api.CodeInvalid, "POST", "/v1/approvals/"+r.ID+"/approve", api.Answer{Always: true, Scope: api.ScopeUser})
	p.call("POST", "/v1/approvals/"+r.ID+"/approve", api.Answer{Always: true}, nil)
	if out := got(t, ch).reply.Stdout; !strings.Contains(out, `"allow"`) || strings.Contains(out, "updatedPermissions") {
		t.Errorf("the hook prints %s", out)
	}
	if got := decision(p.pretool(s, "p2", "git push origin")); got != "allow" {
		t.Errorf("after always: %q", got)
	}
	if got := decision(p.pretool(s, "p3", "git push origin main")); got != "ask" {
		t.Errorf("another push: %q", got)
	}
	for i, c := range []struct{ scope, command string }{{api.ScopeProject, "make a"}, {api.ScopeProject, "make b"}, {api.ScopeUser, "make c"}} {
		r, ch := p.ask(s, fmt.Sprint("q", i), c.command)
		if got := offered(r); got != "session project user " {
			t.Fatalf("offered %q", got)
		}
		p.call("POST", "/v1/approvals/"+r.ID+"/approve", api.Answer{Always: true, Scope: c.scope}, nil)
		got(t, ch)
		if got := decision(p.pretool(s, fmt.Sprint("r", i), c.command)); got != "allow" {
			t.Errorf("%s after always for the %s: %q", c.command, c.scope, got)
		}
	}
	user, _ := os.ReadFile(p.paths.PolicyFile())
	if !strings.HasPrefix(string(user), "# mine\n") || !strings.Contains(string(user), `"Bash(make c)", "Bash(git *)"`) || !strings.Contains(string(user), "[trust]") {
		t.Errorf("the user's policy:\n%s", user)
	}
	info, err := os.Stat(filepath.Join(project, ".ccdir", "policy.toml"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the project's policy: %v %v", info, err)
	}
	// The rules are rows, and the session's can be taken back.
	if rows := p.decisions("decision=rule"); len(rows) != 4 || rows[0].Scope != "session" || rows[3].Line == 0 || rows[3].Request == "" {
		t.Errorf("rows %+v", rows)
	}
	p.call("DELETE", "/v1/sessions/one/rules?rule=Bash%28git+push+origin%29", nil, nil)
	if got := decision(p.pretool(s, "p4", "git push origin")); got != "ask" {
		t.Errorf("after revoking: %q", got)
	}
	p.wantCode(api.CodeNotFound, "DELETE", "/v1/sessions/one/rules?rule=x", nil)
	// A faulty file is not written into.
	p.policy(testPolicy + "oops")
	p.wantCode(api.CodeInvalid, "POST", "/v1/rules", api.NewRule{Session: "one", Scope: api.ScopeUser, Rule: "Bash(x)"})
	if data, _ := os.ReadFile(p.paths.PolicyFile()); string(data) != testPolicy+"oops" {
		t.Errorf("the faulty file was changed:\n%s", data)
	}
}

// TestEditedInput: a person may allow something else instead, unless the policy
// denies that.
func TestEditedInput(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.policy(testPolicy)
	p.run()
	s := p.agentSession("one")
	r, ch := p.ask(s, "e1", "git push")
	if !r.Editable {
		t.Errorf("not editable: %+v", r)
	}
	approve := "/v1/approvals/" + r.ID + "/approve"
	p.wantCode(api.CodeForbidden, "POST", approve, api.Answer{Input: []byte(`{"command":"rm -rf x"}`)})
	p.wantCode(api.CodeInvalid, "POST", approve, api.Answer{Input: []byte(`[]`)})
	p.wantCode(api.CodeInvalid, "POST", approve, api.Answer{Input: []byte(`{"command":"a"}`), Always: true})
	p.call("POST", approve, api.Answer{Input: []byte(`{"command":"git push --dry-run"}`)}, nil)
	if out := got(t, ch).reply.Stdout; !strings.Contains(out, `"updatedInput":{"command":"git push --dry-run"}`) {
		t.Errorf("the hook prints %s", out)
	}
	rows := p.decisions("session=one")
	last, refused := rows[len(rows)-1], rows[len(rows)-2]
	if last.Decision != "allow" || last.By != api.ByPerson || last.Client == "" || !strings.Contains(string(last.Edited), "dry-run") || last.LatencyMS <= 0 {
		t.Errorf("row %+v", last)
	}
	if refused.Decision != "deny" || refused.Rule != "Bash(rm *)" || !strings.Contains(string(refused.Edited), "rm -rf") {
		t.Errorf("row %+v", refused)
	}
}

// TestUnreadableUse: what cannot be read is not left to the agent's own mode where a
// policy is in force, whatever is to hold without a daemon.
func TestUnreadableUse(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	s := p.agentSession("one")
	deep := hookJSON(claude.HookPreToolUse, `"tool_name":"Bash","tool_input":{"command":"rm x","x":`+strings.Repeat("[", 20_000)+strings.Repeat("]", 20_000)+`}`)
	ask := func(id, hook, payload string) (string, error) {
		var reply api.HookReply
		err := p.post(context.Background(), s.ID, p.token(s), hook, id, payload, &reply)
		return reply.Stdout, err
	}
	if out, err := ask("a", claude.HookPreToolUse, deep); api.CodeOf(err) != api.CodeInvalid {
		t.Errorf("without a policy: %q, %v", out, err)
	}
	p.policy("on_daemon_loss = 'none'\n" + testPolicy)
	for id, payload := range map[string]string{"b": deep, "c": "null", "d": `{"tool_name":`, "e": ""} {
		if out, err := ask(id, claude.HookPreToolUse, payload); err != nil || decision(out) != "deny" {
			t.Errorf("%.20q: %q, %v", payload, out, err)
		}
	}
	if out, err := ask("f", claude.HookPostToolUse, "null"); api.CodeOf(err) != api.CodeInvalid {
		t.Errorf("another hook: %q, %v", out, err)
	}
	if rows := p.decisions("decision=deny"); len(rows) != 4 || rows[0].Reason == "" {
		t.Errorf("%d rows: %+v", len(rows), rows)
	}
}

// TestForgedHooks: calls without the token, and another call under an id that was
// answered, are refused and recorded.
func TestForgedHooks(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.policy(testPolicy)
	p.run()
	s, other := p.agentSession("one"), p.agentSession("two")
	p.pretool(s, "id1", "git status")
	for name, err := range map[string]error{
		"no token":       p.hookWith(s.ID, "", claude.HookPreToolUse, "x1", bashUse("git status")),
		"another token":  p.hookWith(s.ID, p.token(other), claude.HookPreToolUse, "x2", bashUse("git status")),
		"no session":     p.hookWith("nobody", p.token(s), claude.HookPreToolUse, "x3", bashUse("git status")),
		"a replayed id":  p.hookWith(s.ID, p.token(s), claude.HookPreToolUse, "id1", bashUse("make")),
		"an id's hook":   p.hookWith(s.ID, p.token(s), claude.HookPermissionRequest, "id1", bashUse("git status")),
		"a wrong length": p.hookWith(s.ID, p.token(s)+"0", claude.HookPreToolUse, "x4", bashUse("git status")),
	} {
		if api.CodeOf(err) != api.CodeForbidden {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := decision(p.pretool(s, "id1", "git status")); got != "allow" {
		t.Errorf("the same call again: %q", got)
	}
	if rows := p.decisions("decision=refused"); len(rows) != 6 || rows[0].By != api.ByDaemon || rows[0].Reason == "" {
		t.Errorf("%d rows: %+v", len(rows), rows)
	}
	if n := len(p.decisions("decision=allow")); n != 1 {
		t.Errorf("%d approvals are recorded", n)
	}
	// A policy file that others may write is none.
	if err := os.Chmod(p.paths.PolicyFile(), 0o666); err != nil {
		t.Fatal(err)
	}
	p.pretool(s, "id2", "git status")
	until(t, "the open file to be told", func() bool { return strings.Contains(p.eventTypes(""), api.EventPolicyError) })
	if got := decision(p.pretool(s, "id3", "rm x")); got != "deny" {
		t.Errorf("the last good policy: %q", got)
	}
}

// TestLeadIsAsked: by its mailbox; its reply alone counts, and only for what its
// own role has.
func TestLeadIsAsked(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.policy("[roles.dev]\nask = ['Bash(make *)', 'Bash(rm *)']\n[roles.lead]\nallow = ['Bash(make *)']\n")
	p.config(demoWithoutStatus)
	p.run()
	lead := p.create(api.NewSession{Name: "boss", Agent: "claude", Argv: sh("exec sleep 1000"), Role: api.RoleLead})
	boss := p.bridge(lead, "/")
	want(t, "spawn", boss.call("session_spawn", `{"name":"one"}`), `"name":"one"`)
	s := p.get("one")
	other := p.agentSession("two")
	inbox := func() (list []api.Message) {
		p.call("GET", "/v1/messages?session="+lead.ID, nil, &list)
		return list
	}
	for i, c := range []struct{ reply, want string }{{"deny: too early", `"behavior":"deny","message":"too early"`}, {"Allow.", `"behavior":"allow"`}} {
		command := fmt.Sprint("make ", i)
		_, ch := p.ask(s, fmt.Sprint("l", i), command)
		var m api.Message
		until(t, "the lead's message", func() bool {
			for _, m = range inbox() {
				if strings.Contains(m.Text, command) {
					return true
				}
			}
			return false
		})
		// What another session replies is nothing.
		o := p.bridge(other, "/")
		o.call("message_send", fmt.Sprintf(`{"to":"person","text":"allow","reply":%d}`, m.ID))
		boss.call("message_send", fmt.Sprintf(`{"to":"person","text":%q,"reply":%d}`, c.reply, m.ID))
		if out := got(t, ch).reply.Stdout; !strings.Contains(out, c.want) {
			t.Errorf("%q: the hook prints %s", c.reply, out)
		}
	}
	rows := p.decisions("by=lead")
	if len(rows) != 2 || rows[0].Decision != "deny" || rows[1].Decision != "allow" || rows[1].Lead != lead.ID || rows[1].Session != s.ID {
		t.Errorf("rows %+v", rows)
	}
	// What its role does not have, nobody asks it.
	n := len(inbox())
	r, _ := p.ask(s, "l9", "rm x")
	until(t, "the request to be the person's", func() bool {
		for _, q := range p.approvals() {
			if q.ID == r.ID && q.Stage == api.StagePerson {
				return true
			}
		}
		return false
	})
	if len(inbox()) != n {
		t.Error("the lead was asked beyond its role")
	}
}
