package daemon

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ccdir/api"
)

// TestToolPolicy: rules hold for ccdir's tools by their own names and by those
// of the agent's tools, a demoted lead loses his, and what must be asked is.
func TestToolPolicy(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	if err := os.MkdirAll(p.paths.Config, 0o700); err != nil {
		t.Fatal(err)
	}
	text := `[roles.dev]
deny = ["mcp__ccdir__format", "Bash(git push *)", "Read(./secret/**)"]
ask = ["Bash(make *)"]
allow = ["Bash(echo *)"]
[roles.lead]
allow = []
`
	if err := os.WriteFile(p.paths.PolicyFile(), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p.run()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "secret"), 0o700); err != nil {
		t.Fatal(err)
	}
	s := p.create(api.NewSession{Name: "one", Argv: sh("exec sleep 1000"), CWD: dir})
	b := p.bridge(s, "/")
	want(t, "own name", b.call("format", `{}`), "not allowed: the policy has")
	want(t, "Bash by bash", b.call("bash", `{"command":"true && git push origin"}`), "not allowed: the policy has Bash(git push *)")
	want(t, "Bash by run", b.call("run", `{"command":"git","args":["push","origin"]}`), "not allowed: the policy has Bash(git push *)")
	want(t, "Read by read", b.call("read", `{"path":"secret/key"}`), "not allowed: the policy has Read(./secret/**)")
	if err := os.WriteFile(filepath.Join(dir, "secret", "key"), []byte("hidden word\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "plain"), []byte("plain word\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{`{"pattern":"word"}`, `{"pattern":"word","path":".","glob":"**"}`, `{"pattern":"word","path":` + strconv.Quote(dir) + `}`} {
		got := b.call("search", args)
		want(t, "Read by search", got, `"plain word"`)
		want(t, "Read by search", got, `"left_out":1`)
		if strings.Contains(got, "hidden") {
			t.Errorf("search %s shows %s", args, got)
		}
	}
	want(t, "Read by search there", b.call("search", `{"pattern":"word","path":"secret"}`), "not allowed: the policy has Read(./secret/**)")
	want(t, "Read where it runs", b.call("bash", `{"command":"cat key","project_path":`+strconv.Quote(filepath.Join(dir, "secret"))+`}`), "not allowed: the policy has Read(./secret/**)")
	want(t, "a variable that is a comment", b.call("run", `{"command":"git","args":["push"],"env":{"echo #":""}}`), "not allowed: the policy has Bash(git push *)")
	want(t, "allowed", b.call("bash", `{"command":"echo hi"}`), `"text":"hi\n"`)
	want(t, "no rule", b.call("write", `{"path":"x","content":"y"}`), `"path"`)

	answer := make(chan string, 1)
	go func() { answer <- b.call("bash", `{"command":"make -v"}`) }()
	var open []api.Request
	until(t, "the request", func() bool { p.call("GET", "/v1/approvals", nil, &open); return len(open) == 1 })
	if q := open[0]; q.Tool != "mcp__ccdir__bash" || q.Kind != api.RequestPermission || q.Rule != "Bash(make *)" {
		t.Errorf("%+v", q)
	}
	until(t, "the state", func() bool { return p.get(s.ID).State == api.StatePermission })
	p.call("POST", "/v1/approvals/"+open[0].ID+"/deny", api.Answer{Message: "not now"}, nil)
	want(t, "asked", <-answer, "not allowed: denied by person: not now")
	guest := p.bridge(api.Session{}, dir)
	want(t, "guest", guest.call("list", `{}`), `"entries"`)

	lead := p.create(api.NewSession{Name: "boss", Role: "lead", Argv: sh("exec sleep 1000"), CWD: dir})
	l := p.bridge(lead, "/")
	want(t, "lead", l.call("session_stop", `{"session":"nobody"}`), "no session")
	p.call("POST", "/v1/sessions/"+lead.ID+"/role", api.SetRole{Role: "dev"}, nil)
	until(t, "the new role", func() bool { return p.get(lead.ID).Role == "dev" })
	want(t, "demoted", l.call("session_stop", `{"session":"one"}`), "not allowed: the session's role is dev by now")
	var rows []api.LedgerRow
	p.call("GET", "/v1/decisions", nil, &rows)
	if data, _ := json.Marshal(rows); !strings.Contains(string(data), `"hook":"mcp"`) {
		t.Errorf("the ledger has %s", data)
	}
}
