package policy_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/policy"
	"ccdir/policy/file"
)

// TestRoleWithoutRules: files of the policy are asked about also in a role for which the policy
// has no rules.
func TestRoleWithoutRules(t *testing.T) {
	user := filepath.Join(t.TempDir(), "policy.toml")
	if err := os.WriteFile(user, []byte("[roles.tester]\ndeny = ['Bash(git push *)']\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := file.Load(file.Options{User: user, Home: "/home/u", UID: os.Getuid()})
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]policy.Effect{"rm .claude/settings.json": policy.Ask, "echo >> " + user: policy.Ask, "git push": policy.None, "echo (": policy.None} {
		if d := p.Decide(bash(line)); d.Decision != want || want == policy.None && !strings.Contains(d.Reason, "no rules") {
			t.Errorf("%s: %s (%s), want %s", line, d.Decision, d.Reason, want)
		}
	}
}
