package claude

import (
	"os"
	"path/filepath"
	"testing"

	"ccdir/sandbox"
)

// FuzzHosts: whatever the settings say, a wall gets hosts that it can parse, and at least one.
func FuzzHosts(f *testing.F) {
	f.Add(`{"env":{"ANTHROPIC_BASE_URL":"http://localhost:8080"}}`)
	f.Add(`{"env":{"ANTHROPIC_BASE_URL":"https://[::1]:1/x","CLAUDE_CODE_USE_BEDROCK":"1","AWS_REGION":"eu-west-1"}}`)
	f.Add(`{"env":{"CLAUDE_CODE_USE_BEDROCK":"1","AWS_REGION":"a b\n*"}}`)
	f.Fuzz(func(t *testing.T, settings string) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "settings.json"), []byte(settings), 0o600); err != nil {
			t.Fatal(err)
		}
		list := hosts(nil, dir)
		if len(list) == 0 {
			t.Error("no host")
		}
		for _, host := range list {
			if _, err := sandbox.ParseHost(host); err != nil {
				t.Errorf("%q: %v", host, err)
			}
		}
	})
}
