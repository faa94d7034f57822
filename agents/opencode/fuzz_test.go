package opencode

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"ccdir/agents"
	"ccdir/api"
)

// FuzzEvents: whatever the server says, reports are bounded and can be saved.
func FuzzEvents(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "payloads", "*.json"))
	if err != nil || len(files) == 0 {
		f.Fatal(err)
	}
	for _, file := range append(files, filepath.Join("testdata", "events.jsonl")) {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		tracker := &tracker{}
		lines := bytes.Split(data, []byte("\n"))
		if json.Valid(data) {
			lines = [][]byte{data}
		}
		for _, line := range lines {
			for _, r := range tracker.read(line, time.Unix(1, 0)) {
				if _, err := json.Marshal(r.Hook); err != nil || !utf8.ValidString(r.Hook.Message) || len(r.Hook.Reply) > 40<<10 {
					t.Fatalf("%v %+v", err, r)
				}
				if q, ok := (Adapter{}).DialogRequest(r.Hook); ok {
					_ = Adapter{}.AsksLine(q.Tool, q.Input, "/")
					_ = answers(q, "a\nb")
					_ = Adapter{}.PermissionReply(api.Decision{Request: q})
				}
			}
		}
	})
}

// FuzzStream: a stream is read to its end, whatever it holds.
func FuzzStream(f *testing.F) {
	f.Add([]byte("data: {\"type\":\"server.connected\"}\n\ndata: {}\ndata: x\r\n\r\n: comment\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		l := &line{events: bufio.NewReaderSize(bytes.NewReader(data), 16), watch: time.NewTimer(time.Hour), asked: map[string]bool{}}
		defer l.watch.Stop()
		for range len(data) + 1 {
			event, err := l.event()
			if err != nil {
				return
			}
			l.read(event)
		}
		t.Error("the stream does not end")
	})
}

func FuzzConfig(f *testing.F) {
	f.Add(`{"permission":"allow"}`)
	f.Add(`{"permission":{"bash":"allow"},"mcp":[]}`)
	f.Fuzz(func(t *testing.T, own string) {
		for _, last := range []string{"", closed} {
			out, err := managedConfig(agents.Start{MCP: true, Shim: "/s", Preapproved: []string{"read"}}, own, asked, "file:///p", last)
			if err == nil && (!json.Valid([]byte(out)) || !strings.Contains(out, "file:///p")) {
				t.Errorf("%q", out)
			}
		}
	})
}

func FuzzPrint(f *testing.F) {
	f.Add([]byte("{\"type\":\"text\",\"part\":{\"text\":\"x\"}}\n{\"type\":\"step_finish\",\"part\":{}}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if r, _ := (Adapter{}).PrintResult(data); !utf8.ValidString(r.Text) || !utf8.ValidString(r.Conversation) {
			t.Errorf("%+v", r)
		}
	})
}

// FuzzHook: what the plugin's hook gets from a model is read, or refused with an error.
func FuzzHook(f *testing.F) {
	f.Add(HookPreToolUse, []byte(`{"cwd":"/p","reported":true,"tool_name":"task","tool_input":{"paths":["/a"]},"tool_use_id":"c"}`))
	f.Add("Nonesuch", []byte(`{"tool_name":1}`))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		h, err := Adapter{}.DecodeHook(name, time.Unix(1, 0), data)
		if use, ok := (Adapter{}).ToolUse(h); err == nil && ok && (use.Tool == "" || name != HookPreToolUse) {
			t.Errorf("%+v", use)
		}
	})
}
