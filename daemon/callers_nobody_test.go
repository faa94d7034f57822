package daemon

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/internal/disk/paths"
)

// operations are all operations of the API, as "METHOD path", with ref in place of names.
func (p *place) operations(ref string) (list []string) {
	p.t.Helper()
	var doc struct {
		Paths map[string]map[string]json.RawMessage
	}
	p.call("GET", "/v1/openapi.json", nil, &doc)
	for path, methods := range doc.Paths {
		for method := range methods {
			line := strings.ToUpper(method) + " " + path
			for strings.Contains(line, "{") {
				from, to := strings.Index(line, "{"), strings.Index(line, "}")
				line = line[:from] + ref + line[to+1:]
			}
			list = append(list, line)
		}
	}
	slices.Sort(list)
	if len(list) < 80 {
		p.t.Fatalf("%d operations only: %q", len(list), list)
	}
	return list
}

// eachScript is the environment by which a process makes all these calls (callMain).
func eachScript(socket string, operations []string) string {
	return "CCDIR_TEST_CALL=" + strings.Join([]string{socket, "EACH", "", strings.Join(operations, "\n")}, "\n")
}

// permittedOf returns the calls that were not refused, of what EACH printed.
func permittedOf(t *testing.T, out string, operations []string) (open []string) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != len(operations) {
		t.Fatalf("%d answers to %d calls:\n%s", len(lines), len(operations), out)
	}
	for i, line := range lines {
		if line != "403" {
			open = append(open, operations[i]+" "+line)
		}
	}
	return open
}

// TestNobodyBelowTheDaemon: a program that the daemon started (git, a forge's CLI, a filter that
// one of them runs) may ask who serves and who it is; no other operation of the table, whatever
// session it claims.
func TestNobodyBelowTheDaemon(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.self = os.Getpid()
	p.run()
	s := p.agentSession("one")
	operations := p.operations("one")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, env := range map[string][]string{
		"plain":        os.Environ(),
		"with a token": {api.EnvSession + "=" + s.ID, api.EnvToken + "=" + p.token(s)},
	} {
		for _, argv := range [][]string{{exe}, {"/bin/sh", "-c", `"$0"; exit $?`, exe}} {
			cmd := exec.Command(argv[0], argv[1:]...)
			cmd.Env = append(slices.Clone(env), eachScript(p.paths.Socket(), operations))
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%s: %v: %s", name, err, out)
			}
			open := permittedOf(t, string(out), operations)
			if want := []string{"GET /v1/caller 200", "GET /v1/health 200"}; !slices.Equal(open, want) {
				t.Errorf("%s, %d arguments: it may %q, want %q", name, len(argv), open, want)
			}
		}
	}
	// Nor does a host let it type.
	var a api.HostAddress
	p.call("GET", "/v1/sessions/one/host", nil, &a)
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "CCDIR_TEST_CALL="+strings.Join([]string{a.Socket, "DIAL", a.Ticket, ""}, "\n"))
	if out, err := cmd.Output(); err != nil || !strings.Contains(string(out), "inside a session") {
		t.Errorf("it dials a host: %v: %s", err, out)
	}
	if got := p.get("one"); got.State.Ended() {
		t.Errorf("the session is %s", got.State)
	}
}

