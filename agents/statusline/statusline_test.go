package statusline

import (
	"os"
	"path/filepath"
	"testing"
)

func write(t testing.TB, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestTheirs: the first file that has a status line counts, whatever it is worth.
func TestTheirs(t *testing.T) {
	for name, tt := range map[string]struct{ command, local, user, want string }{
		"none":               {},
		"the user's":         {"", "{}", `{"statusLine":{"type":"command","command":"mine"}}`, "mine"},
		"the first":          {"", `{"statusLine":{"command":"first"}}`, `{"statusLine":{"command":"mine"}}`, "first"},
		"an argument's":      {"given", `{"statusLine":{"command":"first"}}`, "", "given"},
		"a broken file":      {"", `{"statusLine":`, `{"statusLine":{"command":"mine"}}`, "mine"},
		"of another kind":    {"", `{"statusLine":{"type":"static"}}`, `{"statusLine":{"command":"mine"}}`, ""},
		"null":               {"", `{"statusLine":null}`, `{"statusLine":{"command":"mine"}}`, "mine"},
		"switched off":       {"", "", `{"statusLine":{"command":"mine"},"disableAllHooks":true}`, ""},
		"switched on nearer": {"", `{"disableAllHooks":false}`, `{"statusLine":{"command":"mine"},"disableAllHooks":true}`, "mine"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			l := Line{Hook: "Line", Command: tt.command, Files: []string{filepath.Join(dir, "missing"), write(t, dir, "local", tt.local), write(t, dir, "user", tt.user)}}
			read, ok := Parse(append(l.Args(), "--later=x"))
			if !ok || read.Hook != l.Hook {
				t.Fatalf("%+v %v", read, ok)
			}
			if got := read.Theirs(); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func FuzzSettings(f *testing.F) {
	f.Add([]byte(`{"statusLine":{"type":"command","command":"x","padding":0},"disableAllHooks":false}`))
	f.Add([]byte(`{"statusLine":[1],"disableAllHooks":"yes"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := write(t, t.TempDir(), "settings.json", string(data))
		s, ok := Read(path)
		if !ok && (s.Object != nil || s.Off != nil) {
			t.Error("something of a file that cannot be read")
		}
		_ = Line{Files: []string{path}}.Theirs()
	})
}
