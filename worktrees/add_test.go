package worktrees

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/api"
)

// TestAdd: a new branch, from where the caller stands, in the corresponding directory.
func TestAdd(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write("sub/dir/x", "x")
	head := p.commit("sub")
	made, err := p.k.Add(t.Context(), api.NewWorktree{Dir: filepath.Join(p.dir, "sub", "dir"), Branch: "feature/one", Env: os.Environ()})
	want := filepath.Join(p.state, "repo", "feature-one")
	if err != nil || made.Path != want || made.Dir != filepath.Join(want, "sub", "dir") || made.From != "main@"+short(head) || made.Head != head || made.Port < 10000 || made.Existed {
		t.Fatalf("%v %+v", err, made)
	}
	if up, err := (run{dir: p.dir}).line(t.Context(), "config", "branch.feature/one.merge"); err == nil {
		t.Errorf("it follows %s", up)
	}
	again, err := p.k.Add(t.Context(), api.NewWorktree{Dir: p.dir, Branch: "feature/one"})
	if err != nil || !again.Existed || again.Path != want || again.Port != made.Port {
		t.Errorf("%v %+v", err, again)
	}
	// From inside of it, another branch begins there; a place that is taken is not used.
	writeIn(t, want, "y", "y")
	on := p.commitIn(want, "y")
	other, err := p.k.Add(t.Context(), api.NewWorktree{Dir: want, Branch: "feature-one"})
	if err != nil || other.Head != on || other.Path != want+"-2" || other.From != "feature/one@"+short(on) || other.Port == made.Port {
		t.Errorf("%v %+v", err, other)
	}
	if w := p.list()["feature-one"]; w.Target != "feature/one" || w.Merged != api.MergedSame {
		t.Errorf("%+v", w)
	}
	if env := strings.Join(Env(made.Dir), " "); !strings.Contains(env, "CCDIR_WORKTREE="+want+" ") || !strings.HasSuffix(env, "CCDIR_BRANCH=feature/one") {
		t.Errorf("%s", env)
	}
	if env := Env(p.dir); env != nil {
		t.Errorf("%q", env)
	}
	if len((&Repo{Common: filepath.Join(p.dir, ".git")}).records()) > 0 {
		t.Error("a record is left")
	}
	for branch, code := range map[string]api.Code{"": api.CodeInvalid, "a..b": api.CodeInvalid, "-x": api.CodeInvalid, "@{-1}": api.CodeInvalid} {
		if _, err := p.k.Add(t.Context(), api.NewWorktree{Dir: p.dir, Branch: branch}); api.CodeOf(err) != code {
			t.Errorf("%q: %v", branch, err)
		}
	}
	if _, err := p.k.Add(t.Context(), api.NewWorktree{Dir: p.dir, Branch: "z", Base: "nothing"}); api.CodeOf(err) != api.CodeInvalid {
		t.Errorf("%v", err)
	}
}

// TestAddBase: a base that is behind its remote says so; --fetch brings it; a remote branch
// of the name is followed.
func TestAddBase(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	clone := filepath.Join(filepath.Dir(p.dir), "clone")
	p.git("clone", "-q", p.dir, clone)
	p.commit("two")
	p.git("branch", "theirs")
	old := p.gitIn(clone, "rev-parse", "HEAD")
	made, err := p.k.Add(t.Context(), api.NewWorktree{Dir: clone, Branch: "one", Fetch: true, Env: os.Environ()})
	if err != nil || made.From != "main@"+short(old)+", 1 behind origin/main" || made.Head != old {
		t.Errorf("%v %+v", err, made)
	}
	made, err = p.k.Add(t.Context(), api.NewWorktree{Dir: clone, Branch: "two", Base: "origin/main"})
	if err != nil || made.From != "origin/main@"+short(p.git("rev-parse", "HEAD")) {
		t.Errorf("%v %+v", err, made)
	}
	made, err = p.k.Add(t.Context(), api.NewWorktree{Dir: clone, Branch: "theirs"})
	if err != nil || !strings.HasPrefix(made.From, "origin/theirs@") || p.gitIn(clone, "rev-parse", "--abbrev-ref", "theirs@{upstream}") != "origin/theirs" {
		t.Errorf("%v %+v", err, made)
	}
}

