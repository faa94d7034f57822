package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"ccdir/internal/agents"
	"ccdir/internal/api"
	"ccdir/internal/hostwire"
)

// callMain is a process that makes one call (CCDIR_TEST_CALL: socket, method,
// path and body, a line each) and prints the answer's status and body. The method
// DIAL dials a host: path is the ticket, the body what is tried there.
func callMain() int {
	part := strings.SplitN(os.Getenv("CCDIR_TEST_CALL"), "\n", 4)
	socket, method, path := part[0], part[1], part[2]
	if method == "DIAL" {
		if err := dialHost(socket, path, strings.Trim(part[3], `"`)); err != nil {
			fmt.Println("refused", err)
			return 0
		}
		fmt.Println("200")
		return 0
	}
	client := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}}}
	req, err := http.NewRequest(method, "http://ccdir"+path, strings.NewReader(part[3]))
	if err != nil {
		fmt.Println(err)
		return 1
	}
	resp, err := client.Do(req)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 4096)) // enough to judge; a stream's beginning
	fmt.Println(resp.StatusCode, strings.TrimSpace(string(body)))
	return 0
}

// tries are what a connection that begins by looking goes on with.
var tries = map[string]hostwire.Message{
	"input": &hostwire.Input{Type: hostwire.InputKey, Text: []byte("x")},
	"size":  &hostwire.View{Visible: true, Cols: 33, Rows: 11},
	"claim": &hostwire.View{Visible: true, Claim: true},
	"keys":  &hostwire.Request{ID: 1, Method: hostwire.MethodKeys, Params: json.RawMessage(`{"keys":["x"]}`)},
}

// dialHost connects to a host: try is "" for a connection that may type, "looks"
// for one that may not, or one of tries. The error is the host's refusal.
func dialHost(socket, ticket, try string) error {
	conn, _, err := hostwire.Dial(context.Background(), socket, hostwire.Hello{Ticket: ticket, ReadOnly: try == "looks", Looks: tries[try] != nil})
	if err != nil {
		return err
	}
	defer conn.Close()
	const ping = 2
	for _, m := range []hostwire.Message{tries[try], &hostwire.Request{ID: ping, Method: hostwire.MethodPing}} {
		if m != nil {
			_ = conn.Send(m) // the answer tells
		}
	}
	for {
		m, err := conn.Receive()
		if err != nil {
			return err
		}
		switch m := m.(type) {
		case *hostwire.Error:
			return m
		case *hostwire.Response:
			if m.ID == ping {
				return nil
			}
		}
	}
}

// inner is a session whose shell makes calls.
type inner struct {
	p   *place
	s   api.Session
	dir string
	n   int
}

// inner starts a session that runs the commands that are typed into it.
func (p *place) inner(n api.NewSession) *inner {
	p.t.Helper()
	dir := p.t.TempDir()
	n.Argv = sh(`while read -r line; do eval "$line"; done`)
	return &inner{p: p, s: p.create(n), dir: dir}
}

// how the process that calls is started: %s is the program with its environment.
const (
	asChild    = "%s"
	asDetached = "(setsid env -i %s &)"
)

func ways() []string {
	if runtime.GOOS == "linux" {
		return []string{asChild, asDetached}
	}
	return []string{asChild} // nobody adopts what detached itself
}

// call makes a call from inside the session and returns what it printed.
func (i *inner) call(how, method, path string, body any) string {
	i.p.t.Helper()
	return i.run(how, i.p.paths.Socket(), method, path, body)
}

func (i *inner) run(how, socket, method, path string, body any) string {
	i.p.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		i.p.t.Fatal(err)
	}
	data := []byte{}
	if body != nil {
		if data, err = json.Marshal(body); err != nil {
			i.p.t.Fatal(err)
		}
	}
	i.n++
	script, out := filepath.Join(i.dir, fmt.Sprint("call", i.n)), filepath.Join(i.dir, fmt.Sprint("out", i.n))
	call := fmt.Sprintf("CCDIR_TEST_CALL=%s %s >%s.part", quoted(strings.Join([]string{socket, method, path, string(data)}, "\n")), exe, out)
	inner := "sh " + script
	if err := os.WriteFile(script, []byte(call+"; mv "+out+".part "+out+"\n"), 0o700); err != nil {
		i.p.t.Fatal(err)
	}
	i.p.call("POST", "/v1/sessions/"+i.s.ID+"/input/raw", api.RawInput{Data: []byte(fmt.Sprintf(how, inner) + "\n")}, nil)
	var got []byte
	until(i.p.t, "the call from inside", func() bool {
		got, err = os.ReadFile(out)
		return err == nil
	})
	return strings.TrimSpace(string(got))
}

// outside makes a call from a process that is not below the session.
func outside(t *testing.T, env []string, socket, method, path string) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(env, "CCDIR_TEST_CALL="+strings.Join([]string{socket, method, path, ""}, "\n"))
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(bytes.TrimSpace(out))
}

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
			if rows := p.decisions("decision=refused&session=one"); len(rows) != before+1 && before < refusalBurst {
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
	p.config("default_agent = \"demo\"\n")
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
