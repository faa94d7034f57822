package daemon

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/internal/tune/ratelimit"
)

// TestInsideIsNotThePerson: what runs in a session may not do what is for the
// person, however it was started; that is said and recorded.
func TestInsideIsNotThePerson(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.policy(testPolicy)
	p.run()
	in := p.inner(api.NewSession{Name: "one", Agent: "claude"})
	other := p.agentSession("two")
	r, _ := p.ask(in.s, "q1", "git push")
	for _, how := range ways() {
		for _, c := range []struct {
			method, path string
			body         any
		}{
			{"POST", "/v1/approvals/" + r.ID + "/approve", api.Answer{}},
			{"POST", "/v1/approvals/" + r.ID + "/deny", api.Answer{}},
			{"POST", "/v1/sessions/one/role", api.SetRole{Role: "lead"}},
			{"POST", "/v1/sessions/one/override", api.SetOverride{Mode: api.OverrideHandsOff}},
			{"POST", "/v1/rules", api.NewRule{Session: "one", Scope: api.ScopeUser, Rule: "Bash"}},
			{"DELETE", "/v1/sessions/one/rules?rule=x", nil},
			{"POST", "/v1/sessions/two/input", api.SendPrompt{Text: "hello"}},
			{"POST", "/v1/sessions/two/input/raw", api.RawInput{Data: []byte("y")}},
			{"POST", "/v1/sessions/one/input/raw", api.RawInput{Data: []byte("y")}},
			{"POST", "/v1/sessions/two/kill", api.Kill{}},
			{"POST", "/v1/sessions/two/rename", api.Rename{Name: "three"}},
			{"DELETE", "/v1/sessions/two", nil},
			{"POST", "/v1/sessions", api.NewSession{Argv: []string{"true"}, CWD: "/"}},
			{"GET", "/v1/sessions/one/host", nil},
			{"POST", "/v1/messages", api.NewMessage{To: "one", Text: "from the person"}},
			{"POST", "/v1/tasks", []api.NewTask{{Prompt: "x"}}},
			{"PUT", "/v1/grid", api.Grid{}},
			{"POST", "/v1/shutdown", api.Stop{}},
			{"GET", "/v1/caller?for=hooks+install", nil},
		} {
			before := len(p.decisions("decision=refused&session=one"))
			if got := in.call(how, c.method, c.path, c.body); !strings.HasPrefix(got, "403 ") || !strings.Contains(got, "inside a session of ccdir (one, role dev)") {
				t.Errorf("%s: %s %s: %s", how, c.method, c.path, got)
			}
			if rows := p.decisions("decision=refused&session=one"); len(rows) != before+1 && before < ratelimit.Burst {
				t.Errorf("%s: %s %s: %d rows, %d before", how, c.method, c.path, len(rows), before)
			}
		}
		// It may look, and name itself.
		for _, c := range [][2]string{{"GET", "/v1/sessions"}, {"GET", "/v1/approvals"}, {"GET", "/v1/decisions"}, {"GET", "/v1/caller"}} {
			if got := in.call(how, c[0], c[1], nil); !strings.HasPrefix(got, "200 ") {
				t.Errorf("%s %s: %s", c[0], c[1], got)
			}
		}
	}
	if got := in.call(asChild, "POST", "/v1/sessions/one/rename", api.Rename{Name: "first"}); !strings.HasPrefix(got, "200 ") {
		t.Errorf("it can't name itself: %s", got)
	}
	rows := p.decisions("decision=refused&session=first")
	if row := rows[0]; row.Name != "one" || row.Role != "dev" || row.By != api.ByDaemon || !strings.Contains(row.Tool, "/approve") || row.Reason == "" {
		t.Errorf("row %+v", row)
	}
	if types := p.eventTypes(in.s.ID); !strings.Contains(types, api.EventCallRefused) {
		t.Errorf("events %s", types)
	}
	if s := p.get("two"); s.ID != other.ID || s.State.Ended() || p.get("first").Role != "dev" {
		t.Errorf("something was done: %+v", s)
	}
	// The person still can.
	p.call("POST", "/v1/approvals/"+r.ID+"/approve", api.Answer{}, nil)
}

