package tmux

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestScopeOfARepository: the scope has the sessions of a repository and of its work trees, outlives the
// grid and the daemon, and going to a session outside of it leaves it.
func TestScopeOfARepository(t *testing.T) {
	r := newRig(t)
	shop, docs := filepath.Join(r.home, "shop"), filepath.Join(r.home, "docs")
	for _, dir := range []string{shop, docs} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		r.run("git", "-C", dir, "init", "-q")
		r.run("git", "-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "--allow-empty", "-m", "first")
	}
	tree := filepath.Join(r.home, "elsewhere")
	r.run("git", "-C", shop, "worktree", "add", "-q", "-b", "fix", tree)
	for name, dir := range map[string]string{"api": shop, "web": tree, "text": docs} {
		r.run("ccdir", append([]string{"new", "-n", name, "-C", dir, "--"}, echoing(name+"-here")...)...)
	}
	g := r.grid(160, 40)
	g.shows("api-here", "web-here", "text-here")
	g.keys("C-b", "w")
	g.shows("only the sessions of", "only docs", "only shop")
	g.text("shop")
	g.keys("Enter")
	g.shows("api-here", "web-here", "only shop")
	if s := g.lacks("text-here"); strings.Contains(s, "hidden") {
		t.Errorf("nobody has hidden anything:\n%s", s)
	}
	g.detach()
	r.run("ccdir", "daemon", "restart")
	again := r.open("again", 160, 40, "exec ccdir")
	again.shows("api-here", "web-here", "only shop (C-b w leaves)")
	again.lacks("text-here")
	again.keys("C-b", "w")
	again.shows("text-here")
	again.keys("C-b", "s")
	again.text("/docs")
	again.keys("Enter", "w")
	again.shows("only docs")
	again.lacks("api-here")
}
