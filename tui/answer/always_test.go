package answer

import (
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/tui/ui/uitest"
)

// TestAlwaysKeys: a key that does nothing while a rule is chosen says so, and the next one that does
// something takes that away.
func TestAlwaysKeys(t *testing.T) {
	env := uitest.Env(80, 24)
	d := bar{req: api.Request{ID: "r1", AlwaysRule: "Bash(go test ./a)", AlwaysRules: []string{"Bash(go test ./a)", "Bash(go test *)"}}, step: stepAlways}
	for key, says := range map[string]bool{"x": true, "9": true, "2": false, "Down": false} {
		next, effects := d.keyAlways(env, uitest.Key(env, key))
		got := next.(bar)
		if said := strings.Contains(got.problem, "does nothing here"); said != says || len(effects) > 0 {
			t.Errorf("%s: %q, %v", key, got.problem, effects)
		}
		again, _ := got.keyAlways(env, uitest.Key(env, "Up"))
		if p := again.(bar).problem; p != "" {
			t.Errorf("after %s and Up: %q", key, p)
		}
	}
}
