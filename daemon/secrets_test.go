package daemon

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ccdir/agents/claude"
	"ccdir/api"
)

// TestSecretsOfToolsAreNotSaved: what looks like a secret in inputs and outputs of tools is
// in no event, evidence or file; the person who is asked sees it.
func TestSecretsOfToolsAreNotSaved(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.policy(testPolicy)
	p.run()
	s := p.agentSession("one")
	secrets := []string{"hunter2-correct-horse", "ghp_0123456789abcdefghijABCDEFGHIJ012345", "s3cr3t-of-the-tool", "AKIAIOSFODNN7EXAMPLE"}
	input := fmt.Sprintf(`"tool_name":"Bash","tool_use_id":"toolu_1","tool_input":{"command":"git push --password %s https://x:%s@example.com","env":{"api_key":%q}}`, secrets[0], secrets[1], secrets[2])
	post := func(hook, more string) {
		if err := p.hook(s, hook, hook+"1", hookJSON(hook, more)); err != nil {
			t.Fatal(err)
		}
	}
	post(claude.HookSessionStart, `"source":"startup"`)
	post(claude.HookUserPromptSubmit, `"prompt":"deploy it, and say nothing of hunter3"`)
	post(claude.HookPreToolUse, input)
	post(claude.HookPermissionRequest, input)
	if r := p.request(s); !strings.Contains(string(r.Input), secrets[0]) {
		t.Errorf("the person is asked about %s", r.Input)
	}
	check := func(when string) {
		t.Helper()
		for _, path := range []string{"/v1/events?limit=1000", "/v1/sessions", "/v1/sessions/one/explain", "/v1/search?q=hunter2", "/v1/decisions"} {
			var raw any
			p.call("GET", path, nil, &raw)
			for _, secret := range secrets {
				if got := toJSON(t, raw); strings.Contains(got, secret) {
					t.Errorf("%s: %s has %s: %s", when, path, secret, got)
				}
			}
		}
	}
	check("while it is asked")
	post(claude.HookPostToolUse, input+fmt.Sprintf(`,"tool_response":{"stdout":"key %s","stderr":""}`, secrets[3]))
	post(claude.HookPostToolUseFailure, input+fmt.Sprintf(`,"error":"fatal: password=%s is wrong"`, secrets[0]))
	post(claude.HookPermissionDenied, input+fmt.Sprintf(`,"reason":"%s is a secret"`, secrets[1]))
	post(claude.HookStop, `"last_assistant_message":"done with hunter4"`)
	check("afterwards")
	for _, e := range p.events() {
		if e.Type == claude.HookPreToolUse && (!strings.Contains(e.Message, "git push") || !strings.Contains(string(e.Data), "[redacted]")) {
			t.Errorf("the event of the tool: %+v, %s", e, e.Data)
		}
		if e.Type == claude.HookUserPromptSubmit && !strings.Contains(string(e.Data), "hunter3") || e.Type == claude.HookStop && !strings.Contains(string(e.Data), "hunter4") {
			t.Errorf("prompts and answers are kept as they are: %s", e.Data)
		}
	}
	p.stopDaemon()
	err := filepath.WalkDir(p.paths.State, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		for _, secret := range secrets {
			if bytes.Contains(data, []byte(secret)) {
				t.Errorf("%s has %s", path, secret)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestOtherSessionsSeeStatesOnly: a process in a session reads all of its own session and
// of those that it started; of others it reads states and names, at every door.
func TestOtherSessionsSeeStatesOnly(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.policy(testPolicy)
	p.run()
	in := p.inner(api.NewSession{Name: "one", Agent: "claude"})
	other := p.agentSession("two")
	for word, s := range map[string]api.Session{"mineword": in.s, "otherword": other} {
		for _, call := range [][2]string{{claude.HookSessionStart, `"source":"startup"`}, {claude.HookUserPromptSubmit, `"prompt":"` + word + ` prompt"`},
			{claude.HookPreToolUse, `"tool_name":"Bash","tool_input":{"command":"echo ` + word + `"}`},
			{claude.HookPermissionRequest, `"tool_name":"Bash","tool_use_id":"t","tool_input":{"command":"git push ` + word + `"}`}} {
			if err := p.hook(s, call[0], call[0]+word, hookJSON(call[0], call[1])); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, path := range []string{"/v1/events?limit=1000", "/v1/sessions", "/v1/sessions/one", "/v1/sessions/one/explain", "/v1/approvals"} {
		if got := in.call(asChild, "GET", path, nil); !strings.HasPrefix(got, "200 ") || !strings.Contains(got, "mineword") || strings.Contains(got, "otherword") {
			t.Errorf("%s: %s", path, got)
		}
	}
	if got := in.call(asDetached, "GET", "/v1/events?limit=1000&session=two", nil); !strings.Contains(got, `"UserPromptSubmit"`) || !strings.Contains(got, `"state_to":"waiting_for_permission"`) || strings.Contains(got, "otherword") {
		t.Errorf("events of another: %s", got)
	}
	if got := in.call(asChild, "GET", "/v1/sessions/two", nil); !strings.Contains(got, `"state":"waiting_for_permission"`) || strings.Contains(got, "otherword") {
		t.Errorf("another session: %s", got)
	}
	for _, path := range []string{"/v1/sessions/two/explain", "/v1/decisions?session=two", "/v1/search?q=otherword", "/v1/history", "/v1/history/two"} {
		if got := in.call(asChild, "GET", path, nil); !strings.HasPrefix(got, "403 ") {
			t.Errorf("%s: %s", path, got)
		}
	}
	if rows := p.decisions("decision=refused"); !slices.ContainsFunc(rows, func(r api.LedgerRow) bool { return r.Tool == "GET /v1/decisions" }) {
		t.Errorf("a refusal is no row: %+v", rows)
	}
	// The streams, up to an event that all may read.
	p.call("POST", "/v1/sessions/two/rename", api.Rename{Name: "lastword"}, nil)
	for _, path := range []string{"/v1/watch", "/v1/events/stream?since=0", "/v1/sessions/" + other.ID + "/events?since=0"} {
		got := in.call(asChild, "STREAM", path, "lastword")
		if !strings.Contains(got, other.ID) || strings.Contains(got, "otherword") {
			t.Errorf("%s: %s", path, got)
		}
		if strings.HasPrefix(path, "/v1/sessions/") == strings.Contains(got, "mineword") {
			t.Errorf("%s, of its own session: %s", path, got)
		}
	}
}

// TestEnvironmentOfEndedSessions: the files of a session that has ended have no value of a
// variable that looks like a secret; a restart has them nevertheless, and says which not.
func TestEnvironmentOfEndedSessions(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.env = []string{"DAEMON_API_KEY=known-to-the-daemon"}
	p.spawn()
	out := filepath.Join(p.paths.Home, "out")
	env := []string{"PATH=" + os.Getenv("PATH"), "VIRTUAL_ENV=/home/me/venv", "DAEMON_API_KEY=known-to-the-daemon", "SHELL_TOKEN=of-the-shell", "DB=postgres://me:in-the-url@db/x"}
	n := api.NewSession{Name: "one", Env: env, ExtraEnv: []string{"GIVEN_SECRET=given-by-hand"},
		Argv: sh(`echo "$VIRTUAL_ENV $DAEMON_API_KEY $SHELL_TOKEN $DB $GIVEN_SECRET" >>` + out + `; exec sleep 1000`)}
	s := p.create(n)
	lost := p.create(api.NewSession{Name: "lost", Env: env, Argv: sh("exec sleep 1000")})
	lines := func(n int) (last string) {
		t.Helper()
		until(t, fmt.Sprint(n, " lines"), func() bool {
			data, _ := os.ReadFile(out)
			all := strings.Split(strings.TrimSpace(string(data)), "\n")
			last = all[len(all)-1]
			return len(data) > 0 && len(all) == n
		})
		return last
	}
	const whole = "/home/me/venv known-to-the-daemon of-the-shell postgres://me:in-the-url@db/x given-by-hand"
	if got := lines(1); got != whole {
		t.Fatalf("it has %q", got)
	}
	inFiles := func(id string) (found []string) {
		err := filepath.WalkDir(p.paths.SessionDir(id), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || d.Name() == "ring" {
				return err
			}
			data, err := os.ReadFile(path)
			for _, secret := range []string{"known-to-the-daemon", "of-the-shell", "in-the-url", "given-by-hand"} {
				if bytes.Contains(data, []byte(secret)) {
					found = append(found, filepath.Base(path)+": "+secret)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	p.kill9()
	p.spawn() // a daemon that did not start it has its environment by its files
	p.call("POST", "/v1/sessions/one/restart", nil, nil)
	if got := lines(2); got != whole {
		t.Errorf("restarted under another daemon: %q", got)
	}
	p.call("POST", "/v1/sessions/one/kill", api.Kill{Force: true}, nil)
	p.killHosts(lost)
	p.wait("lost", api.StateLost)
	for _, id := range []string{s.ID, lost.ID} {
		until(t, "the files to have no secrets", func() bool { return len(inFiles(id)) == 0 })
	}
	p.call("POST", "/v1/sessions/one/rename", api.Rename{Name: "first"}, nil)
	if found := inFiles(s.ID); len(found) > 0 {
		t.Errorf("after a change of the ended session: %q", found)
	}
	p.call("POST", "/v1/sessions/first/restart", nil, nil)
	if got := lines(3); got != whole {
		t.Errorf("restarted under the same daemon: %q", got)
	}
	p.kill9() // session.json was written while it had ended, host.json has all
	p.spawn()
	p.call("POST", "/v1/sessions/first/restart", nil, nil)
	if got := lines(4); got != whole {
		t.Errorf("taken over and restarted: %q", got)
	}
	p.call("POST", "/v1/sessions/first/kill", api.Kill{Force: true}, nil)
	until(t, "the files to have no secrets", func() bool { return len(inFiles(s.ID)) == 0 })
	p.kill9()
	p.spawn()
	p.call("POST", "/v1/sessions/first/restart", nil, nil)
	if got := lines(5); got != "/home/me/venv known-to-the-daemon   given-by-hand" {
		t.Errorf("restarted by a daemon that never knew it: %q", got)
	}
	events := p.events()
	if last := events[len(events)-1]; last.Type != api.EventSessionStarted || !strings.Contains(last.Message, "SHELL_TOKEN, DB ") {
		t.Errorf("it says %q", last.Message)
	}
}
