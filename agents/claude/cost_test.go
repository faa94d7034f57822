package claude

import (
	"os"
	"path/filepath"
	"testing"
)

// stateFile is what 2.1.329 leaves behind, cut to what is looked at.
const stateFile = `{"projects":{"/other":{"lastCost":9,"lastSessionId":"d"},"/p":{"hasTrustDialogAccepted":true,"lastCost":0.00176,"lastSessionId":"c"}}}`

func TestCost(t *testing.T) {
	for name, inside := range map[string]bool{"CLAUDE_CONFIG_DIR": true, "home": false} {
		home := t.TempDir()
		config := filepath.Join(home, ".claude")
		transcript := filepath.Join(config, "projects", "-p", "c.jsonl")
		if err := os.MkdirAll(config, 0o700); err != nil {
			t.Fatal(err)
		}
		if _, ok := (Adapter{}).Cost(transcript, "c"); ok {
			t.Errorf("%s: known without a file", name)
		}
		dir := home
		if inside {
			dir = config
		}
		if err := os.WriteFile(filepath.Join(dir, ".claude.json"), []byte(stateFile), 0o600); err != nil {
			t.Fatal(err)
		}
		if cost, ok := (Adapter{}).Cost(transcript, "c"); !ok || cost != 0.00176 {
			t.Errorf("%s: %v %v", name, cost, ok)
		}
		for _, other := range []string{"", "x"} {
			if cost, ok := (Adapter{}).Cost(transcript, other); ok {
				t.Errorf("%s: the conversation %q cost %v", name, other, cost)
			}
		}
	}
	if _, ok := (Adapter{}).Cost("", "c"); ok {
		t.Error("known without a transcript")
	}
}
