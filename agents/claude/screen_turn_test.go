package claude

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/agents"
	"ccdir/agents/screentext"
)

// TestTurnSigns: what 2.1.294 and 2.1.329 show around their input line while
// a turn runs, in a dialog, and after one was interrupted.
func TestTurnSigns(t *testing.T) {
	line := strings.Repeat("─", 100) + "\n"
	box := line + "❯\u00a0\n" + line
	head := " ▐▛███▛█   Claude Code v2.1.329\n❯ please run it\n"
	hint := strings.Repeat(" ", 90) + "◐ medium · /effort\n"
	for name, c := range map[string]struct {
		text string
		want agents.TurnSign
	}{
		"at work":                         {head + "● A test\n  ⎿  $ touch made\n✶ Cooking… (8s · ↓ 20 tokens)\n" + hint + box + "  ⏸ manual mode on · esc to interrupt · ← for agents\n", agents.TurnWork},
		"the dialog has just closed":      {head + "● A test\n  ⎿  $ touch made\n✶ Cooking… (8s · ↓ 20 tokens)\n" + box + "  ⏸ manual mode on\n", agents.TurnWork},
		"a hook runs":                     {head + "· Composing… (running UserPromptSubmit hook · 1s)\n" + box + "  ⏸ manual mode on\n", agents.TurnWork},
		"a word alone":                    {head + "* Whirring…\n" + box + "  ⏸ plan mode on\n", agents.TurnWork},
		"a prompt is queued":              {head + "❯ second\n  ⎿  Queued · ctrl+enter to send now\n✢ Baking… (1s · ↓ 20 tokens)\n" + line + "❯ Press up to edit queued messages\n" + line, agents.TurnWork},
		"No":                              {head + "  Did not run 1 call\n  ⎿  $ touch made\n  ⎿ \u00a0Interrupted · What should Claude do instead?\n" + box + "  ⏸ manual mode on\n", agents.TurnInterrupted},
		"No, older":                       {head + "  Ran 1 shell command\n  ⎿  Interrupted · What should Claude do instead?\n✻ Brewed for 3s · done 11:37 AM\n" + hint + box + "  ⏸ manual mode on · ? for shortcuts\n", agents.TurnInterrupted},
		"No, wrapped":                     {head + "  ⎿  Interrupted · What should\n     Claude do instead?\n" + box + "  ⏸ manual mode on\n", agents.TurnInterrupted},
		"a question":                      {head + "● Declined to answer Claude's questions:\n  ⎿  · Which colour? (Red / Green)\n" + box, agents.TurnInterrupted},
		"a question, older":               {head + "● User declined to answer questions\n  ⎿  · Which colour? (Red / Green)\n✻ Cooked for 6s · done 11:37 AM\n" + hint + box, agents.TurnInterrupted},
		"a plan":                          {head + "  ⎿  Rejected Claude's plan:\n     ╭────╮\n     │ It │\n     ╰────╯\n" + box + "  ⏸ plan mode on\n", agents.TurnInterrupted},
		"what was interrupted goes on":    {head + "  ⎿  Interrupted · What should Claude do instead?\n" + box + "  ⏸ manual mode on · esc to interrupt\n", agents.TurnWork},
		"interrupted, and another prompt": {head + "  ⎿  Interrupted · What should Claude do instead?\n❯ once more\n" + box, agents.TurnUnknown},
		"interrupted, and said no more":   {head + "  ⎿  Interrupted · What should Claude do instead?\n● Well then.\n" + box, agents.TurnUnknown},
		"at rest":                         {head + "● Done.\n✻ Crunched for 0s · done 5:23 AM\n" + box + "  ? for shortcuts\n", agents.TurnUnknown},
		"a tool says so":                  {head + "● Bash(echo)\n  ⎿  Interrupted · by its output\n  ⎿  more\n" + box, agents.TurnUnknown},
		"permission":                      {head + line + " Bash command\n touch made\n Do you want to proceed?\n ❯ 1. Yes\n   2. No\n Esc to cancel · Tab to amend\n", agents.TurnCovered},
		"question":                        {head + line + " ☐ Colour\nWhich colour?\n❯ 1. Red\n  2. Type something.\n" + line + "  3. Chat about this\nEnter to select · Esc to cancel\n", agents.TurnCovered},
		"transcript":                      {head + "  ⎿  Running…\n" + line + "  working · Showing detailed transcript\n", agents.TurnCovered},
		"nothing":                         {"", agents.TurnUnknown},
	} {
		if got := (Adapter{}).TurnSign(c.text); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	for name, want := range map[string]agents.TurnSign{"empty": agents.TurnUnknown, "queue": agents.TurnWork, "pulled": agents.TurnWork, "panel": agents.TurnCovered, "history": agents.TurnCovered, "transcript": agents.TurnCovered} {
		data, err := os.ReadFile(filepath.Join("testdata", "screens", name+".ansi"))
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		for _, l := range screentext.Lines(string(data)) {
			if s := strings.TrimRight(string(l.Text), " "); s != "" {
				text.WriteString(s + "\n")
			}
		}
		if got := (Adapter{}).TurnSign(text.String()); got != want {
			t.Errorf("%s: %q, want %q\n%s", name, got, want, text.String())
		}
	}
}

func FuzzTurnSign(f *testing.F) {
	f.Add("❯ x\n" + strings.Repeat("─", 20) + "\n❯\n" + strings.Repeat("─", 20) + "\n esc to interrupt\n")
	f.Fuzz(func(t *testing.T, text string) {
		switch (Adapter{}).TurnSign(text) {
		case agents.TurnUnknown, agents.TurnCovered, agents.TurnWork, agents.TurnInterrupted:
		default:
			t.Error("an unknown sign")
		}
	})
}
