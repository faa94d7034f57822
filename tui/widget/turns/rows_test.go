package turns

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ccdir/api"
	"ccdir/tui/paint"
	"ccdir/tui/widget/theme"
)

var at = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func lay(t api.Turn, w int, opened ...string) []Row {
	l := Layout{Theme: theme.New("dark", nil), Width: w, Open: func(path string) bool {
		for _, o := range opened {
			if o == path {
				return true
			}
		}
		return false
	}}
	return l.Rows(t, nil)
}

func text(rows []Row) string {
	var b strings.Builder
	for _, r := range rows {
		b.WriteString(strings.TrimRight(ansi.Strip(r.Text), " ") + "\n")
	}
	return b.String()
}

// TestWrappedTextIsWhatWasSaid: rows that go on join to the line as it was.
func TestWrappedTextIsWhatWasSaid(t *testing.T) {
	said := "the quick  brown fox 日本語日本語日本語 jumps over " + strings.Repeat("x", 70) + "\n    indented code stays"
	rows := lay(api.Turn{Turn: 1, Items: []api.TurnItem{{Kind: api.ItemText, Text: said}}}, 20)
	var b strings.Builder
	for _, r := range rows[1:] {
		if b.WriteString(ansi.Strip(r.Text)); !r.Wrapped {
			b.WriteString("\n")
		}
	}
	if got := strings.TrimSuffix(b.String(), "\n"); got != said {
		t.Errorf("the rows join to\n%q, want\n%q", got, said)
	}
}

func TestOpenedTool(t *testing.T) {
	turn := api.Turn{Turn: 3, At: at, Items: []api.TurnItem{{Kind: api.ItemTool}, {Kind: api.ItemTool, Tool: 1}},
		Tools: []api.TurnTool{
			{Name: "Bash", Argument: "go test ./...", Input: json.RawMessage(`{"command":"go test ./...\necho done"}`), Outcome: api.ToolError, Result: "FAIL\nboom", MS: 1234},
			{Name: "Edit", Argument: "a.go", Outcome: api.ToolOK, Added: 1, Diff: []api.DiffHunk{{Old: 9, New: 9, Lines: []string{" a", "-b", "+c"}}}},
		}}
	closed := lay(turn, 60)
	if got := text(closed); strings.Contains(got, "boom") || !strings.Contains(got, "FAIL") || !strings.Contains(got, "ok +1") || strings.ContainsAny(got, "-−") || !strings.Contains(got, "error 1.2s") {
		t.Errorf("closed:\n%s", got)
	}
	failed := 0
	for _, r := range closed {
		if r.Failed {
			failed++
		}
	}
	if failed != 1 {
		t.Errorf("%d heads of failed calls, want 1", failed)
	}
	got := text(lay(turn, 60, "3.0", "3.1"))
	for _, want := range []string{"$ go test", "echo done", "│ boom", "  10 -b", "  10 +c"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

// TestNestedPaths: rows of a subagent's calls have paths of their own, rows after them that
// of the call that started it.
func TestNestedPaths(t *testing.T) {
	inner := api.Turn{Turn: 1, Prompt: "look", Tools: []api.TurnTool{{Name: "Read", Outcome: api.ToolOK}},
		Items: []api.TurnItem{{Kind: api.ItemTool}, {Kind: api.ItemText, Text: "found it"}}}
	turn := api.Turn{Turn: 2, Items: []api.TurnItem{{Kind: api.ItemTool}}, Tools: []api.TurnTool{{Name: "Agent", Outcome: api.ToolOK, Agent: &api.Subagent{Turns: []api.Turn{inner}}}}}
	paths := map[string]string{}
	for _, r := range lay(turn, 60, "2.0") {
		paths[strings.TrimSpace(ansi.Strip(r.Text))] = r.Path
	}
	if paths["found it"] != "2.0" {
		t.Errorf("the answer of the subagent is of %q: %v", paths["found it"], paths)
	}
	nested := false
	for row, path := range paths {
		nested = nested || strings.HasPrefix(row, "▸ Read") && path == "2.0/1.0"
	}
	if !nested {
		t.Errorf("the subagent's call is not of its own path: %v", paths)
	}
}

func FuzzRows(f *testing.F) {
	f.Add(`{"turn":1,"prompt":"p\u001b[2J","items":[{"kind":"tool"},{"kind":"thinking","text":"x\ty"},{"kind":"raw","raw":"{"}],"tools":[{"name":"Bash","input":{"command":"a\u0007"},"result":"r\r\n日","outcome":"error","diff":[{"old":1,"new":2,"lines":["+a","-\u009b"]}]}]}`, 20)
	f.Add(`{"turn":2,"state":"failed","failure":{"message":"\u202e"},"items":[{"kind":"text","text":"👩‍👩‍👧"}]}`, 1)
	f.Fuzz(func(t *testing.T, raw string, w int) {
		var turn api.Turn
		if len(raw) > 1<<14 || json.Unmarshal([]byte(raw), &turn) != nil {
			return
		}
		w = min(max(w, 0), 300)
		var opened []string
		for i := range turn.Items {
			opened = append(opened, Path("", turn.Turn, i))
		}
		for _, r := range append(lay(turn, w), lay(turn, w, opened...)...) {
			plain := ansi.Strip(r.Text)
			if n := paint.Width(plain); n > max(w, minWidth)+1 {
				t.Errorf("a row of %d columns, want %d: %q", n, w, plain)
			}
			if strings.ContainsAny(plain, "\x1b\x07\n\r\t\u009b\u202e") {
				t.Errorf("not harmless: %q", plain)
			}
		}
	})
}

// TestAnswersAreSet: messages of the agent are Markdown; what a person typed is not.
func TestAnswersAreSet(t *testing.T) {
	turn := api.Turn{Turn: 1, At: at, Prompt: "**as typed**", Tools: []api.TurnTool{{Name: "Write", Outcome: api.ToolOK, MS: 176_200, Decision: &api.ToolDecision{Decision: api.EffectAllow, By: api.ByPerson, WaitedMS: 176_000}}},
		Items: []api.TurnItem{{Kind: api.ItemText, Text: "## Done\n**all** of\n\n| a | b |\n|---|---|\n| 1 | 2 |\n```go\nx := 1\n```"}, {Kind: api.ItemTool}}}
	got := text(lay(turn, 40, "1.1"))
	for _, want := range []string{"❯ **as typed**", "\nDone\nall of\n", "a │ b\n──┼──\n1 │ 2\n", "\n  x := 1\n", "ok 200ms\n", "allowed by person after 2m56s"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if strings.Contains(got, "```") || strings.Contains(got, "|--") {
		t.Errorf("signs of Markdown are shown:\n%s", got)
	}
}
