package gemini

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"
	"unicode/utf8"

	"ccdir/agents"
	"ccdir/api"
)

func seeds(f *testing.F, glob string) {
	files, err := filepath.Glob(glob)
	if err != nil || len(files) == 0 {
		f.Fatal(glob, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
}

// FuzzSettings: comments are blanks, and JSON without any is as it was.
func FuzzSettings(f *testing.F) {
	f.Add([]byte(`{"a": "/* // \" */", /* b */ "c": 1 // d` + "\n}"))
	f.Add([]byte(`{"hooks":[1],"ui":"x","mcpServers":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		out := stripComments(data)
		if len(out) != len(data) {
			t.Fatal("places move")
		}
		if json.Valid(data) && string(out) != string(data) {
			t.Errorf("%q became %q", data, out)
		}
		var own map[string]any
		if json.Unmarshal(out, &own) != nil {
			return
		}
		if _, err := json.Marshal(managedSettings(agents.Start{Shim: "/s", MCP: true, Preapproved: []string{"read"}}, own)); err != nil {
			t.Error(err)
		}
	})
}

func FuzzHook(f *testing.F) {
	seeds(f, "testdata/payloads/*.json")
	f.Fuzz(func(t *testing.T, data []byte) {
		for name := range hookKinds {
			h, err := Adapter{}.DecodeHook(name, time.Unix(1, 0), data)
			if err != nil {
				continue
			}
			if !utf8.ValidString(h.Message) || len(h.Reply) > 40<<10 || !json.Valid(h.Data) {
				t.Errorf("%s: %+v", name, h)
			}
			if q, ok := (Adapter{}).DialogRequest(h); ok && (!json.Valid(q.Input) || !utf8.ValidString((Adapter{}).AsksLine(q.Tool, q.Input, "/"))) {
				t.Errorf("%s: %+v", name, q)
			}
			_, _ = Adapter{}.ToolUse(h)
		}
	})
}

func FuzzPrint(f *testing.F) {
	f.Add([]byte("{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"x\"}\n{\"type\":\"result\",\"status\":\"success\"}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if r, _ := (Adapter{}).PrintResult(data); !utf8.ValidString(r.Text) || !utf8.ValidString(r.Conversation) {
			t.Errorf("%+v", r)
		}
	})
}

func FuzzConversation(f *testing.F) {
	seeds(f, "testdata/*.jsonl")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(dir, "session-x-11111111.jsonl")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		err := Adapter{}.OpenConversation(agents.Conversation{ID: "11111111-2", Path: path}).Read(t.Context(), func(turn api.Turn) error {
			_, err := json.Marshal(turn)
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// FuzzReadScreen: a screen is what the model had printed.
func FuzzReadScreen(f *testing.F) {
	seeds(f, "testdata/screens/*.ansi")
	f.Fuzz(func(t *testing.T, data []byte) {
		s, ok := Adapter{}.ReadScreen(string(data))
		if !ok && (s.Input != "" || len(s.Queued) > 0) || ok && s.Loading {
			t.Errorf("%+v", s)
		}
	})
}
