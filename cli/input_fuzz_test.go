package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
)

// FuzzServers: a project's .mcp.json gets our entry and loses nothing, or is left alone.
func FuzzServers(f *testing.F) {
	for _, seed := range []string{"", "{}", `{"mcpServers":{}}`, `{"mcpServers":{"a":{"command":"x"}},"other":[1]}`, `{"mcpServers":null}`, `{"mcpServers":[]}`, `[]`, `null`, `{"mcpServers":{"ccdir":{}}}`} {
		f.Add([]byte(seed))
	}
	file := filepath.Join(f.TempDir(), mcpFile) // of this process, in which one input follows another
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		merged, has, err := addServer(file, "/opt/ccdir")
		if err != nil || has {
			return
		}
		var before, after map[string]json.RawMessage
		var servers map[string]json.RawMessage
		if json.Unmarshal(merged, &after) != nil || json.Unmarshal(after["mcpServers"], &servers) != nil || servers[api.MCPServer] == nil {
			t.Fatalf("%q became %q", data, merged)
		}
		_ = json.Unmarshal(data, &before) // it is one: addServer has read it
		for k := range before {
			if _, kept := after[k]; !kept {
				t.Errorf("%q lost %q", data, k)
			}
		}
	})
}

// FuzzRequestText: what an agent asks is shown in a line, with its control characters
// made visible.
func FuzzRequestText(f *testing.F) {
	f.Add("Bash", []byte("{\"command\":\"a\\u001b]0;x\\u0007\\nb\"}"), 20)
	f.Add("Edit", []byte(`{"file_path":"/a","old_string":"b"}`), 0)
	f.Add("AskUserQuestion", []byte(`[`), 3)
	f.Fuzz(func(t *testing.T, tool string, input []byte, n int) {
		text := textsafe.Cut(textsafe.Line(requestText(api.Request{Tool: tool, Input: input})), n%100)
		if strings.ContainsFunc(text, func(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 }) {
			t.Errorf("%q", text)
		}
	})
}
