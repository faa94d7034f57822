package chooser

import (
	"fmt"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/tui/lists/sessionlist"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
)

// TestChoose: what is typed narrows the choices, Enter takes one, and what cannot be
// chosen says why and stays.
func TestChoose(t *testing.T) {
	env := uitest.Env(80, 12)
	d := New("what to do", "", []Pick{
		{Text: "restart it", Key: "r", Effects: []ui.Effect{ui.Say{Text: "restarted"}}},
		{Text: "remove it", Disabled: "it runs"},
		{Text: "rename it", Keys: "C-b ,", Effects: []ui.Effect{ui.Say{Text: "renamed"}}},
	})
	uitest.Everywhere(t, env, d, "menu")
	for keys, want := range map[string]string{
		"Enter": "[{false} {restarted}]", "Down Down Enter": "[{false} {renamed}]", "n a m Enter": "[{false} {renamed}]", "r": "[{false} {restarted}]",
		"Down Enter": "[{it runs}]", "Escape": "[{false}]",
	} {
		if _, effects := uitest.Press(env, d, strings.Fields(keys)...); fmt.Sprint(effects) != want {
			t.Errorf("%s: %v, want %s", keys, effects, want)
		}
	}
}

// TestSessions: sessions and the states that they have; choosing one asks for it.
func TestSessions(t *testing.T) {
	env := uitest.Env(80, 12)
	env.List = sessionlist.Source{Now: env.Now, Sessions: []api.Session{{ID: "aaaa1111", Name: "api", State: api.StateWorking, CWD: "/src/shop"}, {ID: "bbbb2222", Name: "web", State: api.StateIdle}}}
	d := Sessions()
	uitest.Golden(t, env, d, "sessions-80x12")
	if _, effects := uitest.Press(env, d, "w", "e", "b", "Enter"); fmt.Sprint(effects) != "[{false} {bbbb2222 }]" {
		t.Errorf("a session: %v", effects)
	}
	if _, effects := uitest.Press(env, d, "a", "l", "l", "w", "o", "r", "Enter"); fmt.Sprint(effects) != "[{false} {session-list working}]" {
		t.Errorf("a state: %v", effects)
	}
}
