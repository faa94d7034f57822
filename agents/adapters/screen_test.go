package adapters

import (
	"testing"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/config"
)

func TestLookAt(t *testing.T) {
	rules := agents.ScreenRules([]config.ScreenRule{
		{State: api.StatePermission, Match: `^(?P<question>.*\?) \(y/n\)$`, Lines: 2},
		{State: api.StateInput, Match: `^Name: *$`, Lines: 1},
		{State: api.StateIdle, Match: `^> `, Lines: 1},
		{State: api.StateIdle, Match: `(broken`, Lines: 1},
	}, Generic{})
	if len(rules) != 3 || agents.ScreenLines(rules) != 2 {
		t.Fatalf("%d rules for %d lines", len(rules), agents.ScreenLines(rules))
	}
	for name, c := range map[string]struct {
		text, question string
		want           api.State
	}{
		"permission":       {"a\nb\nRun rm -rf? (y/n)\n", "Run rm -rf?", api.StatePermission},
		"one line later":   {"Run it? (y/n)\nEsc ends\n", "Run it?", api.StatePermission},
		"too far up":       {"Run it? (y/n)\nx\ny\n", "", api.StateWorking},
		"the whole line":   {"Name:\n", "Name:", api.StateInput},
		"the first counts": {"Sure? (y/n)\n> \n", "Sure?", api.StatePermission},
		"idle":             {"x\n> \n", "", api.StateIdle},
		"nothing fits":     {"compiling\n", "", api.StateWorking},
		"an empty screen":  {"", "", ""},
	} {
		e := agents.LookAt(rules, false, c.text, false, time.Now())
		if e.Says != c.want || e.Fields["question"] != c.question {
			t.Errorf("%s: %s, asks %q; want %s, %q", name, e.Says, e.Fields["question"], c.want, c.question)
		}
	}
	// Without a rule for idle, what fits no rule is idle, as every command is.
	if e := agents.LookAt(rules[:2], false, "compiling\n", true, time.Now()); e.Says != api.StateIdle || e.Fields["moving"] == "" {
		t.Errorf("without a rule for idle: %+v", e)
	}
	if e := agents.LookAt(rules, true, "compiling\n", false, time.Now()); e.Says != "" {
		t.Errorf("of an agent with hooks: %s", e.Says)
	}
}
