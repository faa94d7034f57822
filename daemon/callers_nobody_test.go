package daemon

import (
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"ccdir/api"
)

// operations are all operations of the API, as "METHOD path", with ref in place of names.
func (p *place) operations(ref string) (list []string) {
	p.t.Helper()
	var doc struct{ Paths map[string]map[string]json.RawMessage }
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
	if got := p.get("one"); got.State.Ended() {
		t.Errorf("the session is %s", got.State)
	}
}
