package toolcalls

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/tui/lists"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
)

// callEvent is the event of a call of a tool.
func callEvent(seq int64, session, tool, outcome, message, input string) api.Event {
	result := ""
	if tool == "compile" {
		result = "go build ./...\na.go:3:23: error: cannot use \"x\"\n\x1b[2Jdone"
	}
	data, err := json.Marshal(api.ToolCall{Tool: tool, Outcome: outcome, Result: result, Role: "dev", Input: json.RawMessage(input), ToolUseID: fmt.Sprint("toolu_", seq)})
	if err != nil {
		panic(err)
	}
	return api.Event{Seq: seq, At: uitest.Epoch.Add(time.Duration(seq) * time.Second), Session: session, Type: api.EventMCPCall, Source: "mcp",
		Message: tool + " " + outcome + " in 12ms" + message, Data: data}
}

// world is a screen in a world with three calls and another event.
func world(cols, rows int) ui.Env {
	env := uitest.Env(cols, rows)
	env.Names = map[string]string{"aaaa1111": "api", "bbbb2222": "web"}
	env.Events = []api.Event{
		callEvent(101, "aaaa1111", "compile", "failed", ": failed with exit code 1; 1 diagnostics", `{"path":"x"}`),
		{Seq: 102, At: uitest.Epoch, Type: "PreToolUse", Session: "aaaa1111"},
		callEvent(103, "bbbb2222", "bash", "ok", ": ok", `{"command":"echo hello\u001b[2J"}`),
		callEvent(104, "", "read", "denied", ": not allowed", `{}`),
	}
	return env
}

// shown are the ids of the rows that are listed.
func shown(env ui.Env, c ui.Component) string {
	d := c.(lists.Dialog)
	rows, _ := d.View.Rows(d.Rows.Content(env, d.View))
	var seqs []string
	for _, it := range rows {
		seqs = append(seqs, it.ID)
	}
	return strings.Join(seqs, " ")
}

func TestToolCalls(t *testing.T) {
	env := world(120, 40)
	d := New()
	listed := func(want, why string) {
		t.Helper()
		if got := shown(env, d); got != want {
			t.Errorf("%s: %s, want %s", why, got, want)
		}
	}
	press := func(names ...string) { d, _ = uitest.Press(env, d, names...) }
	listed("104 103 101", "all")
	uitest.Everywhere(t, env, d, "toolcalls")
	press("f")
	listed("104 101", "failed")
	press("f", "/", "H", "e", "l", "l", "o", "Enter")
	listed("103", "by argument")
	// New calls come in while it is open; the whole call is harmless text.
	env.Events = append(env.Events, callEvent(105, "bbbb2222", "bash", "ok", "", `{"command":"hello"}`))
	listed("105 103", "live")
	press("Down", "Enter")
	if picture := uitest.Picture(env, d).Dump(); !strings.Contains(picture, "toolu_103") || strings.Contains(picture, "\x1b[2J") || !strings.Contains(picture, "echo hello") {
		t.Errorf("one call:\n%s", picture)
	}
	press("Escape")
	if d.(lists.Dialog).View.Open {
		t.Error("Escape does not lead back to the list")
	}
	press("/", "Escape")
	listed("105 104 103 101", "filter cleared")
	if _, effects := uitest.Press(env, d, "Down", "o"); len(effects) != 1 || effects[0] != (ui.Focus{Session: "aaaa1111"}) {
		t.Errorf("to its pane: %v", effects)
	}
	if _, effects := uitest.Press(env, d, "q"); len(effects) != 1 || effects[0] != (ui.Close{}) {
		t.Errorf("q: %v", effects)
	}
	for _, size := range [][2]int{{1, 1}, {20, 3}, {200, 60}} {
		env.Cols, env.Rows = size[0], size[1]
		press("Enter")
		uitest.Picture(env, d)
	}
}

// TestResult: one call whole has what it brought, diagnostics first, as harmless text.
func TestResult(t *testing.T) {
	env := world(120, 40)
	d, _ := uitest.Press(env, New(), "/", "c", "o", "m", "p", "Enter", "Enter")
	if picture := uitest.Picture(env, d).Dump(); !strings.Contains(picture, "a.go:3:23: error: cannot use") || strings.Contains(picture, "\x1b[2J") {
		t.Errorf("got\n%s", picture)
	}
}

// TestOlderCalls: what the grid was not told of is read from the log, and is not shown
// twice.
func TestOlderCalls(t *testing.T) {
	env := world(120, 40)
	d, _ := uitest.Refresh(env, New(), eventClient{})
	if got := shown(env, d); got != "104 103 101 7" {
		t.Errorf("with older ones: %s", got)
	}
}

type eventClient struct{ ui.Client }

func (eventClient) Events(_ context.Context, f api.EventFilter) ([]api.Event, error) {
	if f.Type != api.EventMCPCall {
		return nil, fmt.Errorf("asked for %q", f.Type)
	}
	return []api.Event{callEvent(7, "aaaa1111", "lint", "ok", "", `{}`), callEvent(101, "aaaa1111", "compile", "failed", "", `{}`)}, nil
}

// FuzzCall: a call is shown as text whatever its JSON holds.
func FuzzCall(f *testing.F) {
	f.Add([]byte(`{"tool":"bash","role":"dev","cwd":"/x","input":{"command":"a\u001b[2J\nb"}}`))
	th := uitest.Env(80, 24).Theme
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, l := range oneCall(th, api.Event{Message: string(data), Data: data}, "name", 60) {
			if strings.ContainsAny(uitest.Unstyled(l), "\x1b\x07\n\r") {
				t.Errorf("a call is shown as %q", l)
			}
		}
	})
}
