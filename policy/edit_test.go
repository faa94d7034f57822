package policy

import (
	"strings"
	"testing"
)

// TestAddRule: the text around stays as it was, and the line is the rule's.
func TestAddRule(t *testing.T) {
	for name, c := range map[string]struct{ text, role, want string }{
		"an empty file":   {"", "dev", "[roles.dev]\nallow = [\"Bash(x)\"]\n"},
		"a list":          {"[roles.dev]\nallow = [\"A\"] # why\n", "dev", "[roles.dev]\nallow = [\"Bash(x)\", \"A\"] # why\n"},
		"an empty list":   {"[roles.dev]\nallow = []\n", "dev", "[roles.dev]\nallow = [\"Bash(x)\"]\n"},
		"a list of lines": {"[roles.dev]\nallow = [ # reading\n    \"A\", # a\n]\n", "dev", "[roles.dev]\nallow = [ # reading\n    \"Bash(x)\",\n    \"A\", # a\n]\n"},
		"empty lines":     {"[roles.dev]\nallow = [\n]\n", "dev", "[roles.dev]\nallow = [\n  \"Bash(x)\",\n]\n"},
		"no list":         {"# top\n[roles.dev] # dev\ndeny = [\"B\"]\n", "dev", "# top\n[roles.dev] # dev\nallow = [\"Bash(x)\"]\ndeny = [\"B\"]\n"},
		"no end of line":  {"[roles.dev]", "dev", "[roles.dev]\nallow = [\"Bash(x)\"]\n"},
		"a lead as dev":   {"[roles.dev]\ndeny = [\"B\"]\n", "lead", "[roles.dev]\ndeny = [\"B\"]\n\n[roles.lead]\ninherits = \"dev\"\nallow = [\"Bash(x)\"]\n"},
		"only conditions": {"[[roles.dev.rule]]\nmatch = \"A\"\neffect = \"deny\"\n", "dev", "[[roles.dev.rule]]\nmatch = \"A\"\neffect = \"deny\"\n\n[roles.dev]\nallow = [\"Bash(x)\"]\n"},
		"another's list":  {"[roles.lead]\nallow = [\"A\"]\n[roles.dev]\n", "dev", "[roles.lead]\nallow = [\"A\"]\n[roles.dev]\nallow = [\"Bash(x)\"]\n"},
		"other bytes":     {"# ä€\r\n[roles.dev]\r\nallow = [ 'ä' ]\r\n", "dev", "# ä€\r\n[roles.dev]\r\nallow = [\"Bash(x)\",  'ä' ]\r\n"},
	} {
		out, line, err := AddRule([]byte(c.text), "f", c.role, Allow, "Bash(x)")
		if err != nil || string(out) != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, out, c.want)
			continue
		}
		if lines := strings.Split(string(out), "\n"); !strings.Contains(lines[line-1], "Bash(x)") {
			t.Errorf("%s: line %d of\n%s", name, line, out)
		}
	}
	for name, text := range map[string]string{
		"faulty": "[roles.dev]\nallow = [1]\n", "syntax": "[roles", "inline": "roles = {dev = {deny = [\"A\"]}}\n",
	} {
		if out, _, err := AddRule([]byte(text), "f", "dev", Allow, "Bash(x)"); err == nil {
			t.Errorf("%s: written\n%s", name, out)
		}
	}
	if _, _, err := AddRule(nil, "f", "dev", Allow, "Bash("); err == nil {
		t.Error("a rule that is none was written")
	}
	if _, _, err := AddRule([]byte("[roles.dev]\n"), "f", "dev", Deny, "Bash(a \"b\" \\ # c)"); err != nil {
		t.Error(err)
	}
}

// TestAddRuleToStarter: with every list of the file that `policy init` writes.
func TestAddRuleToStarter(t *testing.T) {
	for _, effect := range []Effect{Allow, Ask, Deny} {
		for _, role := range []string{"dev", "lead", "person", "own"} {
			out, _, err := AddRule([]byte(Starter), "f", role, effect, "Bash(frobnicate)")
			if err != nil {
				t.Fatal(err)
			}
			p := mustParse(t, string(out))
			r := bash("frobnicate")
			r.Role = role
			if d := p.Decide(r); d.Decision != effect {
				t.Errorf("%s for %s: %+v", effect, role, d)
			}
			// Everything of the starter is still there.
			rest := string(out)
			for line := range strings.Lines(Starter) {
				_, after, ok := strings.Cut(rest, strings.TrimSuffix(strings.TrimSpace(line), "[]"))
				if !ok {
					t.Fatalf("%s for %s: %q is gone", effect, role, line)
				}
				rest = after
			}
		}
	}
}

