package config

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"ccdir/api"
)

func TestScreenRules(t *testing.T) {
	l := Parse([]byte(`
[agents.aider]
kind = "generic"
command = "aider"

[[agents.aider.screen]]
state = "waiting_for_permission"
match = '^(?P<question>.*)\? \(Y\)es/\(N\)o'
lines = 3

[[agents.aider.screen]]
state = "idle"
match = '^> $'

[agents.command]
env = { A = "b" }
screen = [{ state = "working", match = "\\.\\.\\.$" }]
`), "config.toml", "/home/x")
	if len(l.Problems) > 0 {
		t.Fatalf("problems: %v", l.Problems)
	}
	want := []ScreenRule{
		{State: api.StatePermission, Match: `^(?P<question>.*)\? \(Y\)es/\(N\)o`, Lines: 3},
		{State: api.StateIdle, Match: `^> $`, Lines: defaultScreenLines},
	}
	if got := l.Agents["aider"].Screen; !reflect.DeepEqual(got, want) {
		t.Errorf("rules %+v", got)
	}
	if got := l.Command; len(got.Screen) != 1 || got.Screen[0].Match != `\.\.\.$` || got.Env["A"] != "b" {
		t.Errorf("[agents.command]: %+v", got)
	}
	if _, listed := l.Agents[CommandAgent]; listed {
		t.Error("the bare command is offered as an agent")
	}
	entries, err := l.Get("agents.aider")
	text, _ := json.Marshal(entries)
	if err != nil || !strings.Contains(string(text), `"lines":3`) {
		t.Errorf("explained as %s, %v", text, err)
	}
}

// TestScreenProblems: each mistake is told with its line, and costs one rule.
func TestScreenProblems(t *testing.T) {
	const good = "\n[[agents.a.screen]]\nstate = \"idle\"\nmatch = \"ok\"\n"
	for name, c := range map[string]struct {
		text, want string
		line       int
	}{
		"no state":       {"match = 'x'", "needs state and match", 3},
		"no match":       {"state = 'idle'", "needs state and match", 3},
		"wrong state":    {"match = 'x'\nstate = 'asleep'", `expected one of "idle", "working"`, 5},
		"ended":          {"match = 'x'\nstate = 'exited'", `expected one of "idle", "working"`, 5},
		"bad pattern":    {"state = 'idle'\nmatch = '(x'", "not a regular expression: missing closing ): `(x`", 5},
		"back reference": {"state = 'idle'\nmatch = '(x)\\1'", "invalid escape sequence", 5},
		"no lines":       {"state = 'idle'\nmatch = 'x'\nlines = 0", "expected a number from 1 to 200, found 0", 6},
		"another key":    {"state = 'idle'\nmatch = 'x'\nregex = 'y'", "a screen rule has state, match and lines", 6},
	} {
		t.Run(name, func(t *testing.T) {
			l := Parse([]byte("[agents.a]\nkind = \"generic\"\n[[agents.a.screen]]\n"+c.text+good), "config.toml", "")
			if len(l.Problems) != 1 || l.Problems[0].Line != c.line || !strings.Contains(l.Problems[0].Message, c.want) {
				t.Errorf("problems %v, want line %d: %s", l.Problems, c.line, c.want)
			}
			if got := l.Agents["a"].Screen; len(got) != 1 || got[0].Match != "ok" {
				t.Errorf("rules %+v", got)
			}
		})
	}
	l := Parse([]byte("[agents.command]\nkind = \"shell\"\n[agents.b]\nkind = \"generic\"\nscreen = 1\n"), "config.toml", "")
	if len(l.Problems) != 2 || l.Problems[0].Line != 2 || l.Problems[1].Line != 5 {
		t.Errorf("problems %v", l.Problems)
	}
}
