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
)

// TestRoleDefaults: a session that is started without a role has that of the
// nearest repository around it, else the configured one.
func TestRoleDefaults(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	at := func(dir string) string { return filepath.Join(p.paths.Home, dir) }
	for _, dir := range []string{"repo/inner/deep", "repo-beside", "plain"} {
		if err := os.MkdirAll(at(dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	p.config("role = \"tester\"\n[[repos]]\npath = \"" + at("repo") + "\"\nrole = \"lead\"\n[[repos]]\npath = \"" + at("repo/inner") + "\"\nrole = \"dev\"\n[[repos]]\npath = \"" + at("plain") + "\"\n")
	p.run()
	for _, c := range []struct{ dir, role, want string }{
		{"repo", "", "lead"}, {"repo/inner", "", "dev"}, {"repo/inner/deep", "", "dev"}, {"repo-beside", "", "tester"}, {"plain", "", "tester"}, {"repo", "tester", "tester"},
	} {
		s := p.create(api.NewSession{Argv: sh("exec sleep 1000"), CWD: at(c.dir), Role: c.role})
		if s.Role != c.want {
			t.Errorf("in %s with role %q: %q, want %q", c.dir, c.role, s.Role, c.want)
		}
	}
}

// TestRolesAndOverrides: a role changes live, an override holds until its end,
// and no environment and no payload makes a role.
func TestRolesAndOverrides(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.policy(testPolicy)
	p.run()
	s := p.create(api.NewSession{Name: "one", Agent: "claude", Argv: sh("exec sleep 1000"), ExtraEnv: []string{"CCDIR_ROLE=lead"}})
	n := 0
	use := func(tool, input string) string {
		n++
		var reply api.HookReply
		payload := hookJSON(claude.HookPreToolUse, fmt.Sprintf(`"role":"lead","agent_type":"lead","tool_name":%q,"tool_input":%s`, tool, input))
		if err := p.post(context.Background(), s.ID, p.token(s), claude.HookPreToolUse, fmt.Sprint("i", n), payload, &reply); err != nil {
			t.Fatal(err)
		}
		return decision(reply.Stdout)
	}
	const maker, read, outside = `{"command":"make"}`, `{"file_path":"/etc/hosts"}`, `{"file_path":"/etc/x"}`
	edit := fmt.Sprintf(`{"file_path":%q}`, filepath.Join(s.CWD, "a.go"))
	for _, c := range []struct {
		change, tool, input, want string
	}{
		{"", "Bash", maker, ""},
		{"role lead", "Bash", maker, "allow"},
		{"role dev", "Bash", maker, ""},
		{"override allow-reads", "Read", read, "allow"},
		{"", "Edit", edit, ""},
		{"override accept-edits", "Edit", edit, "allow"},
		{"", "Edit", outside, ""},
		{"", "Bash", `{"command":"rm x"}`, "deny"},
		{"", "Bash", `{"command":"git push"}`, "ask"},
		{"override ask-everything", "Bash", `{"command":"git status"}`, "ask"},
		{"override hands-off", "Bash", `{"command":"git push"}`, ""},
		{"", "Bash", `{"command":"rm x"}`, "deny"},
		{"override ", "Bash", `{"command":"git push"}`, "ask"},
	} {
		if kind, value, ok := strings.Cut(c.change, " "); ok && kind == "role" {
			p.call("POST", "/v1/sessions/one/role", api.SetRole{Role: value}, nil)
		} else if ok {
			p.call("POST", "/v1/sessions/one/override", api.SetOverride{Mode: api.OverrideMode(value), Seconds: 60}, nil)
		}
		if got := use(c.tool, c.input); got != c.want {
			t.Errorf("%s %s after %q: %q, want %q", c.tool, c.input, c.change, got, c.want)
		}
	}
	p.wantCode(api.CodeInvalid, "POST", "/v1/sessions/one/role", api.SetRole{Role: "guest"})
	p.wantCode(api.CodeInvalid, "POST", "/v1/sessions/one/override", api.SetOverride{Mode: "sudo"})
	p.wantCode(api.CodeInvalid, "POST", "/v1/sessions/one/override", api.SetOverride{Mode: api.OverrideReads, Seconds: 90000})
	if rows := p.decisions("decision=role"); len(rows) != 2 || rows[0].Role != "lead" || rows[0].By != api.ByPerson {
		t.Errorf("rows %+v", rows)
	}
	if rows := p.decisions("decision=override"); len(rows) != 5 {
		t.Errorf("%d rows of overrides", len(rows))
	}
}
