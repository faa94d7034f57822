package codex

import (
	"os"
	"path/filepath"
	"testing"

	"ccdir/api"
	"ccdir/test/fakeapi"
)

// TestWorkdir: rules hold where a command runs in another directory than the session's.
func TestWorkdir(t *testing.T) {
	ctx, p, fake := agent.Product(t, fakeapi.Turns(
		fakeapi.Tool("exec_command", map[string]any{"cmd": "cat key", "workdir": "secrets"}), fakeapi.Text("one"),
		fakeapi.Tool("exec_command", map[string]any{"cmd": "cat key > ../copied", "workdir": "secrets"}), fakeapi.Text("two")))
	dir := filepath.Join(p.Place.CWD, "secrets")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "key"), []byte("the key"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.Policy("[roles.dev]\ndeny = [\"Read(./secrets/**)\"]\n")
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "1")
	p.Answered(ctx, id, "one")
	p.Run(ctx, "send", id, "2")
	p.Answered(ctx, id, "two")
	if !fake.Heard("is what the rule is about") {
		t.Errorf("the command was not denied for the file in its directory\n%s", p.Dump())
	}
	if p.Has("copied") {
		t.Errorf("a command in the directory read what the policy denies\n%s", p.Dump())
	}
}
