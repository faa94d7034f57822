package queue

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ccdir/agents"
	"ccdir/agents/claude"
	"ccdir/api"
)

// mainLines and subLines are lines of 2.1.329, cut to what is looked at.
const (
	mainLines = `{"type":"user","timestamp":"2026-11-21T11:00:00Z","message":{"content":"run touch a.txt"}}
{"type":"assistant","timestamp":"2026-11-21T10:00:00Z","message":{"id":"before","usage":{"input_tokens":1000}}}
{"type":"assistant","timestamp":"2026-11-21T11:27:07.382Z","message":{"id":"m1","content":[{"id":"toolu_1","input":{"command":"touch a.txt"},"name":"Bash","type":"tool_use"}],"usage":{"input_tokens":10,"cache_creation_input_tokens":1,"cache_read_input_tokens":2,"output_tokens":20}}}
{"type":"assistant","timestamp":"2026-11-21T11:27:07.390Z","message":{"id":"m1","content":[{"id":"toolu_2","input":{},"name":"Read","type":"tool_use"}],"usage":{"input_tokens":10,"cache_creation_input_tokens":1,"cache_read_input_tokens":2,"output_tokens":22}}}
{"type":"user","timestamp":"2026-11-21T11:27:12.807Z","message":{"content":[{"type":"tool_result","content":"The user doesn't want to proceed","is_error":true,"tool_use_id":"toolu_1"}]},"toolUseResult":"User rejected tool use"}
{"type":"user","timestamp":"2026-11-21T11:27:12.808Z","message":{"content":[{"type":"tool_result","content":"not that","is_error":true,"tool_use_id":"toolu_2"}]},"toolUseResult":"Error: not that"}
`
	subLines = `{"type":"assistant","isSidechain":true,"timestamp":"2026-11-21T11:27:36.903Z","message":{"id":"m2","content":[{"type":"text"}],"usage":{"input_tokens":100,"output_tokens":200}}}
`
)

// TestUsage: what subagents use counts, their turns don't; what a person refused in
// the pane is found; a line that is not whole yet is read later.
func TestUsage(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "odd [name]*")
	path := filepath.Join(dir, "conv.jsonl")
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	since := time.Date(2026, 11, 21, 11, 0, 0, 0, time.UTC)
	u := &usage{}
	check := func(turns int, tokens int64) {
		t.Helper()
		if n, used := u.read(path, since); n != turns || used != tokens {
			t.Errorf("%d turns, %d tokens; wanted %d, %d", n, used, turns, tokens)
		}
	}
	check(0, 0)
	more := `{"type":"assistant","timestamp":"2026-11-21T11:30:00Z","message":{"id":"m3","usage":{"output_tokens":5}}}` + "\n"
	write(path, mainLines+more[:40])
	check(1, 35)
	write(filepath.Join(dir, "conv", "subagents", "agent-a.jsonl"), subLines)
	check(1, 335)
	write(path, mainLines+more)
	check(2, 340)
	if len(u.refused) != 1 || u.refused[0].Tool != "Bash" || u.refused[0].ID != "toolu_1" || u.refused[0].By != "person" || len(u.calls) != 0 {
		t.Errorf("refused: %+v, left over: %v", u.refused, u.calls)
	}
	if n, _ := u.read("relative", since); n != 2 {
		t.Error(n)
	}
}

// TestUsageHostile: what an agent puts in the place of its transcript holds nobody up, and
// what it writes into one does not fill the memory.
func TestUsageHostile(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"pipe", "claude/projects/dir/conv.jsonl", ".claude.json"} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), syscall.Mkfifo(path, 0o600)); err != nil {
			t.Fatal(err)
		}
		if turns, tokens := (&usage{}).read(path, time.Time{}); turns != 0 || tokens != 0 {
			t.Errorf("%s: %d turns, %d tokens", name, turns, tokens)
		}
	}
	if cost, ok := (claude.Adapter{}).Cost(filepath.Join(dir, "claude/projects/dir/conv.jsonl"), "conv"); ok {
		t.Errorf("cost %v by a named pipe", cost)
	}
	u := &usage{turns: map[string]int64{}, calls: map[string]api.Denial{}}
	long := strings.Repeat("x", maxID+1)
	u.take([]byte(`{"type":"assistant","message":{"id":"`+long+`","usage":{"output_tokens":5}}}`), time.Time{}, u.turns)
	u.take([]byte(`{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"`+long+`"},{"type":"tool_use","id":"i","name":"`+long+`"}],"usage":{}}}`), time.Time{}, u.turns)
	if len(u.turns) != 1 || len(u.calls) != 0 {
		t.Errorf("kept: %d turns, %d calls", len(u.turns), len(u.calls))
	}
}

// BenchmarkUsage reads on in a conversation of 1,000 turns with 50 subagents.
func BenchmarkUsage(b *testing.B) {
	dir := b.TempDir()
	path := filepath.Join(dir, "conv.jsonl")
	text := ""
	for i := range 1000 {
		text += fmt.Sprintf(`{"type":"assistant","timestamp":"2026-11-21T11:30:00Z","message":{"id":"m%d","usage":{"output_tokens":5}}}`+"\n", i)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "conv", "subagents"), 0o700); err != nil {
		b.Fatal(err)
	}
	for i := range 50 {
		if err := os.WriteFile(filepath.Join(dir, "conv", "subagents", fmt.Sprintf("agent-%d.jsonl", i)), []byte(subLines), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	u := &usage{}
	u.read(path, time.Time{})
	for b.Loop() {
		u.read(path, time.Time{})
	}
}

// TestUsageInput: a large input of a tool that runs is not kept.
func TestUsageInput(t *testing.T) {
	u := &usage{turns: map[string]int64{}, calls: map[string]api.Denial{}}
	text := strings.Repeat("x", agents.MaxDenialInput)
	block := fmt.Sprintf(`[{"type":"tool_use","id":"large","name":"Write","input":{"content":%q}},{"type":"tool_use","id":"small","name":"Write","input":{}}]`, text)
	in := transcriptLine{}
	in.Message.Content = json.RawMessage(block)
	u.call(in)
	if large, ok := u.calls["large"]; !ok || large.Input != nil || string(u.calls["small"].Input) != "{}" {
		t.Errorf("kept: %v", u.calls)
	}
}
