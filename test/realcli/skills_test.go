package realcli

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"ccdir/api"
	"ccdir/test/fakeapi"
)

// TestSkillsHaveHooks: the head of a command's or a skill's file can have hooks, which run what they
// like. So changing such a file always asks (policy/protect.go).
func TestSkillsHaveHooks(t *testing.T) {
	t.Parallel()
	bash := fakeapi.Tool(api.ToolBash, map[string]any{"command": "true", "description": "does nothing"})
	fake := fakeapi.New(fakeapi.Turns(bash, fakeapi.Text("one"), bash, fakeapi.Text("two")))
	defer fake.Close()
	place := Home(t, fake.URL())
	proof := func(name string) string { return filepath.Join(place.CWD, "proof-of-"+name) }
	for name, path := range map[string]string{"first": "commands/first.md", "second": "skills/second/SKILL.md"} {
		file := filepath.Join(place.CWD, ".claude", filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		const head = "---\nname: %s\ndescription: test\nhooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          command: touch %s\n---\nDo it.\n"
		if err := os.WriteFile(file, fmt.Appendf(nil, head, name, proof(name)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p := Install(t, place)
	ctx := limit(t)
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	for _, c := range []struct{ name, answer string }{{"first", "one"}, {"second", "two"}} {
		p.Run(ctx, "send", id, "/"+c.name)
		p.Answered(ctx, id, c.answer)
		if _, err := os.Stat(proof(c.name)); err != nil {
			t.Errorf("the hook of %s did not run: its folder may be left out of policy/protect.go\n%s", c.name, p.Dump())
		}
	}
}
