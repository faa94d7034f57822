package adapters

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ccdir/agents"
	"ccdir/api"
)

// TestScreensOf: what programs painted has the state that their rules say.
func TestScreensOf(t *testing.T) {
	for file, want := range map[string]struct {
		state    api.State
		question string
	}{
		"qwen-idle":       {api.StateIdle, ""},
		"qwen-cancelled":  {api.StateIdle, ""},
		"qwen-working":    {api.StateWorking, ""},
		"qwen-permission": {api.StatePermission, "Allow execution of: 'touch'?"},
		"qwen-edit":       {api.StatePermission, "Apply this change?"},
	} {
		data, err := os.ReadFile(filepath.Join("testdata", "screens", file+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		program, _, _ := strings.Cut(file, "-")
		s, ok := ScreensOf("/usr/bin/" + program)
		if !ok || s.Tested == "" {
			t.Fatalf("%s: %v", program, ok)
		}
		text := ""
		for line := range strings.Lines(string(data)) { // as hosts tell screens: without empty lines
			if line = strings.TrimRight(line, " \n"); line != "" {
				text += line + "\n"
			}
		}
		e := agents.LookAt(s.Rules, false, text, false, time.Now())
		if e.Says != want.state || e.Fields["question"] != want.question {
			t.Errorf("%s: %s, %q; want %s", file, e.Says, e.Fields["question"], want.state)
		}
	}
	for text, want := range map[string]api.State{
		"Tokens: 1k\nRun shell command? (Y)es/(N)o/(D)on't ask again [Yes]: \n": api.StatePermission,
		"Tokens: 1k\narchitect> \n": api.StateIdle, "Waiting for m\n": api.StateWorking,
	} {
		s, _ := ScreensOf("aider")
		if e := agents.LookAt(s.Rules, false, text, false, time.Now()); e.Says != want {
			t.Errorf("%q: %s", text, e.Says)
		}
	}
	if _, ok := ScreensOf("vim"); ok {
		t.Error("vim has rules")
	}
}
