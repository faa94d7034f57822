package reviews

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ccdir/api"
)

// TestWritten: which files a call is going to write.
func TestWritten(t *testing.T) {
	for i, c := range []struct {
		tool, input string
		want        []string
	}{
		{api.ToolWrite, `{"file_path":"/a/b","content":"x"}`, []string{"/a/b"}},
		{api.ToolEdit, `{"file_path":"b"}`, []string{"b"}},
		{api.ToolNotebookEdit, `{"notebook_path":"/n.ipynb"}`, []string{"/n.ipynb"}},
		{api.ToolPatch, `{"files":[{"path":"a","change":"update","move_to":"b"},{"path":"c","change":"add"}]}`, []string{"a", "b", "c"}},
		{api.ToolRead, `{"file_path":"/a/b"}`, nil},
		{api.ToolBash, `{"command":"touch x"}`, nil},
		{api.ToolPatch, `{"files":"x"}`, nil},
		{api.ToolWrite, `{}`, nil},
	} {
		if got := written(api.ToolUse{Tool: c.tool, Input: json.RawMessage(c.input)}); !slices.Equal(got, c.want) {
			t.Errorf("%d: %q, want %q", i, got, c.want)
		}
	}
}

// TestBefore: what a tool is about to write is kept when the hook is answered; in a repository of git nothing is.
func TestBefore(t *testing.T) {
	f := NewFiles(func(id string) string { return filepath.Join(t.TempDir(), id) }, nil)
	root := t.TempDir()
	use := api.ToolUse{Tool: api.ToolWrite, Input: json.RawMessage(`{"file_path":"sub/a"}`)}
	<-f.Before(api.Caller{Session: "s", Root: root, CWD: root}, use, nil)
	n, err := f.names("s", false)
	if err != nil || n == nil {
		t.Fatal(n, err)
	}
	if count, _ := n.Len(); count != 1 {
		t.Errorf("%d are named", count)
	}
	if err := os.Mkdir(filepath.Join(root, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	sub := filepath.Join(root, "sub")
	<-f.Before(api.Caller{Session: "g", Root: sub, CWD: sub}, use, nil)
	if n, err := f.names("g", false); n != nil || err != nil {
		t.Errorf("in a repository: %v %v", n, err)
	}
}

func FuzzWritten(f *testing.F) {
	f.Add(api.ToolPatch, `{"files":[{"path":"a","move_to":"b"}]}`)
	f.Add(api.ToolWrite, `{"file_path":"a"}`)
	f.Fuzz(func(t *testing.T, tool, input string) {
		for _, p := range written(api.ToolUse{Tool: tool, Input: json.RawMessage(input)}) {
			if len(p) > len(input) {
				t.Errorf("%q is not in %q", p, input)
			}
		}
	})
}
