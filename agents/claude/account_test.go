package claude

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/agents"
)

// TestCopyConversation: the file and those of subagents go along; what has gone on there is never
// shortened, and two ways are an error.
func TestCopyConversation(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	const id = "0f3a7a52-0000-4000-8000-000000000001"
	c := agents.Conversation{ID: id, CWD: "/src/api", Env: []string{"CLAUDE_CONFIG_DIR=" + from}}
	there := []string{"CLAUDE_CONFIG_DIR=" + to}
	copied := func(name, want string) {
		t.Helper()
		if got, err := os.ReadFile(filepath.Join(to, "projects", "-src-api", name)); err != nil || string(got) != want {
			t.Fatalf("%s: %q, %v", name, got, err)
		}
	}
	write := func(root, name, text string) {
		path := filepath.Join(root, "projects", "-src-api", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := (Adapter{}).CopyConversation(c, there); err == nil {
		t.Fatal("a conversation without a file was copied")
	}
	write(from, id+".jsonl", "a\n")
	write(from, id+"/subagents/agent-1.jsonl", "s\n")
	if kept, err := (Adapter{}).CopyConversation(c, there); err != nil || !strings.Contains(kept, "went along") {
		t.Fatal(kept, err)
	}
	copied(id+".jsonl", "a\n")
	copied(id+"/subagents/agent-1.jsonl", "s\n")
	write(to, id+".jsonl", "a\nb\n") // it went on there
	if _, err := (Adapter{}).CopyConversation(c, there); err != nil {
		t.Fatal(err)
	}
	copied(id+".jsonl", "a\nb\n")
	write(from, id+".jsonl", "a\nc\n")
	if _, err := (Adapter{}).CopyConversation(c, there); err == nil || !strings.Contains(err.Error(), "its own way") {
		t.Fatal(err)
	}
	copied(id+".jsonl", "a\nb\n")
}
