package daemon

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"ccdir/api"
)

// TestAllWorktrees: without a directory the work trees of all repositories are listed, each once:
// those of the configuration, of sessions, and those in which ccdir made one.
func TestAllWorktrees(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	home, err := filepath.EvalSymlinks(p.paths.Home)
	if err != nil {
		t.Fatal(err)
	}
	git := func(dir string, args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "HOME="+home)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	for _, name := range []string{"configured", "used", "made"} {
		repo := filepath.Join(home, name)
		if err := os.MkdirAll(repo, 0o700); err != nil {
			t.Fatal(err)
		}
		git(repo, "init", "-q", "-b", "main")
		git(repo, "commit", "-q", "--allow-empty", "-m", "one")
	}
	git(filepath.Join(home, "used"), "worktree", "add", "-q", "-b", "side", filepath.Join(home, "side"))
	p.config("[[repos]]\nname = \"c\"\npath = \"" + filepath.Join(home, "configured") + "\"\n[[repos]]\nname = \"none\"\npath = \"" + p.paths.Config + "\"\n")
	p.run()
	s := p.create(api.NewSession{Argv: sh("sleep 60"), CWD: filepath.Join(home, "side")})
	var made api.WorktreeMade
	p.call("POST", "/v1/worktrees", api.NewWorktree{Dir: filepath.Join(home, "made"), Branch: "fix"}, &made)
	var list []api.Worktree
	p.call("GET", "/v1/worktrees", nil, &list)
	var got []string
	for _, w := range list {
		got = append(got, filepath.Base(w.Repo)+" "+w.Branch)
		if (w.Branch == "side") != slices.Equal(w.Sessions, []string{s.ID}) {
			t.Errorf("sessions of %s: %v", w.Path, w.Sessions)
		}
	}
	if want := []string{"configured main", "made fix", "made main", "used main", "used side"}; !slices.Equal(slices.Sorted(slices.Values(got)), want) {
		t.Errorf("listed: %q, want %q", got, want)
	}
	if i := slices.Index(got, "made fix"); i < 1 || got[i-1] != "made main" {
		t.Errorf("the main work tree does not come first: %q", got)
	}
}
