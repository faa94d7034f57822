package tui

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/tui/known"
	"ccdir/tui/ui"
)

// callEvent is the event of a call of a tool.
func callEvent(seq int64, session, tool, outcome, message, input string) api.Event {
	data, err := json.Marshal(api.ToolCall{Tool: tool, Outcome: outcome, Role: "dev", Input: json.RawMessage(input), ToolUseID: fmt.Sprint("toolu_", seq)})
	if err != nil {
		panic(err)
	}
	return api.Event{Seq: seq, At: epoch.Add(time.Duration(seq) * time.Second), Session: session, Type: api.EventMCPCall, Source: "mcp",
		Message: tool + " " + outcome + " in 12ms" + message, Data: data}
}

func withCalls() *model {
	m := workPanes(120, 40)
	m.take(news{News: known.News{Events: []api.Event{
		callEvent(101, "aaaa1111", "compile", "failed", ": failed with exit code 1; 1 diagnostics", `{"path":"x"}`),
		{Seq: 102, At: epoch, Type: "PreToolUse", Session: "aaaa1111"},
		callEvent(103, "bbbb2222", "bash", "ok", ": ok", `{"command":"echo hello\u001b[2J"}`),
		callEvent(104, "", "read", "denied", ": not allowed", `{}`),
	}}})
	return m
}

// TestProblemsWithoutFlags: what a command's flag would do is not told in a grid.
func TestProblemsWithoutFlags(t *testing.T) {
	err := api.Errorf(api.CodeDraft, "there may be a draft in the input line of session d: submit or remove it, or use --wait")
	if got := ui.Problem(err); got != "there may be a draft in the input line of session d: submit or remove it" {
		t.Errorf("%q", got)
	}
}

func TestProgressInTitle(t *testing.T) {
	m := workPanes(160, 40)
	v := m.Sessions[0]
	v.Progress = "reading\x1b[2J the manual"
	m.Upsert(v)
	if picture := m.picture().Dump(); !strings.Contains(picture, "reading") || strings.Contains(picture, "\x1b[2J") {
		t.Errorf("the title lacks it:\n%s", picture)
	}
}
