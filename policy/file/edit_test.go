package file

import (
	"strings"
	"testing"

	"ccdir/policy"
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
		out, line, err := AddRule([]byte(c.text), "f", c.role, policy.Allow, "Bash(x)")
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
		if out, _, err := AddRule([]byte(text), "f", "dev", policy.Allow, "Bash(x)"); err == nil {
			t.Errorf("%s: written\n%s", name, out)
		}
	}
	if _, _, err := AddRule(nil, "f", "dev", policy.Allow, "Bash("); err == nil {
		t.Error("a rule that is none was written")
	}
	if _, _, err := AddRule([]byte("[roles.dev]\n"), "f", "dev", policy.Deny, "Bash(a \"b\" \\ # c)"); err != nil {
		t.Error(err)
	}
}

// TestAddRuleToStarter: with every list of the file that `policy init` writes.
func TestAddRuleToStarter(t *testing.T) {
	for _, effect := range []policy.Effect{policy.Allow, policy.Ask, policy.Deny} {
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

func TestOnDaemonLoss(t *testing.T) {
	for text, want := range map[string]policy.Effect{
		"[roles.dev]\n": policy.Ask, "on_daemon_loss = 'none'\n": policy.None, "on_daemon_loss = 'deny'\n": policy.Deny,
	} {
		if got := mustParse(t, text).OnDaemonLoss(); got != want {
			t.Errorf("%q: %s", text, got)
		}
	}
	if got := policy.Empty().OnDaemonLoss(); got != policy.None {
		t.Errorf("without a policy: %s", got)
	}
	if _, err := Parse([]byte("on_daemon_loss = 'allow'"), "f"); err == nil {
		t.Error("allow is taken")
	}
	for _, c := range []struct {
		user, project policy.Effect
		trusted       bool
		want          policy.Effect
	}{{"", policy.Deny, false, policy.Deny}, {policy.Deny, policy.None, false, policy.Deny}, {"", policy.None, false, ""}, {policy.None, policy.Ask, false, policy.Ask}, {policy.Deny, policy.None, true, policy.None}} {
		if got := stricter(c.user, c.project, c.trusted); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
