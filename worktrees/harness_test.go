package worktrees

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/api"
)

// place is a repository for tests, with a keeper.
type place struct {
	t testing.TB
	// dir is the main work tree, state the keeper's directory.
	dir, state string
	k          *Keeper
	sessions   []Session
	// pause is Options.Pause.
	pause func(string)
}

// newPlace makes a repository with one commit on main.
func newPlace(t testing.TB) *place { t.Helper(); return newPlaceWith(t) }

// newPlaceWith is newPlace with options of git init.
func newPlaceWith(t testing.TB, options ...string) *place {
	t.Helper()
	root := resolved(t.TempDir())
	p := &place{t: t, dir: filepath.Join(root, "repo"), state: filepath.Join(root, "state")}
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	p.git(append([]string{"init", "-q", "-b", "main"}, options...)...)
	for _, kv := range []string{"user.name x", "user.email x@example.org", "commit.gpgsign false", "protocol.file.allow always"} {
		k, v, _ := strings.Cut(kv, " ")
		p.git("config", k, v)
	}
	p.write("a.txt", "one\ntwo\nthree\nfour\nfive\nsix\nseven\n")
	p.commit("first")
	p.k = New(Options{Trees: p.state, Trash: filepath.Join(p.state, "trash"), Sessions: func(context.Context, bool) []Session { return p.sessions }, Pause: func(point string) {
		if p.pause != nil {
			p.pause(point)
		}
	}})
	return p
}

// gitIn runs git in a directory, as a person would.
func (p *place) gitIn(dir string, args ...string) string {
	p.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %q: %v: %s", args, err, out)
	}
	return strings.TrimSuffix(string(out), "\n")
}

func (p *place) git(args ...string) string { p.t.Helper(); return p.gitIn(p.dir, args...) }

func (p *place) write(name, text string) { p.t.Helper(); writeIn(p.t, p.dir, name, text) }

func writeIn(t testing.TB, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (p *place) commit(message string) string { p.t.Helper(); return p.commitIn(p.dir, message) }

func (p *place) commitIn(dir, message string) string {
	p.t.Helper()
	p.gitIn(dir, "add", "-A")
	p.gitIn(dir, "commit", "-q", "--allow-empty", "-m", message)
	return p.gitIn(dir, "rev-parse", "HEAD")
}

// tree makes a work tree with git alone, as a person would.
func (p *place) tree(branch string) string {
	p.t.Helper()
	dir := filepath.Join(filepath.Dir(p.dir), "trees", branch)
	p.git("worktree", "add", "-q", "-b", branch, dir)
	return dir
}

// list is List by branch.
func (p *place) list() map[string]api.Worktree {
	p.t.Helper()
	list, err := p.k.List(p.t.Context(), p.dir, false)
	if err != nil {
		p.t.Fatal(err)
	}
	by := map[string]api.Worktree{}
	for _, w := range list {
		if w.Error != "" {
			p.t.Errorf("%s: %s", w.Path, w.Error)
		}
		by[w.Branch] = w
	}
	return by
}

// paths are a work tree's paths with type, mode and content; .git is left out.
func paths(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err == nil && rel == ".git" && e.IsDir() {
			return filepath.SkipDir // of a main tree
		}
		if err != nil || rel == ".git" {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		content := ""
		switch {
		case info.Mode()&os.ModeSymlink != 0:
			content, err = os.Readlink(path)
		case info.Mode().IsRegular():
			var data []byte
			data, err = os.ReadFile(path)
			content = string(data)
		}
		all[rel] = info.Mode().String() + " " + content
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
