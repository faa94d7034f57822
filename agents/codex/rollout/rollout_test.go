package rollout

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"ccdir/agents/transcript"
	"ccdir/api"
)

var update = flag.Bool("update", false, "write the golden file anew")

// read decodes a file whole.
func read(t testing.TB, path string) (turns []api.Turn) {
	t.Helper()
	f := transcript.NewFile(path, Decoder{}, transcript.Options{})
	err := f.Read(t.Context(), func(turn api.Turn) error {
		turns = transcript.Merge(turns, turn, 0)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return turns
}

// TestRecorded: a conversation recorded from the real CLI (0.169.0) decodes to the turns beside
// it: an answer, tools that work, fail and are refused by the policy and by a person, a prompt
// that steers a turn, an interruption, an error of the API, a tool of ccdir's, a compaction.
func TestRecorded(t *testing.T) {
	var got bytes.Buffer
	out := json.NewEncoder(&got)
	out.SetIndent("", " ")
	out.SetEscapeHTML(false)
	if err := out.Encode(read(t, "testdata/session.jsonl")); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("testdata/session.json", got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/session.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("it differs from testdata/session.json (go test -update writes it anew):\n%s", got.Bytes())
	}
}

// TestUnknownEntriesAreKept: what the decoder does not know is an item with its beginning.
func TestUnknownEntriesAreKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	text := `{"timestamp":"2026-01-02T03:04:05Z","type":"event_msg","payload":{"type":"item_completed","turn_id":"t","item":{"type":"UserMessage","content":[{"type":"text","text":"hello"}]}}}
{"type":"novelty","payload":{"type":"x"}}
{"type":"event_msg","payload":{"type":"novel_event"}}
{"type":"response_item","payload":3}
no JSON at all
{"type":"response_item","payload":{"type":"function_call_output","call_id":"none","output":"x"}}
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	turns := read(t, path)
	if len(turns) != 1 || turns[0].Prompt != "hello" {
		t.Fatalf("%+v", turns)
	}
	var kinds []string
	for _, item := range turns[0].Items {
		if item.Kind != api.ItemRaw || item.Raw == "" {
			t.Errorf("%+v", item)
		}
		kinds = append(kinds, item.Text)
	}
	if got := strings.Join(kinds, "; "); got != "novelty x; event_msg novel_event; response_item; no JSON; response_item function_call_output" {
		t.Errorf("%s", got)
	}
}

func FuzzLines(f *testing.F) {
	data, err := os.ReadFile("testdata/session.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "a.jsonl")
		if err := os.WriteFile(path, append(data, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, turn := range read(t, path) {
			if _, err := json.Marshal(turn); err != nil || !utf8.ValidString(turn.Prompt+turn.Answer) {
				t.Errorf("%+v: %v", turn, err)
			}
			if turn.Tokens.Input < 0 || turn.Tokens.CacheRead < 0 || len(turn.Prompt) > transcript.MaxText {
				t.Errorf("%+v", turn)
			}
			for _, tool := range turn.Tools {
				if !json.Valid(tool.Input) {
					t.Errorf("input %q", tool.Input)
				}
			}
		}
	})
}
