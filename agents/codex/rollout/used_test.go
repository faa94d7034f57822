package rollout

import (
	"os"
	"path/filepath"
	"testing"

	"ccdir/agents/transcript"
	"ccdir/api"
)

// used sums up what the file used.
func used(t *testing.T, path string) (answers int, sum api.TurnTokens, vendor, model string) {
	t.Helper()
	f := transcript.NewFile(path, Decoder{}, transcript.Options{})
	if err := f.Read(t.Context(), func(api.Turn) error { return nil }); err != nil {
		t.Fatal(err)
	}
	u, err := f.Used(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range u.Answers {
		sum.Input, sum.Output, sum.CacheRead, sum.CacheWrite = sum.Input+a.Tokens.Input, sum.Output+a.Tokens.Output, sum.CacheRead+a.Tokens.CacheRead, sum.CacheWrite+a.Tokens.CacheWrite
		vendor, model = a.Vendor, a.Model
	}
	return len(u.Answers), sum, vendor, model
}

// TestUsed: testdata/session.jsonl has fifteen records of fourteen answers (resp_37 twice). Its last
// thread_token_usage says 14,000 tokens of input, 1,400 of them from the cache, and 280 of output.
func TestUsed(t *testing.T) {
	n, sum, vendor, model := used(t, "testdata/session.jsonl")
	if n != 14 || sum != (api.TurnTokens{Input: 14_000 - 1400, CacheRead: 1400, Output: 280}) || vendor != "fake" || model != "gpt-5.2-codex" {
		t.Errorf("%d answers, %+v, %s %s", n, sum, vendor, model)
	}
}

// TestUsedOfBranch: a branch begins with a copy of the other conversation, which was counted there.
func TestUsedOfBranch(t *testing.T) {
	text := `{"type":"session_meta","payload":{"id":"branch","model_provider":"openai"}}
{"type":"session_meta","payload":{"id":"first","model_provider":"other"}}
{"type":"turn_context","payload":{"model":"gpt-5.2"}}
{"type":"token_usage_record","payload":{"thread_id":"first","response_id":"a","usage":{"input_tokens":100}}}
{"type":"turn_context","payload":{"model":"gpt-5.2-codex"}}
{"type":"token_usage_record","payload":{"thread_id":"branch","response_id":"b","usage":{"input_tokens":7,"output_tokens":2}}}
{"type":"token_usage_record","payload":{"thread_id":"branch","response_id":"b","usage":{"input_tokens":7,"output_tokens":-2}}}
`
	path := filepath.Join(t.TempDir(), "a.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if n, sum, vendor, model := used(t, path); n != 1 || sum != (api.TurnTokens{Input: 7, Output: 2}) || vendor != "openai" || model != "gpt-5.2-codex" {
		t.Errorf("%d answers, %+v, %s %s", n, sum, vendor, model)
	}
}