// TestBring: ignored files that the project names come along; others do not, and neither do
// files that git knows or that are not ignored.
func TestBring(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(".gitignore", ".env\nnode_modules/\n*.o\ncache/\nlinked\n")
	p.write(".worktreeinclude", ".env\nplain.txt\n")
	p.write(".ccdir.toml", "[worktree]\ncopy = [\"cache/*.bin\", \"/a.txt\"]\nlink = [\"node_modules\"]\nsetup = \"make deps\"\n")
	p.write("linked/.keep", "") // ignored but known, and outside
	p.commit("settings")
	p.write(".env", "SECRET=1\n")
	p.write("sub/.env", "SECRET=2\n")
	p.write("plain.txt", "not ignored")
	p.write("node_modules/x/y.js", "js")
	p.write("cache/a.bin", "bin")
	p.write("cache/a.txt", "txt")
	p.write("x.o", "o")
	made, err := p.k.Add(t.Context(), api.NewWorktree{Dir: p.dir, Branch: "topic"})
	if err != nil || made.Copied != 3 || made.Linked != 1 || made.CopiedBytes != 21 || made.SetupCommand != "make deps" {
		t.Fatalf("%v %+v", err, made)
	}
	for path, want := range map[string]bool{".env": true, "sub/.env": true, "plain.txt": false, "node_modules/x/y.js": true, "cache/a.bin": true, "cache/a.txt": false, "x.o": false} {
		if exists(filepath.Join(made.Path, path)) != want {
			t.Errorf("%s: %v", path, !want)
		}
	}
	if target, err := os.Readlink(filepath.Join(made.Path, "node_modules")); err != nil || target != filepath.Join(p.dir, "node_modules") {
		t.Error(target, err)
	}
	// What came along is not new.
	if w := p.list()["topic"]; w.Ignored != 0 || w.Untracked != 0 || w.Dirty != 0 {
		t.Errorf("%+v", w)
	}
	writeIn(t, made.Path, "y.o", "o")
	if w := p.list()["topic"]; w.Ignored != 1 {
		t.Errorf("%+v", w)
	}
	// A removal leaves what a link leads to.
	if _, err := p.k.Remove(t.Context(), api.RemoveWorktree{Dir: p.dir, Tree: "topic", Yes: true}); err != nil {
		t.Fatal(err)
	}
	if !exists(filepath.Join(p.dir, "node_modules", "x", "y.js")) {
		t.Error("the original is gone")
	}
}

// TestPlaces: templates, and what they may not be.
func TestPlaces(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	home := filepath.Dir(p.dir)
	p.k.o.Home = home
	r, err := Open(t.Context(), p.dir)
	if err != nil {
		t.Fatal(err)
	}
	for template, want := range map[string]string{
		"":                         filepath.Join(p.state, "repo", "a-b"),
		"{root}.{branch}":          p.dir + ".a-b",
		"~/trees/{repo}-{branch}":  home + "/trees/repo-a-b",
		"../{branch}":              home + "/a-b",
		"../trees":                 home + "/trees/a-b",
		"{root}/.git/x/{branch}":   "",
		"{root}/.worktrees/{repo}": p.dir + "/.worktrees/repo/a-b",
	} {
		got, err := p.k.placeFor(r, api.NewWorktree{Branch: "a/b"}, Settings{Place: template})
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q %v, want %q", template, got, err, want)
		}
	}
	for name, want := range map[string]string{"..": "tree", "/": "tree", "a/../b": "a-..-b", "é": "tree", strings.Repeat("x", 300): strings.Repeat("x", maxSlug)} {
		if got := slug(name); got != want {
			t.Errorf("%q: %q", name, got)
		}
	}
}

// TestSettings: what the file says, and mistakes in it.
func TestSettings(t *testing.T) {
	t.Parallel()
	for text, bad := range map[string]string{
		"": "", "isolate = \"if-busy\"\n[commands.test]\nrun = [\"x\"]": "", "isolate = 1": "isolate must be", "[worktree]\nplaces = \"x\"": "no such key",
		"[worktree]\ncopy = \"x\"": "another type", "[worktree]\ncopy = [1]": "another type", "[worktree": "line 1", "[worktree]\nwait = false\nsetup = \"x\"": "",
		"[checks]\nlint = \"make lint\"": "", "checks = 1": "must be a table", "[checks]\nlint = 1": "must be a shell command", "[checks]\n\"a b\" = \"x\"": "a check's name",
	} {
		var s Settings
		if err := s.parse(text); (err == nil) != (bad == "") || err != nil && !strings.Contains(err.Error(), bad) {
			t.Errorf("%q: %v, want %s", text, err, bad)
		}
	}
}

// FuzzSettings: no text makes settings that git would take for options.
func FuzzSettings(f *testing.F) {
	f.Add("isolate = \"always\"\n[worktree]\nplace = \"x\"\ncopy = [\"a\"]\nlink = []\nsetup = \"x\"\nwait = true\n")
	f.Fuzz(func(t *testing.T, text string) {
		var s Settings
		if s.parse(text) != nil {
			return
		}
		for _, p := range append(s.Copy, s.Link...) {
			if strings.ContainsAny(p, "\x00\n") {
				t.Errorf("%q", p)
			}
		}
	})
}

