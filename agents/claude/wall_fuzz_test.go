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
		get, _ := settingsOf(nil, dir)
		list := hosts(get)
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

// TestUnsure: a sign-in that walls hide is known.
func TestUnsure(t *testing.T) {
	for settings, want := range map[string]bool{
		`{}`:                                      false,
		`{"apiKeyHelper":"~/bin/key"}`:            true,
		`{"env":{"CLAUDE_CODE_USE_VERTEX":"1"}}`:  true,
		`{"env":{"CLAUDE_CODE_USE_BEDROCK":"1"}}`: true,
		`{"env":{"CLAUDE_CODE_USE_BEDROCK":"1","AWS_BEARER_TOKEN_BEDROCK":"x"}}`: false,
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "settings.json"), []byte(settings), 0o600); err != nil {
			t.Fatal(err)
		}
		if n := (Adapter{}).Needs([]string{"CLAUDE_CONFIG_DIR=" + dir}, dir); (n.Unsure != "") != want {
			t.Errorf("%s: %q", settings, n.Unsure)
		}
	}
}
