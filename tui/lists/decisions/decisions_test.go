package decisions

import (
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/tui/lists"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
)

// TestAsksBeforeARule: a rule is made after a yes alone, of a row about a tool.
func TestAsksBeforeARule(t *testing.T) {
	env := uitest.Env(100, 20)
	d := ui.Component(lists.New(rows{loaded: true, ledger: []api.LedgerRow{
		{Seq: 2, At: uitest.Epoch, Session: "aaaa1111", Name: "api", Tool: "Bash", Input: []byte(`{"command":"make"}`), Decision: api.EffectAllow, By: api.ByPolicy},
		{Seq: 1, At: uitest.Epoch, Session: "aaaa1111", Name: "api", Decision: api.LedgerRefused},
	}}))
	asked, effects := uitest.Press(env, d, "u")
	if !strings.Contains(uitest.Picture(env, asked).Dump(), "always allow what row 2 is about, for the user?") || len(effects) > 0 {
		t.Errorf("no question, but %v:\n%s", effects, uitest.Picture(env, asked).Dump())
	}
	uitest.Everywhere(t, env, asked, "decisions-rule")
	if _, effects := uitest.Press(env, asked, "n"); len(effects) > 0 {
		t.Errorf("a no: %v", effects)
	}
	_, effects = uitest.Press(env, asked, "y")
	if call, ok := effects[0].(ui.Call); !ok || call.What != "writing the rule" {
		t.Errorf("a yes: %v", effects)
	}
	if _, effects := uitest.Press(env, d, "Down", "p"); len(effects) != 1 || effects[0] != (ui.Warn{Text: "a rule can be made of a row about a use of a tool"}) {
		t.Errorf("of a row without a tool: %v", effects)
	}
}

// FuzzDecision: what a row is about is found whatever its JSON holds.
func FuzzDecision(f *testing.F) {
	f.Add([]byte(`{"command":"a\u001b[2J"}`))
	th := uitest.Env(80, 24).Theme
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, l := range decisionLines(th, api.LedgerRow{Tool: decisionText(api.LedgerRow{Input: data}), Input: data}, 60) {
			if strings.ContainsAny(uitest.Unstyled(l), "\x1b\x07\n\r") {
				t.Errorf("a row is shown as %q", l)
			}
		}
	})
}