// TestInsideByEnvironment: the second sign, for processes that another server
// started for a session.
func TestInsideByEnvironment(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	s := p.agentSession("one")
	call := func(env ...string) string {
		return outside(t, env, p.paths.Socket(), "GET", "/v1/caller")
	}
	for _, c := range []struct {
		env  []string
		want string
	}{
		{nil, `200 {"inside":false}`},
		{[]string{api.EnvSession + "=" + s.ID, api.EnvToken + "=" + p.token(s)}, `"inside":true,"session":"` + s.ID + `","name":"one","role":"dev"`},
		{[]string{api.EnvSession + "=" + s.ID, api.EnvToken + "=x"}, `{"inside":true,"why"`},
		{[]string{api.EnvSession + "=elsewher", api.EnvToken + "=x"}, `200 {"inside":false}`},
	} {
		if got := call(c.env...); !strings.Contains(got, c.want) {
			t.Errorf("%q: %s, want %s", c.env, got, c.want)
		}
	}
}

// TestLeadFromInside: a lead answers for the sessions that it leads, once, and
// within its role; it sends to and ends sessions, as its tools let it.
func TestLeadFromInside(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.policy("[roles.dev]\nask = ['Bash(make *)', 'Bash(rm *)']\n[roles.lead]\nallow = ['Bash(make *)']\n")
	p.config(demoWithoutStatus)
	p.run()
	lead := p.inner(api.NewSession{Name: "boss", Agent: "claude", Role: api.RoleLead})
	boss := p.bridge(lead.s, "/")
	want(t, "spawn", boss.call("session_spawn", `{"name":"one"}`), `"name":"one"`)
	led, stranger := p.get("one"), p.agentSession("two")
	answer := func(r api.Request, verb string, a api.Answer) string {
		return lead.call(asChild, "POST", "/v1/approvals/"+r.ID+"/"+verb, a)
	}
	makes, ch := p.ask(led, "m1", "make x")
	removes, _ := p.ask(led, "m2", "rm x")
	foreign, _ := p.ask(stranger, "m3", "make y")
	own, _ := p.ask(lead.s, "m4", "unknown")
	for name, got := range map[string]string{
		"beyond its role":            answer(removes, "approve", api.Answer{}),
		"for always":                 answer(makes, "approve", api.Answer{Always: true}),
		"something else":             answer(makes, "approve", api.Answer{Input: json.RawMessage(`{"command":"make z"}`)}),
		"of a session of another":    answer(foreign, "approve", api.Answer{}),
		"of itself":                  answer(own, "approve", api.Answer{}),
		"a denial for another's":     answer(foreign, "deny", api.Answer{}),
		"types into a dialog":        lead.call(asChild, "POST", "/v1/sessions/one/input/raw", api.RawInput{Data: []byte("1")}),
		"takes another role":         lead.call(asChild, "POST", "/v1/sessions/boss/role", api.SetRole{Role: "person"}),
		"gives another one its role": lead.call(asChild, "POST", "/v1/sessions/one/role", api.SetRole{Role: "lead"}),
	} {
		if !strings.HasPrefix(got, "403 ") {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := answer(makes, "approve", api.Answer{}); !strings.HasPrefix(got, "200 ") {
		t.Errorf("within its role: %s", got)
	}
	if out := got(t, ch).reply.Stdout; !strings.Contains(out, `"behavior":"allow"`) {
		t.Errorf("the hook prints %s", out)
	}
	if got := answer(removes, "deny", api.Answer{Message: "no"}); !strings.HasPrefix(got, "200 ") {
		t.Errorf("a denial: %s", got)
	}
	rows := p.decisions("by=lead")
	if len(rows) != 2 || rows[0].Lead != lead.s.ID || rows[0].Session != led.ID || rows[1].Decision != "deny" {
		t.Errorf("rows %+v", rows)
	}
	for path, want := range map[string]string{"/v1/sessions/one/explain": "200 ", "/v1/sessions/one/transcript": "200 ", "/v1/sessions/two/transcript": "403 "} {
		if got := lead.call(asChild, "GET", path, nil); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	if got := lead.call(asChild, "POST", "/v1/sessions/one/kill", api.Kill{Force: true}); !strings.HasPrefix(got, "200 ") {
		t.Errorf("it can't end what it started: %s", got)
	}
}

// TestYourShells: where the configuration says so, a shell in a pane is the
// person's; agents are not.
func TestYourShells(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.config("shells_are_yours = true\n")
	p.run()
	shell, agent := p.inner(api.NewSession{Name: "shell"}), p.inner(api.NewSession{Name: "agent", Agent: "claude"})
	const path = "/v1/sessions/agent/role"
	if got := agent.call(asChild, "POST", path, api.SetRole{Role: "lead"}); !strings.HasPrefix(got, "403 ") {
		t.Errorf("an agent: %s", got)
	}
	if got := shell.call(asChild, "POST", path, api.SetRole{Role: "lead"}); !strings.HasPrefix(got, "200 ") {
		t.Errorf("the shell: %s", got)
	}
	var a api.HostAddress
	p.call("GET", "/v1/sessions/agent/host", nil, &a)
	if got := shell.run(asChild, a.Socket, "DIAL", a.Ticket, nil); got != "200" {
		t.Errorf("the shell dials a host: %s", got)
	}
}

// TestHostFromInside: a ticket that was read from the disk lets no agent type.
func TestHostFromInside(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	in, other := p.inner(api.NewSession{Name: "one", Agent: "claude"}), p.agentSession("two")
	for _, ref := range []string{in.s.ID, other.ID} {
		var a api.HostAddress
		p.call("GET", "/v1/sessions/"+ref+"/host", nil, &a)
		for _, how := range ways() {
			if got := in.run(how, a.Socket, "DIAL", a.Ticket, nil); !strings.Contains(got, "inside a session") {
				t.Errorf("%s: %s", how, got)
			}
		}
		for try := range tries {
			if got := in.run(asChild, a.Socket, "DIAL", a.Ticket, try); !strings.Contains(got, "inside a session") {
				t.Errorf("%s: %s", try, got)
			}
		}
		if got := in.run(asChild, a.Socket, "DIAL", a.Ticket, "looks"); got != "200" {
			t.Errorf("to look: %s", got)
		}
	}
}

// TestToolsFromInside: the tools of ccdir are not to be had as a guest, with
// fewer rules, nor with the token of another session.
func TestToolsFromInside(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	in, other := p.inner(api.NewSession{Name: "one", Agent: "claude"}), p.agentSession("two")
	bridge := func(env ...string) string {
		env = agents.SetEnv(env, api.EnvSocket+"="+p.paths.Socket())
		out := filepath.Join(in.dir, fmt.Sprint("mcp", len(env)))
		line := "env -i " + strings.Join(env, " ") + " " + shimPath + ` mcp </dev/null >` + out + `.part 2>&1; mv ` + out + ".part " + out + "\n"
		p.call("POST", "/v1/sessions/one/input/raw", api.RawInput{Data: []byte(line)}, nil)
		var got []byte
		until(t, "the bridge's end", func() bool {
			var err error
			got, err = os.ReadFile(out)
			return err == nil
		})
		return string(got)
	}
	if got := bridge(); !strings.Contains(got, "inside a session of ccdir") {
		t.Errorf("as a guest: %s", got)
	}
	if got := bridge(api.EnvSession+"="+other.ID, api.EnvToken+"="+p.token(other)); !strings.Contains(got, "another session") {
		t.Errorf("as another session: %s", got)
	}
	if rows := p.decisions("decision=refused"); len(rows) != 2 || rows[0].Session != in.s.ID {
		t.Errorf("rows %+v", rows)
	}
	// What a tool runs is the agent's too, though its parent is the daemon.
	b := p.bridge(in.s, "/")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	call := quoted(strings.Join([]string{p.paths.Socket(), "POST", "/v1/sessions/one/role", `{"role":"lead"}`}, "\n"))
	for _, command := range []string{"CCDIR_TEST_CALL=" + call + " " + exe, "exec env -i CCDIR_TEST_CALL=" + call + " " + exe} {
		input, err := json.Marshal(map[string]string{"command": command})
		if err != nil {
			t.Fatal(err)
		}
		want(t, "a tool's command", b.call("bash", string(input)), "403 ")
	}
}
