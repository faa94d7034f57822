package palette

import (
	"fmt"
	"testing"

	"ccdir/api"
	"ccdir/tui/lists/sessionlist"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
)

// TestSessionsByName: a session is found beside the actions, and choosing it gives it the
// focus.
func TestSessionsByName(t *testing.T) {
	env := uitest.Env(80, 24)
	env.List = sessionlist.Source{Now: env.Now, Sessions: []api.Session{{ID: "aaaa1111", Name: "paymentsapi", State: api.StateWorking}}}
	d, effects := uitest.Press(env, New(Recent{}), "p", "a", "y", "m", "e", "n", "t")
	if len(effects) > 0 {
		t.Fatalf("typing did %v", effects)
	}
	if _, effects = uitest.Press(env, d, "Enter"); fmt.Sprint(effects) != fmt.Sprint([]ui.Effect{ui.Close{}, ui.Focus{Session: "aaaa1111"}}) {
		t.Errorf("choosing it did %v", effects)
	}
}
