package gemini

import (
	"os"
	"path/filepath"
	"testing"

	"ccdir/api"
)

// TestFileAtEnd: a prompt whose last word is the beginning of a file's name is one turn with that
// text.
func TestFileAtEnd(t *testing.T) {
	ctx, p, _ := agent.Product(t, nil)
	for _, name := range []string{"main.go", "map.go"} {
		if err := os.MkdirAll(filepath.Join(p.Place.CWD, "src"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(p.Place.CWD, "src", name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "explain @src/ma")
	p.Until(ctx, id, "the prompt as it was sent", func(s api.Session) bool { return s.Prompt == "explain @src/ma" })
}
