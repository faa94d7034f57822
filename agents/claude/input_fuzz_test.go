package claude

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"ccdir/api"
)

// FuzzToolInput: the input of a tool that an agent wants to use, which is the model's: a
// question is one that can be shown and answered, an answer keeps all else of the input,
// and a rule that is offered is about this very call.
func FuzzToolInput(f *testing.F) {
	for _, seed := range []string{`{"questions":[{"question":"Which?","options":[{"label":"a"},{"label":"b"}],"multiSelect":true}],"x":1}`,
		`{"questions":[{"question":"a"},{"question":"a"}]}`, `{"questions":[{"question":"a"},{"question":"b"}],"answers":{"a":"old"}}`,
		`{"command":"ls -la"}`, `{"command":" ls*"}`, `{"file_path":"/a/b.go"}`, `{"file_path":"/a/../b"}`, `{"url":"https://example.org/x"}`, `{"url":"https://[::1"}`, `null`, `[`, "{\"command\":\"a\\u001b\"}"} {
		f.Add(seed, "a\nb")
	}
	f.Fuzz(func(t *testing.T, input, text string) {
		r := api.Request{Tool: "AskUserQuestion", Input: json.RawMessage(input)}
		describeQuestions(&r)
		for _, c := range r.Choices {
			if strings.ContainsFunc(c, unicode.IsControl) {
				t.Errorf("choice %q", c)
			}
		}
		if out := answerQuestions(r, text); out != nil {
			var before, after map[string]json.RawMessage
			if json.Unmarshal([]byte(input), &before) != nil || json.Unmarshal(out, &after) != nil {
				t.Fatalf("%q became %q", input, out)
			}
			for k := range before {
				if _, kept := after[k]; !kept {
					t.Errorf("%q lost %q: %s", input, k, out)
				}
			}
		}
	})
}

// FuzzCost: an agent's own file of its state tells a cost that can be one, of that
// conversation, or none.
func FuzzCost(f *testing.F) {
	f.Add([]byte(`{"projects":{"/x":{"lastCost":1.5,"lastSessionId":"c"}}}`))
	f.Add([]byte(`{"projects":{"/x":{"lastCost":-1,"lastSessionId":"c"},"/y":{"lastCost":"1"}}}`))
	f.Add([]byte(`{"projects":null`))
	file := filepath.Join(f.TempDir(), ".claude.json") // of this process, in which one input follows another
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if usd, ok := lastCost(file, "c"); ok && (usd < 0 || !json.Valid(data) && !strings.Contains(string(data), "{")) {
			t.Errorf("%q costs %v", data, usd)
		}
	})
}

// FuzzOwnSettings: the settings that a person gives an agent on its command line are
// taken out of it or refused, and every other argument stays.
func FuzzOwnSettings(f *testing.F) {
	f.Add("--model opus --settings {} x", `{"a":1}`)
	f.Add("--settings=[]", `{"a":1}`)
	f.Add("-- --settings {", `{}`)
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, line, content string) {
		if err := os.WriteFile(filepath.Join(dir, "own"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		args := strings.Fields(line)
		for i := range args {
			if strings.ContainsRune(args[i], '/') {
				return // no other files
			}
		}
		rest, own, err := takeSettings(args, dir)
		if err == nil && (len(rest) > len(args) || len(rest) == len(args) && own != nil) {
			t.Errorf("%q became %q, %v", args, rest, own)
		}
	})
}
