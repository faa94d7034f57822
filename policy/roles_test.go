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

// TestStarterAsks: the policy of `policy init` asks about what has something else start a
// process, as docs/policy.md says.
func TestStarterAsks(t *testing.T) {
	p := mustParse(t, file.Starter)
	for _, line := range []string{"systemd-run --user ./x", "systemctl --user start x", "systemctl enable --now x", "launchctl load x", "crontab f", "echo x | at now", "tmux new -d x", "ssh localhost x", "ccdir approve x"} {
		if d := p.Decide(bash(line)); d.Decision != policy.Ask {
			t.Errorf("%s: %s (%s)", line, d.Decision, d.Reason)
		}
	}
}
