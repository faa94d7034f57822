package daemon

import (
	"os"
	"path/filepath"
	"testing"

	"ccdir/internal/api"
)

// TestRoleDefaults: a session that is started without a role has that of the
// nearest repository around it, else the configured one.
func TestRoleDefaults(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	at := func(dir string) string { return filepath.Join(p.paths.Home, dir) }
	for _, dir := range []string{"repo/inner/deep", "repo-beside", "plain"} {
		if err := os.MkdirAll(at(dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	p.config("role = \"tester\"\n[[repos]]\npath = \"" + at("repo") + "\"\nrole = \"lead\"\n[[repos]]\npath = \"" + at("repo/inner") + "\"\nrole = \"dev\"\n[[repos]]\npath = \"" + at("plain") + "\"\n")
	p.run()
	for _, c := range []struct{ dir, role, want string }{
		{"repo", "", "lead"}, {"repo/inner", "", "dev"}, {"repo/inner/deep", "", "dev"}, {"repo-beside", "", "tester"}, {"plain", "", "tester"}, {"repo", "tester", "tester"},
	} {
		s := p.create(api.NewSession{Argv: sh("exec sleep 1000"), CWD: at(c.dir), Role: c.role})
		if s.Role != c.want {
			t.Errorf("in %s with role %q: %q, want %q", c.dir, c.role, s.Role, c.want)
		}
	}
}
