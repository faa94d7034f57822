package conversation

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"ccdir/agents/transcript"
	"ccdir/api"
)

var update = flag.Bool("update", false, "write the golden files anew")

// read decodes a file whole.
func read(t testing.TB, path string) (turns []api.Turn) {
	t.Helper()
	f := transcript.NewFile(path, Decoder{}, transcript.Options{Nested: Nested{}})
	err := f.Read(t.Context(), func(turn api.Turn) error {
		turns = transcript.Merge(turns, turn, 0)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return turns
}

// TestRecorded: files recorded from the real CLI decode to the turns beside them.
func TestRecorded(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.jsonl")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, path := range files {
		t.Run(strings.TrimPrefix(path, "testdata/"), func(t *testing.T) {
			var got bytes.Buffer
			out := json.NewEncoder(&got)
			out.SetIndent("", " ")
			out.SetEscapeHTML(false)
			if err := out.Encode(read(t, path)); err != nil {
				t.Fatal(err)
			}
			golden := strings.TrimSuffix(path, ".jsonl") + ".json"
			if *update {
				if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("it differs from %s (go test -update writes it anew):\n%s", golden, got.Bytes())
			}
		})
	}
}

// lines of conversations for tests that write them.
const (
	promptLine = `{"type":"user","message":{"role":"user","content":%q},"origin":{"kind":"human"},"timestamp":"2026-01-02T03:04:05Z"}`
	answerLine = `{"type":"assistant","message":{"id":"m","stop_reason":"end_turn","content":[{"type":"text","text":%q}]},"timestamp":"2026-01-02T03:04:06Z"}`
)

// TestUnknownEntriesAreKept: what the decoder does not know is an item with its beginning.
func TestUnknownEntriesAreKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	text := fmt.Sprintf(promptLine, "hello") + "\n" + strings.Join([]string{
		`{"type":"novelty","text":"what is it"}`,
		`{"type":"attachment","attachment":{"type":"novel_attachment","x":1}}`,
		`{"type":"system","subtype":"novel_subtype","content":"x"}`,
		`{"type":"assistant","message":{"id":"m","content":[{"type":"novel_block","x":1}]}}`,
		`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"nobody's","content":"x"}]}}`,
		`no JSON at all`,
		`["an","array"]`,
		"bad \xff\xfe bytes",
	}, "\n") + "\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	turns := read(t, path)
	if len(turns) != 1 {
		t.Fatalf("%d turns: %+v", len(turns), turns)
	}
	var got []string
	for _, i := range turns[0].Items {
		if i.Kind != api.ItemRaw || i.Raw == "" || !utf8.ValidString(i.Raw) {
			t.Errorf("item %+v", i)
		}
		got = append(got, i.Text)
	}
	want := []string{"novelty", "attachment novel_attachment", "system novel_subtype", "block novel_block", "result of an unknown call", "no entry", "no entry", "no entry"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestTextsAreBounded: a huge result is cut, and says so.
func TestTextsAreBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	huge := strings.Repeat("é\\n", 100_000)
	text := fmt.Sprintf(promptLine, "hello") + `
{"type":"assistant","message":{"id":"m","stop_reason":"tool_use","content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"` + huge + `"}}]}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"` + huge + `"}]}}
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	tool := read(t, path)[0].Tools[0]
	if len(tool.Result) > transcript.MaxResult || len(tool.Result) < transcript.MaxResult-4 || tool.Cut == 0 || !utf8.ValidString(tool.Result) {
		t.Errorf("the result has %d bytes, %d are cut", len(tool.Result), tool.Cut)
	}
	if len(tool.Input) > 2*transcript.MaxInput || tool.Input[0] != '"' || !json.Valid(tool.Input) {
		t.Errorf("the input has %d bytes: %.40s", len(tool.Input), tool.Input)
	}
	if len(tool.Argument) > maxArgument {
		t.Errorf("the argument has %d bytes", len(tool.Argument))
	}
}

// TestBrokenInput: bytes that are no UTF-8 don't get out by a tool's input.
func TestBrokenInput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	text := fmt.Sprintf(promptLine, "hello") + `
{"type":"assistant","message":{"id":"m","stop_reason":"tool_use","content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls` + "\x87" + `"}}]}}
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if tool := read(t, path)[0].Tools[0]; string(tool.Input) != "{\"command\":\"ls\uFFFD\"}" {
		t.Errorf("the input is %q", tool.Input)
	}
}

// FuzzLines: no file makes the decoder fail, and what it tells can be encoded.
func FuzzLines(f *testing.F) {
	files, _ := filepath.Glob("testdata/*/*.jsonl")
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(dir, "a.jsonl")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		whole := read(t, path)
		text, err := json.Marshal(whole)
		if err != nil {
			t.Fatal(err)
		}
		if !utf8.Valid(text) {
			t.Errorf("invalid UTF-8: %q", text)
		}
		for _, turn := range whole {
			for _, i := range turn.Items {
				if i.Kind == api.ItemTool && i.Tool >= len(turn.Tools) {
					t.Errorf("item %+v of %d tools", i, len(turn.Tools))
				}
			}
		}
		// Read in two parts it tells the same.
		if err := os.WriteFile(path, data[:len(data)/2], 0o600); err != nil {
			t.Fatal(err)
		}
		r := transcript.NewFile(path, Decoder{}, transcript.Options{Nested: Nested{}})
		var parts []api.Turn
		merge := func(turn api.Turn) error { parts = transcript.Merge(parts, turn, 0); return nil }
		if err := r.Read(t.Context(), merge); err != nil {
			t.Fatal(err)
		}
		if err := appendTo(path, data[len(data)/2:]); err != nil {
			t.Fatal(err)
		}
		if err := r.Read(t.Context(), merge); err != nil {
			t.Fatal(err)
		}
		if again, _ := json.Marshal(parts); !bytes.Equal(again, text) {
			t.Errorf("in two parts:\n%s\nwhole:\n%s", again, text)
		}
	})
}

func appendTo(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// BenchmarkRead reads 100 MB of the recorded conversations, as they are.
func BenchmarkRead(b *testing.B) {
	files, _ := filepath.Glob("testdata/*/a.jsonl")
	var all []byte
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, data...)
	}
	// A long result and a long message, as real conversations have.
	code := strings.Repeat("\\tif err != nil {\\n\\t\\treturn fmt.Errorf(\\\"cannot open %s: %w\\\", path, err)\\n\\t}\\n", 60)
	all = append(all, fmt.Sprintf(promptLine, "read it")+`
{"type":"assistant","message":{"id":"m","stop_reason":"tool_use","content":[{"type":"tool_use","id":"t","name":"Read","input":{"file_path":"/a"}}]},"timestamp":"2026-01-02T03:04:06Z"}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"`+code+`"}]},"toolUseResult":{"type":"text","file":{"content":"`+code+`"}},"timestamp":"2026-01-02T03:04:07Z"}
`+fmt.Sprintf(answerLine, code)+"\n"...)
	const size = 100 << 20
	all = bytes.Repeat(all, size/len(all)+1)
	path := filepath.Join(b.TempDir(), "a.jsonl")
	if err := os.WriteFile(path, all, 0o600); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(all)))
	b.ReportAllocs()
	for b.Loop() {
		f := transcript.NewFile(path, Decoder{}, transcript.Options{Nested: Nested{}})
		turns := 0
		if err := f.Read(b.Context(), func(api.Turn) error { turns++; return nil }); err != nil || turns < 1000 {
			b.Fatalf("%d turns, %v", turns, err)
		}
	}
}
