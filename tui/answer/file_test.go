package answer

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ccdir/api"
	"ccdir/tui/answer/request"
	"ccdir/tui/ui/uitest"
)

// TestWriteShowsWhatChanges: a Write is compared with the file that it replaces.
func TestWriteShowsWhatChanges(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("a.txt", "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n")
	write("binary", "\xff\xfe")
	write("large", strings.Repeat("x\n", request.MaxCompared))
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	content := "one\ntwo\nthree\nFOUR\nfive\nsix\nseven\neight\n"
	for name, want := range map[string][]string{
		"a.txt":  {"what changes in the file:", "- four", "+ FOUR", "  three"},
		"none":   {"a new file:", "+ one", "+ FOUR"},
		"binary": {"no text that can be compared", "+ FOUR"},
		"large":  {"too large to be compared", "+ FOUR"},
		"pipe":   {"it is no regular file now", "+ FOUR"},
	} {
		input, err := json.Marshal(map[string]string{"file_path": name, "content": content})
		if err != nil {
			t.Fatal(err)
		}
		r, _ := asked(t, api.Request{ID: "r1", Session: "bbbb2222", Tool: "Write", CWD: dir, Since: uitest.Epoch, Input: input})
		r.Shows(want...)
		if screen := r.Dump(); name == "a.txt" && (strings.Contains(screen, "eight") || strings.Contains(screen, "- one")) {
			t.Errorf("what does not change is shown:\n%s", screen)
		}
	}
}
