package setup

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"ccdir/api"
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