// lookingOnly are the operations that a process of a session may use about sessions that are not
// its own, or that have checks of their own (httpapi's guard): here there is nothing to answer.
var lookingOnly = []string{
	"GET /v1/accounts", "GET /v1/agents", "GET /v1/approvals", "GET /v1/caller", "GET /v1/config", "GET /v1/conflicts", "GET /v1/decisions", "GET /v1/decisions/sum", "GET /v1/decisions/verify",
	"GET /v1/directories", "GET /v1/events", "GET /v1/events/stream", "GET /v1/grid", "GET /v1/health", "GET /v1/openapi.json", "GET /v1/queue",
	"GET /v1/repos", "GET /v1/restore", "GET /v1/sessions", "GET /v1/sessions/two", "GET /v1/sessions/two/buffer", "GET /v1/sessions/two/events",
	"GET /v1/sessions/two/policy", "GET /v1/sessions/two/process", "GET /v1/sessions/two/wait", "GET /v1/tasks", "GET /v1/tasks/two",
	"GET /v1/tasks/two/logs", "GET /v1/tasks/two/wait", "GET /v1/usage", "GET /v1/watch", "GET /v1/worktrees",
	"POST /v1/approvals/two/approve", "POST /v1/approvals/two/deny", "POST /v1/hook", "POST /v1/sessions/two/reply",
}

// TestEveryOperationFromInside: a process of a session, a command of ccdir's own tools and one
// that detached itself from such a command get what is for sessions, and no other operation of
// the table; and none of them types at a host, though no file describes the session's own.
func TestEveryOperationFromInside(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.spawn() // a process of its own, as the daemon is: it adopts orphans
	in, other := p.inner(api.NewSession{Name: "one", Agent: "claude"}), p.agentSession("two")
	operations := p.operations("two")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b := p.bridge(in.s, "/")
	bash := func(line string) {
		input, err := json.Marshal(map[string]string{"command": line})
		if err != nil {
			t.Fatal(err)
		}
		b.call("bash", string(input))
	}
	typed := func(line string) {
		p.call("POST", "/v1/sessions/one/input/raw", api.RawInput{Data: []byte(line + "\n")}, nil)
	}
	var a api.HostAddress
	p.call("GET", "/v1/sessions/two/host", nil, &a)
	if err := os.Remove(filepath.Join(p.paths.SessionDir(in.s.ID), paths.HostFile)); err != nil {
		t.Fatal(err)
	}
	type way struct {
		name, form string
		run        func(string)
		nobody     bool
	}
	ways := []way{
		{"in a pane", "sh %s", typed, false},
		{"by a tool", "sh %s", bash, false},
	}
	if runtime.GOOS == "linux" {
		ways = append(ways, []way{
			{"in a pane, detached", "(setsid env -i sh %s &)", typed, false},
			{"by a tool, detached", "(setsid env -i sh %[1]s >/dev/null 2>&1 </dev/null &); until [ -e %[1]s.begun ]; do :; done", bash, true},
		}...)
	}
	for i, way := range ways {
		run := func(what, call string) string {
			base := filepath.Join(in.dir, fmt.Sprint(what, i))
			script := fmt.Sprintf(": >%[3]s.begun; CCDIR_TEST_CALL=%[1]s %[2]s >%[3]s.part; mv %[3]s.part %[3]s.out\n", quoted(call), exe, base)
			if err := os.WriteFile(base, []byte(script), 0o700); err != nil {
				t.Fatal(err)
			}
			way.run(fmt.Sprintf(way.form, base))
			var out []byte
			until(t, way.name+", "+what, func() bool {
				out, err = os.ReadFile(base + ".out")
				return err == nil
			})
			return string(out)
		}
		_, each, _ := strings.Cut(eachScript(p.paths.Socket(), operations), "=")
		want := lookingOnly
		if way.nobody {
			want = []string{"GET /v1/caller", "GET /v1/health"}
		}
		for _, open := range permittedOf(t, run("calls", each), operations) {
			if name := open[:strings.LastIndex(open, " ")]; !slices.Contains(want, name) {
				t.Errorf("%s: it may %s", way.name, open)
			}
		}
		if out := run("dials", strings.Join([]string{a.Socket, "DIAL", a.Ticket, ""}, "\n")); !strings.Contains(out, "inside a session") {
			t.Errorf("%s: it dials a host: %s", way.name, out)
		}
	}
	if got := p.get("two"); got.ID != other.ID || got.State.Ended() {
		t.Errorf("something was done: %+v", got)
	}
}
