package realcli

import (
	"os"
	"path/filepath"
	"testing"

	"ccdir/api"
	"ccdir/test/fakeapi"
)

// TestSlowPromptHook: while a person's own hook of a prompt runs, the prompt is on its way and the
// session works, whatever title and session file say.
func TestSlowPromptHook(t *testing.T) {
	t.Parallel()
	Claude(t)
	for name, args := range variants {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := fakeapi.New(nil)
			defer fake.Close()
			ctx := limit(t)
			place := Home(t, fake.URL())
			if err := os.MkdirAll(filepath.Join(place.CWD, ".claude"), 0o700); err != nil {
				t.Fatal(err)
			}
			settings := `{"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "sleep 3"}]}]}}`
			if err := os.WriteFile(filepath.Join(place.CWD, ".claude", "settings.json"), []byte(settings), 0o600); err != nil {
				t.Fatal(err)
			}
			p := Install(t, place)
			id := p.New(ctx, args...)
			p.State(ctx, id, api.StateIdle)
			send(ctx, p, id, "over a slow hook")
			p.State(ctx, id, api.StateIdle)
			if n := reached(fake, "over a slow hook"); n != 1 {
				t.Errorf("idle, and the prompt reached the API %d times\n%s\n%s", n, p.Text(ctx, id), p.Dump())
			}
		})
	}
}
