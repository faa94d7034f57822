package conversation

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/agents/transcript"
	"ccdir/api"
	"ccdir/usage"
)

// used reads what the conversation at path used.
func used(t *testing.T, path string) (usage.Used, api.TurnTokens) {
	t.Helper()
	f := transcript.NewFile(path, Decoder{}, transcript.Options{Nested: Nested{}})
	if err := f.Read(t.Context(), func(api.Turn) error { return nil }); err != nil {
		t.Fatal(err)
	}
	u, err := f.Used(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var sum api.TurnTokens
	for _, a := range u.Answers {
		if a.At.IsZero() || a.Vendor != "anthropic" || a.Model == "" {
			t.Errorf("%s: %+v", path, a)
		}
		sum.Input, sum.Output = sum.Input+a.Tokens.Input, sum.Output+a.Tokens.Output
		sum.CacheRead, sum.CacheWrite, sum.CacheWriteHour = sum.CacheRead+a.Tokens.CacheRead, sum.CacheWrite+a.Tokens.CacheWrite, sum.CacheWriteHour+a.Tokens.CacheWriteHour
	}
	return u, sum
}

// TestUsed: the answers of the recorded conversations, counted by hand; each used 10 tokens of input
// and 20 of output. An answer with a thought and a text (thinking), or with several calls (tools), is
// written in several lines; one of subagent is in the file of that; of two in branch/a.jsonl one is
// a copy; those of API errors used nothing.
func TestUsed(t *testing.T) {
	for name, want := range map[string]int64{
		"answer/a": 1, "api-400/a": 0, "background-task/a": 3, "branch/a": 1, "branch/b": 1, "clear/a": 1, "clear/b": 1, "compact/a": 1,
		"edits/a": 6, "escape-before-output/a": 0, "max-tokens/a": 2, "resume/a": 2, "resume/b": 0, "subagent/a": 3 + 1, "thinking/a": 1,
		"tools/a": 5, "two-tools-at-once/a": 2,
	} {
		u, sum := used(t, filepath.Join("testdata", name+".jsonl"))
		if int64(len(u.Answers)) != want || sum != (api.TurnTokens{Input: 10 * want, Output: 20 * want}) {
			t.Errorf("%s: %d answers, %+v, want %d", name, len(u.Answers), sum, want)
		}
	}
}

// TestTold: the sum that the CLI wrote when it left the conversation, which has the answers before it.
func TestTold(t *testing.T) {
	u, _ := used(t, "testdata/resume/a.jsonl")
	if len(u.Told) != 1 || u.Told[0].USD != 0.00044 || u.Told[0].Until.IsZero() {
		t.Fatalf("%+v", u.Told)
	}
	before := 0
	for _, a := range u.Answers {
		if a.At.Before(u.Told[0].Until) {
			before++
		}
	}
	if before != 1 {
		t.Errorf("%d answers are in the sum, want the first one", before)
	}
	if u, _ := used(t, "testdata/branch/b.jsonl"); len(u.Told) != 1 || !u.Told[0].Until.IsZero() {
		t.Errorf("at the end of a file: %+v", u.Told)
	}
}

// TestUsedKinds: an answer counts once, as it was when it was complete; kinds of cache writes are apart;
// what a subagent's file repeats of its conversation counts once; and so it is at every length of the
// file, read at once or bit by bit.
func TestUsedKinds(t *testing.T) {
	line := func(id, figures string) string {
		return `{"type":"assistant","timestamp":"2026-11-24T13:09:28Z","requestId":"r","message":{"id":"` + id +
			`","model":"m","content":[{"type":"text","text":"x"}],"usage":{` + figures + `}}}` + "\n"
	}
	main := line("a", `"input_tokens":5,"output_tokens":1`) +
		line("a", `"input_tokens":5,"output_tokens":70,"cache_read_input_tokens":11,"cache_creation_input_tokens":30,"cache_creation":{"ephemeral_5m_input_tokens":20,"ephemeral_1h_input_tokens":10}`) +
		line("a", `"input_tokens":5,"output_tokens":2`) + // written late
		line("b", `"input_tokens":-5,"output_tokens":"many"`) +
		strings.Replace(line("c", `"input_tokens":900`), `"requestId":"r"`, `"forkedFrom":{"sessionId":"s","messageUuid":"u"}`, 1) +
		line("d", `"input_tokens":100,"output_tokens":1`)
	sub := line("d", `"input_tokens":100,"output_tokens":1`) + line("e", `"input_tokens":1000`)
	dir := t.TempDir()
	path := filepath.Join(dir, "a.jsonl")
	if err := os.MkdirAll(filepath.Join(dir, "a", "subagents"), 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := api.TurnTokens{Input: 5 + 100 + 1000, Output: 70 + 1, CacheRead: 11, CacheWrite: 30, CacheWriteHour: 10}
	for cut := 0; cut <= len(main); cut += 37 {
		write(path, main[:cut])
		write(filepath.Join(dir, "a", "subagents", "agent-1.jsonl"), sub[:cut%len(sub)])
		f := transcript.NewFile(path, Decoder{}, transcript.Options{Nested: Nested{}})
		for range 2 {
			if err := f.Read(t.Context(), func(api.Turn) error { return nil }); err != nil {
				t.Fatal(err)
			}
			if _, err := f.Used(t.Context()); err != nil {
				t.Fatal(err)
			}
			write(path, main)
			write(filepath.Join(dir, "a", "subagents", "agent-1.jsonl"), sub)
		}
		if u, sum := used(t, path); sum != want || len(u.Answers) != 3 {
			t.Fatalf("%d answers, %+v", len(u.Answers), sum)
		}
		u, err := f.Used(t.Context())
		if _, sum := used(t, path); err != nil || len(u.Answers) != 3 || sum != want {
			t.Fatalf("cut at %d: %d answers, %+v, %v", cut, len(u.Answers), sum, err)
		}
	}
}