// TestCarry: staged, changed and new files come along, deletions too; nothing else, and the
// first tree stays as it was.
func TestCarry(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(".gitignore", "*.o\n")
	p.write("gone.txt", "gone")
	p.write("both.txt", "one")
	p.commit("files")
	dir := p.tree("topic")
	writeIn(t, dir, "both.txt", "staged")
	p.gitIn(dir, "add", "both.txt")
	writeIn(t, dir, "both.txt", "changed")
	writeIn(t, dir, "sub/new.txt", "new")
	writeIn(t, dir, "x.o", "ignored")
	p.gitIn(dir, "rm", "-q", "gone.txt")
	if err := os.Symlink("a.txt", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	before, said := paths(t, dir), p.stateOf(dir)
	made, err := p.k.Add(t.Context(), api.NewWorktree{Dir: dir, Branch: "fork", Carry: true})
	if err != nil || made.Carried != 4 {
		t.Fatalf("%v %+v", err, made)
	}
	want := maps.Clone(before)
	delete(want, "x.o")
	got := paths(t, made.Path)
	for path := range want { // who may read them is git's and the umask's
		want[path], got[path] = content(want[path]), content(got[path])
	}
	delete(got, ".")
	delete(want, ".")
	same(t, got, want)
	status := func(dir string) string { return p.gitIn(dir, "status", "--porcelain", "-uall") }
	if status(made.Path) != status(dir) {
		t.Errorf("%q, want %q", status(made.Path), status(dir))
	}
	same(t, paths(t, dir), before)
	if now := p.stateOf(dir); now != said {
		t.Errorf("%s\nand before\n%s", now, said)
	}
	if _, err := p.k.Add(t.Context(), api.NewWorktree{Dir: dir, Branch: "topic2", Carry: true, Base: "main~1"}); api.CodeOf(err) != api.CodeConflict {
		t.Errorf("%v", err)
	}
}

// content is what paths says of a file without its mode.
func content(is string) string {
	_, text, _ := strings.Cut(is, " ")
	return text
}

// TestCheck: what a work tree could not be made of is told before one is made.
func TestCheck(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.git("branch", "old")
	p.tree("there")
	for _, c := range []struct{ branch, base, want string }{
		{"new", "", ""}, {"new", "main", ""}, {"", "main", ""}, {"old", "", ""}, {"there", "", ""},
		{"a..b", "", "git allows no branch called"}, {"new", "nothing", `"nothing" is no commit or branch`}, {"", "nothing", "no commit or branch"}, {"old", "main", "exists already"},
	} {
		err := p.k.Check(t.Context(), api.NewWorktree{Dir: p.dir, Branch: c.branch, Base: c.base})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q from %q: %v, want %q", c.branch, c.base, err, c.want)
		}
	}
	if err := p.k.Check(t.Context(), api.NewWorktree{Dir: p.state, Branch: "x"}); err == nil {
		t.Error("outside of a repository nothing is wrong")
	}
	if len(p.list()) != 2 || p.git("branch", "--list", "new") != "" {
		t.Error("something was made")
	}
}

// TestSetupNotCommitted: a setup command that no commit has is not run, and that is said.
func TestSetupNotCommitted(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(".ccdir.toml", "[worktree]\nsetup = \"make\"\n")
	made, err := p.k.Add(t.Context(), api.NewWorktree{Dir: p.dir, Branch: "one"})
	if notes := strings.Join(made.Notes, "\n"); err != nil || made.SetupCommand != "" || !strings.Contains(notes, "setup is read from the commit at which the branch begins, which has none: commit .ccdir.toml") {
		t.Errorf("%v %+v", err, made)
	}
	p.commit("setup")
	made, err = p.k.Add(t.Context(), api.NewWorktree{Dir: p.dir, Branch: "two"})
	if err != nil || made.SetupCommand != "make" || len(made.Notes) > 0 {
		t.Errorf("committed: %v %+v", err, made)
	}
	p.write(".ccdir.toml", "[worktree]\nsetup = \"make all\"\n")
	made, err = p.k.Add(t.Context(), api.NewWorktree{Dir: p.dir, Branch: "three"})
	if notes := strings.Join(made.Notes, "\n"); err != nil || made.SetupCommand != "make" || !strings.Contains(notes, "which is another one") {
		t.Errorf("changed: %v %+v", err, made)
	}
}