func TestSetTrust(t *testing.T) {
	o := Options{User: "f", Project: "/home/u/p", Home: "/home/u"}
	a, b := "sha256:"+strings.Repeat("a", 64), "sha256:"+strings.Repeat("b", 64)
	for text, want := range map[string]string{
		"":          "[trust]\n\"/home/u/p\" = \"" + a + "\"\n",
		"[trust]\n": "[trust]\n\"/home/u/p\" = \"" + a + "\"\n",
		"[trust]\n\"~/p\" = '" + b + "' # mine\n": "[trust]\n\"~/p\" = \"" + a + "\" # mine\n",
	} {
		if out, err := SetTrust([]byte(text), o, a); err != nil || string(out) != want {
			t.Errorf("%q: %v\n%s", text, err, out)
		}
	}
}

// TestUnknownRole: a role that the policy does not know is no way past what it denies.
func TestUnknownRole(t *testing.T) {
	p := mustParse(t, `[roles.dev]
deny = ["Bash(git push *)"]
[roles.tester]
deny = ["Bash(make *)"]`)
	for _, c := range []struct {
		role, command string
		want          Effect
	}{
		{"dve", "git push", Deny},
		{"reviewer", "git push", Deny},
		{"reviewer", "make all", None},
		{"tester", "git push", None},
		{"tester", "make all", Deny},
		{"guest", "git push", None},
	} {
		r := bash(c.command)
		r.Role = c.role
		if d := p.Decide(r); d.Decision != c.want {
			t.Errorf("%s: %s: %+v, want %s", c.role, c.command, d, c.want)
		}
	}
	if d := mustParse(t, "[roles.tester]\ndeny = [\"Bash\"]").Decide(bash("git push")); d.Decision != None {
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
	grants := func(rules ...string) *Grants {
		g, err := NewGrants(rules, "session")
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	everything := grants("Bash", "Read", "Edit", "WebFetch")
	read := func(r Request, tool, input string) Request {
		r.Tool, r.Input = tool, []byte(input)
		return r
	}
	for name, c := range map[string]struct {
		r    Request
		x    Extra
		want Effect
	}{
		"ask":           {bash("git push"), Extra{Grants: grants("Bash(git push *)")}, Allow},
		"ask, relaxed":  {bash("git push"), Extra{Relax: everything}, Ask},
		"none":          {bash("make"), Extra{Relax: everything}, Allow},
		"deny":          {bash("rm x"), Extra{everything, everything}, Deny},
		"part":          {bash("git push; make"), Extra{Grants: grants("Bash(git push *)")}, Ask},
		"could be deny": {bash("$X y"), Extra{everything, everything}, Ask},
		"hidden":        {bash("python3 -c 1"), Extra{everything, everything}, Ask},
		"policy":        {bash("echo > .ccdir/policy.toml"), Extra{everything, everything}, Ask},
		"reaches":       {read(bash(""), "Grep", `{"pattern":"x","path":"."}`), Extra{everything, everything}, None},
		"a read":        {read(bash(""), "Read", `{"file_path":"a"}`), Extra{Relax: everything}, Allow},
		"no role":       {Request{Role: "x", Tool: "Read", Input: []byte(`{"file_path":"a"}`), Root: "/r", FS: memFS{}}, Extra{Relax: everything}, Allow},
	} {
		d := p.DecideWith(c.r, c.x)
		if d.Decision != c.want {
			t.Errorf("%s: %+v, want %s", name, d, c.want)
		}
	}
	if _, err := NewGrants([]string{"Bash("}, ""); err == nil {
		t.Error("a rule that is none")
	}
	if _, err := NewGrants([]string{"Read(@secrets)"}, ""); err == nil {
		t.Error("a set")
	}
}

func TestOnDaemonLoss(t *testing.T) {
	for text, want := range map[string]Effect{
		"[roles.dev]\n": Ask, "on_daemon_loss = 'none'\n": None, "on_daemon_loss = 'deny'\n": Deny,
	} {
		if got := mustParse(t, text).OnDaemonLoss(); got != want {
			t.Errorf("%q: %s", text, got)
		}
	}
	if got := Empty().OnDaemonLoss(); got != None {
		t.Errorf("without a policy: %s", got)
	}
	if _, err := Parse([]byte("on_daemon_loss = 'allow'"), "f"); err == nil {
		t.Error("allow is taken")
	}
	for _, c := range []struct {
		user, project Effect
		trusted       bool
		want          Effect
	}{{"", Deny, false, Deny}, {Deny, None, false, Deny}, {"", None, false, ""}, {None, Ask, false, Ask}, {Deny, None, true, None}} {
		if got := stricter(c.user, c.project, c.trusted); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
