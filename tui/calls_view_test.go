package tui

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"ccdir/api"
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

func callsOpen(t *testing.T, m *model) toolCalls {
	t.Helper()
	d, ok := m.overlay.(toolCalls)
	if !ok {
		t.Fatalf("the calls are not open: %T", m.overlay)
	}
	return d
}

func withCalls() *model {
	m := workPanes(120, 40)
	m.take(news{events: []api.Event{
		callEvent(101, "aaaa1111", "compile", "failed", ": failed with exit code 1; 1 diagnostics", `{"path":"x"}`),
		{Seq: 102, At: epoch, Type: "PreToolUse", Session: "aaaa1111"},
		callEvent(103, "bbbb2222", "bash", "ok", ": ok", `{"command":"echo hello\u001b[2J"}`),
		callEvent(104, "", "read", "denied", ": not allowed", `{}`),
	}})
	return m
}

func shownCalls(m *model, d toolCalls) string {
	rows, _ := d.view.Rows(d.content(m.nowScene()))
	var seqs []string
	for _, it := range rows {
		seqs = append(seqs, it.ID)
	}
	return strings.Join(seqs, " ")
}

func TestToolCalls(t *testing.T) {
	m := withCalls()
	press(m, "C-b", "t")
	if got := shownCalls(m, callsOpen(t, m)); got != "104 103 101" {
		t.Errorf("all: %s", got)
	}
	picture := m.picture().Dump()
	for _, part := range []string{"tool calls", "compile", "failed", "(guest)", "denied"} {
		if !strings.Contains(picture, part) {
			t.Errorf("the view lacks %q:\n%s", part, picture)
		}
	}
	press(m, "f")
	if got := shownCalls(m, callsOpen(t, m)); got != "104 101" {
		t.Errorf("failed: %s", got)
	}
	press(m, "f", "/", "H", "e", "l", "l", "o", "Enter")
	if got := shownCalls(m, callsOpen(t, m)); got != "103" {
		t.Errorf("by argument: %s", got)
	}
	// New calls come in while it is open; the whole call is harmless text.
	m.take(news{events: []api.Event{callEvent(105, "bbbb2222", "bash", "ok", "", `{"command":"hello"}`)}})
	if got := shownCalls(m, callsOpen(t, m)); got != "105 103" {
		t.Errorf("live: %s", got)
	}
	press(m, "Down", "Enter")
	if picture = m.picture().Dump(); !strings.Contains(picture, "toolu_103") || strings.Contains(picture, "\x1b[2J") || !strings.Contains(picture, "echo hello") {
		t.Errorf("one call:\n%s", picture)
	}
	press(m, "Escape")
	if callsOpen(t, m).view.Open {
		t.Error("Escape does not lead back to the list")
	}
	press(m, "/", "Escape")
	if got := shownCalls(m, callsOpen(t, m)); got != "105 104 103 101" {
		t.Errorf("filter cleared: %s", got)
	}
	press(m, "q")
	if m.overlay != nil {
		t.Errorf("q leaves %T", m.overlay)
	}
	for _, size := range [][2]int{{1, 1}, {20, 3}, {200, 60}} {
		m.cols, m.rows = size[0], size[1]
		press(m, "C-b", "t", "Down", "Enter")
		m.picture()
		press(m, "C-c")
	}
}

// TestProblemsWithoutFlags: what a command's flag would do is not told in a grid.
func TestProblemsWithoutFlags(t *testing.T) {
	err := api.Errorf(api.CodeDraft, "there may be a draft in the input line of session d: submit or remove it, or use --wait")
	if got := ui.Problem(err); got != "there may be a draft in the input line of session d: submit or remove it" {
		t.Errorf("%q", got)
	}
}

// TestOlderCalls: what the grid was not told of is read from the log, and is not
// shown twice.
func TestOlderCalls(t *testing.T) {
	m := withCalls()
	m.opts.Client = eventClient{newFakeClient()}
	perform(m, m.openCalls())
	if got := shownCalls(m, callsOpen(t, m)); got != "104 103 101 7" {
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

func TestProgressInTitle(t *testing.T) {
	m := workPanes(160, 40)
	v := m.Sessions[0]
	v.Progress = "reading\x1b[2J the manual"
	m.upsert(v)
	if picture := m.picture().Dump(); !strings.Contains(picture, "reading") || strings.Contains(picture, "\x1b[2J") {
		t.Errorf("the title lacks it:\n%s", picture)
	}
}
