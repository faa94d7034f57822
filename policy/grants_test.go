package policy_test

import (
	"testing"

	"ccdir/policy"
)

// TestUnknownRole: a role that the policy does not know is no way past what it denies.
func TestUnknownRole(t *testing.T) {
	p := mustParse(t, `[roles.dev]
deny = ["Bash(git push *)"]
[roles.tester]
deny = ["Bash(make *)"]`)
	for _, c := range []struct {
		role, command string
		want          policy.Effect
	}{
		{"dve", "git push", policy.Deny},
		{"reviewer", "git push", policy.Deny},
		{"reviewer", "make all", policy.None},
		{"tester", "git push", policy.None},
		{"tester", "make all", policy.Deny},
		{"guest", "git push", policy.None},
	} {
		r := bash(c.command)
		r.Role = c.role
		if d := p.Decide(r); d.Decision != c.want {
			t.Errorf("%s: %s: %+v, want %s", c.role, c.command, d, c.want)
		}
	}
	if d := mustParse(t, "[roles.tester]\ndeny = [\"Bash\"]").Decide(bash("git push")); d.Decision != policy.None {
		t.Errorf("a dev has rules of a tester: %+v", d)
	}
}

// TestGrants: a person's grants allow what ask rules are about, never what deny
// rules are, or could be, about.
func TestGrants(t *testing.T) {
	p := mustParse(t, `[roles.dev]
allow = ["Bash(ls *)"]
ask = ["Bash(git push *)"]
deny = ["Bash(rm *)", "Read(.env)"]`)
	grants := func(rules ...string) *policy.Grants {
		g, err := policy.NewGrants(rules, "session")
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	everything := grants("Bash", "Read", "Edit", "WebFetch")
	read := func(r policy.Request, tool, input string) policy.Request {
		r.Tool, r.Input = tool, []byte(input)
		return r
	}
	for name, c := range map[string]struct {
		r    policy.Request
		x    policy.Extra
		want policy.Effect
	}{
		"ask":           {bash("git push"), policy.Extra{Grants: grants("Bash(git push *)")}, policy.Allow},
		"ask, relaxed":  {bash("git push"), policy.Extra{Relax: everything}, policy.Ask},
		"none":          {bash("make"), policy.Extra{Relax: everything}, policy.Allow},
		"deny":          {bash("rm x"), policy.Extra{Grants: everything, Relax: everything}, policy.Deny},
		"part":          {bash("git push; make"), policy.Extra{Grants: grants("Bash(git push *)")}, policy.Ask},
		"could be deny": {bash("$X y"), policy.Extra{Grants: everything, Relax: everything}, policy.Ask},
		"hidden":        {bash("python3 -c 1"), policy.Extra{Grants: everything, Relax: everything}, policy.Ask},
		"policy":        {bash("echo > .ccdir/policy.toml"), policy.Extra{Grants: everything, Relax: everything}, policy.Ask},
		"reaches":       {read(bash(""), "Grep", `{"pattern":"x","path":"."}`), policy.Extra{Grants: everything, Relax: everything}, policy.None},
		"a read":        {read(bash(""), "Read", `{"file_path":"a"}`), policy.Extra{Relax: everything}, policy.Allow},
		"no role":       {policy.Request{Role: "x", Tool: "Read", Input: []byte(`{"file_path":"a"}`), Root: "/r", FS: memFS{}}, policy.Extra{Relax: everything}, policy.Allow},
	} {
		d := p.DecideWith(c.r, c.x)
		if d.Decision != c.want {
			t.Errorf("%s: %+v, want %s", name, d, c.want)
		}
	}
	if _, err := policy.NewGrants([]string{"Bash("}, ""); err == nil {
		t.Error("a rule that is none")
	}
	if _, err := policy.NewGrants([]string{"Read(@secrets)"}, ""); err == nil {
		t.Error("a set")
	}
}
