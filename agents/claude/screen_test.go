package claude

import (
	"strings"
	"testing"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/config"
)

// TestScreens: the dialogs before the first hook, as they look, and what
// looks nearly so.
func TestScreens(t *testing.T) {
	line := strings.Repeat("─", 100) + "\n"
	for name, c := range map[string]struct {
		text, question string
	}{
		"trust": {line + " Accessing workspace:\n /home/a/b\n Quick safety check: Is this a project you created or one you trust?\n" +
			" Security guide\n ❯ No, exit\n   Yes, I trust this folder\n Enter to confirm · Esc to cancel\n", "trust this folder"},
		"trust, the other choice": {" Security guide\n   No, exit\n ❯ Yes, I trust this folder\n Enter to confirm · Esc to cancel\n", "trust this folder"},
		"trust, with numbers":     {" ❯ 1. Yes, I trust this folder\n   2. No, exit\n Enter to confirm · Esc to exit\n", "trust this folder"},
		"key": {line + "  Detected a custom API key in your environment\n  ANTHROPIC_API_KEY: sk-ant-...xyz\n  Do you want to use this API key?\n" +
			"    Yes\n  ❯ No (recommended)\n  Enter to confirm · Esc to cancel\n", "Detected a custom API key in your environment"},
		"server": {"before\n" + line + "  New MCP server found in this project: foo\n    Use this MCP server\n  Enter to confirm · Esc to cancel\n", "New MCP server found in this project: foo"},
		"resume": {line + "  Resume session\n  No sessions in this project yet\n  Ctrl+A to show all projects · Esc to close\n", "Resume session"},
		"resume, a search": {line + "  Resume session\n  ╭──────────╮\n  │ ⌕ Search… │\n  ╰──────────╯\n  ❯ hello there you\n    9 seconds ago · HEAD · 182.8KB\n" +
			"  Type to search · Enter to select · Esc to clear\n", "Resume session"},
		"resume, no match": {line + "  Resume session\n  ╭──────────╮\n  │ ⌕ WRONG   │\n  ╰──────────╯\n  No sessions match \"WRONG\".\n  Type to search · Esc to clear\n",
			`No sessions match "WRONG"`},
		"prompt":        {" ▐▛███▛█   Claude Code v2.1.329\n" + line + "❯ \n" + line + "  ⏵⏵ auto mode on (shift+tab to cycle)\n", ""},
		"its own words": {line + "❯ Enter to confirm · Esc to cancel\n" + line + "  ? for shortcuts\n", ""},
		"answered":      {line + " Accessing workspace:\n   Yes, I trust this folder\n Enter to confirm · Esc to cancel\n ▐▛███▛█   Claude Code v2.1.329\n", ""},
		"nothing":       {"", ""},
	} {
		e := agents.LookAt(agents.ScreenRules(nil, Adapter{}), true, c.text, false, time.Now())
		if want := map[bool]api.State{true: api.StateInput}[c.question != ""]; e.Says != want || e.Fields["question"] != c.question {
			t.Errorf("%s: %q, asks %q; want %q, %q", name, e.Says, e.Fields["question"], want, c.question)
		}
	}
}

// FuzzLookAt: no screen makes the rules fail, and what is asked is one line.
func FuzzLookAt(f *testing.F) {
	f.Add("a\n\n", true)
	f.Add(strings.Repeat("─", 30)+"\n x\n Esc to cancel\n", false)
	f.Fuzz(func(t *testing.T, text string, managed bool) {
		e := agents.LookAt(agents.ScreenRules([]config.ScreenRule{{State: api.StateInput, Match: `(?P<question>(?s:.*))$|^`, Lines: 3}}, Adapter{}), managed, text, false, time.Time{})
		if strings.ContainsAny(e.Fields["question"]+e.Detail, "\n\x1b") {
			t.Errorf("asks %q", e.Fields["question"])
		}
	})
}
