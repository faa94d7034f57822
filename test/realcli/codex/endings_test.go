package codex

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/api"
)

// TestFileAtEnd: a prompt whose last word names a file is one turn with that text, also where the
// word is the beginning of a file's name.
func TestFileAtEnd(t *testing.T) {
	ctx, p, fake := agent.Product(t, nil)
	for _, name := range []string{"main.go", "map.go"} {
		if err := os.MkdirAll(filepath.Join(p.Place.CWD, "src"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(p.Place.CWD, "src", name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	id := p.New(ctx)
	p.Run(ctx, "send", id, "hello")
	p.Answered(ctx, id, "You said: hello")
	for _, text := range []string{"fix the bug in @src/map.go", "explain @src/ma"} {
		p.Run(ctx, "send", id, text)
		p.Answered(ctx, id, "You said: "+text)
		if !fake.Heard(text) {
			t.Errorf("the model did not hear %q", text)
		}
	}
}

// TestElsewhere: a conversation that is resumed in another folder starts there without a question.
func TestElsewhere(t *testing.T) {
	ctx, p, fake := agent.Product(t, nil)
	id := p.New(ctx)
	p.Run(ctx, "send", id, "remember me")
	before := p.Answered(ctx, id, "You said: remember me")
	p.Run(ctx, "kill", id)
	p.State(ctx, id, api.StateExited)
	dir := t.TempDir()
	other := p.Run(ctx, "new", "-a", "codex", "-C", dir, "--resume", before.Conversation, "-p", "go on there")
	p.Answered(ctx, other, "You said: go on there")
	last := string(fake.Requests()[len(fake.Requests())-1].Body)
	if !strings.Contains(last, "remember me") || !strings.Contains(last, "<cwd>"+dir) {
		t.Errorf("the conversation did not go on in %s: %s", dir, last)
	}
}
