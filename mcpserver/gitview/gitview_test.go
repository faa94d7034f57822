package gitview

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/internal/gitstatus/traptest"
)

// repo is a repository for one test.
type repo struct {
	t   *testing.T
	dir string
}

func newRepo(t *testing.T) *repo {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &repo{t, dir}
	r.git("init", "-q", "-b", "main")
	return r
}

func (r *repo) git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", r.dir, "-c", "user.name=Ann", "-c", "user.email=a@b"}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r *repo) write(name, text string) {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

func (r *repo) commit(message string) string {
	r.git("add", "-A")
	r.git("commit", "-qm", message)
	return r.git("rev-parse", "HEAD")
}

func (r *repo) view(dir string, may func(string) bool) *View {
	r.t.Helper()
	v, err := Open(context.Background(), filepath.Join(r.dir, dir), may)
	if err != nil {
		r.t.Fatal(err)
	}
	return v
}

func (r *repo) diff(v *View, q Question) *Diff {
	r.t.Helper()
	d, err := v.Diff(context.Background(), q)
	if err != nil {
		r.t.Fatal(err)
	}
	return d
}

func names(d *Diff) string {
	var list []string
	for _, f := range d.Files {
		list = append(list, f.Status+" "+f.Path)
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// TestScopes: each scope has what it is about, and nothing else.
func TestScopes(t *testing.T) {
	r := newRepo(t)
	r.write("a", "1\n2\n3\n")
	r.write("moved", strings.Repeat("the same\n", 20))
	r.write("sub/deep ü", "x\n")
	first := r.commit("first")
	r.git("checkout", "-qb", "topic")
	r.write("branch", "b\n")
	r.commit("on the branch")
	r.git("mv", "moved", "renamed")
	r.write("a", "1\nzwei\n3\n")
	r.write("bin", "\x00\x01")
	r.write("sub/deep ü", "x\ny\n")
	r.write("sub/new", "n\n")
	v := r.view("", nil)
	for scope, want := range map[string]string{
		"":          "modified a, modified sub/deep ü, renamed renamed, untracked bin, untracked sub/new",
		ScopeStaged: "renamed renamed",
		ScopeBranch: "added branch, modified a, modified sub/deep ü, renamed renamed, untracked bin, untracked sub/new",
	} {
		d := r.diff(v, Question{Scope: scope})
		if got := names(d); got != want || d.Truncated {
			t.Errorf("%q: got %s, want %s", scope, got, want)
		}
	}
	d := r.diff(v, Question{Paths: []string{"a"}})
	if len(d.Files) != 1 || d.Files[0].Added != 1 || d.Files[0].Deleted != 1 || d.Files[0].Patch != "@@ -1,3 +1,3 @@\n 1\n-2\n+zwei\n 3\n" || d.Base != r.git("rev-parse", "HEAD") {
		t.Errorf("got %+v", d)
	}
	if got := names(r.diff(v, Question{Revision: first + "..HEAD"})); got != "added branch" {
		t.Errorf("range: %s", got)
	}
	// What is outside of the directory is not shown.
	if got := names(r.diff(r.view("sub", nil), Question{})); got != "modified deep ü, untracked new" {
		t.Errorf("below: %s", got)
	}
	hidden := r.diff(r.view("", func(path string) bool { return !strings.HasPrefix(path, filepath.Join(r.dir, "sub")) }), Question{})
	if hidden.Hidden != 2 || strings.Contains(names(hidden), "sub") {
		t.Errorf("by the policy: %+v", hidden)
	}
	if d := r.diff(v, Question{Bytes: 10}); !d.Truncated || d.Files[0].Patch != "" {
		t.Errorf("bounded: %+v", d)
	}
	for _, q := range []Question{{Scope: "all"}, {Revision: "--output=x"}, {Revision: "nowhere"}, {Paths: []string{"../x"}}, {Scope: ScopeTurn}, {Scope: ScopeStaged, Revision: "HEAD"}} {
		if d, err := v.Diff(context.Background(), q); err == nil {
			t.Errorf("%+v: %+v", q, d)
		}
	}
}

// TestOf: what package review found of a turn, below the view's directory, by the policy and within the bounds of bytes.
func TestOf(t *testing.T) {
	r := newRepo(t)
	r.write("sub/a", "1\n")
	r.commit("first")
	n, none := 1, 0
	turn := api.ReviewDiff{Base: "b", Files: []api.ReviewFile{
		{Path: "sub/a", Status: api.FileChanged, Added: &n, Removed: &n, Hunks: []api.ReviewHunk{{OldStart: 1, OldLines: 1, NewStart: 1, NewLines: 1, Lines: []api.ReviewLine{{Kind: api.LineRemoved, Text: "1"}, {Kind: api.LineAdded, Text: "2", NoNewline: true}}}}},
		{Path: "sub/secret", Status: api.FileAdded, Added: &n, Removed: &none},
		{Path: "sub/deep/b", OldPath: "sub/b", Status: api.FileRenamed, Added: &none, Removed: &none},
		{Path: "other", Status: api.FileAdded, Added: &n, Removed: &none},
	}}
	v := r.view("sub", func(path string) bool { return !strings.HasSuffix(path, "secret") })
	d, err := v.Of(r.dir, turn, Question{})
	if err != nil {
		t.Fatal(err)
	}
	if got := names(d); got != "modified a, renamed deep/b" || d.Hidden != 1 || d.Files[1].Old != "b" || d.Base != "b" {
		t.Errorf("got %s, %+v", got, d)
	}
	if want := "@@ -1,1 +1,1 @@\n-1\n+2\n\\ No newline at end of file\n"; d.Files[0].Patch != want {
		t.Errorf("got %q", d.Files[0].Patch)
	}
	if d, err = v.Of(r.dir, turn, Question{Paths: []string{"deep"}, Bytes: 10}); err != nil || names(d) != "renamed deep/b" {
		t.Errorf("%+v %v", d, err)
	}
	if d, err = v.Of(r.dir, turn, Question{Bytes: 10}); err != nil || !d.Truncated || d.Files[0].Patch != "" {
		t.Errorf("%+v %v", d, err)
	}
	if _, err = v.Of(t.TempDir(), turn, Question{}); err == nil {
		t.Error("of another repository")
	}
}

// TestStatus: files by their state, what is under way, all work trees.
func TestStatus(t *testing.T) {
	r := newRepo(t)
	r.write("a", "1\n")
	r.write("old name", "2\n")
	r.commit("first")
	r.git("checkout", "-qb", "topic")
	r.write("a", "topic\n")
	r.commit("topic")
	r.git("checkout", "-q", "main")
	r.write("a", "main\n")
	r.commit("main")
	r.git("mv", "old name", "new name")
	r.git("commit", "-qm", "moved")
	_ = exec.Command("git", "-C", r.dir, "-c", "user.name=a", "-c", "user.email=a@b", "merge", "-q", "topic").Run() // conflicts
	r.write("dir/u", "")
	other := filepath.Join(t.TempDir(), "other")
	r.git("worktree", "add", "-q", "--detach", other)
	s, err := r.view("", nil).Status(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if s.Branch != "main" || s.Under != "merge" || !slices.Equal(s.Conflicts, []string{"a"}) || !slices.Equal(s.Untracked, []string{"dir/"}) || len(s.Worktrees) != 2 || s.Worktrees[0].Branch != "main" {
		t.Errorf("got %+v", s)
	}
	r.git("merge", "--abort")
	r.git("mv", "new name", "third name")
	r.write("a", "x\n")
	if s, err = r.view("", nil).Status(context.Background()); err != nil || !slices.Equal(s.Files, []File{{"a", "", "M"}, {"third name", "R", ""}}) {
		t.Errorf("got %+v, %v", s, err)
	}
	if _, err := Open(context.Background(), t.TempDir(), nil); err == nil {
		t.Error("no repository, and no error")
	}
}

// TestLogAndBlame: commits and lines, with bounds.
func TestLogAndBlame(t *testing.T) {
	r := newRepo(t)
	r.write("a", "1\n2\n")
	one := r.commit("one\n\nbecause")
	r.write("b", "1\n")
	r.commit("other")
	r.write("a", "1\nzwei\n")
	two := r.commit("two")
	r.write("a", "1\nzwei\ndrei\n")
	v := r.view("", nil)
	l, err := v.Log(context.Background(), "", []string{"a"}, 0)
	if err != nil || len(l.Commits) != 2 || l.Commits[0].Commit != two || l.Commits[1].Body != "because" || l.Commits[1].Author != "Ann" || time.Since(l.Commits[0].At) > time.Hour || !strings.Contains(l.Commits[0].Refs, "main") {
		t.Errorf("got %+v, %v", l, err)
	}
	if l, err = v.Log(context.Background(), one+"..", nil, 1); err != nil || len(l.Commits) != 1 || !l.Truncated {
		t.Errorf("got %+v, %v", l, err)
	}
	b, err := v.Blame(context.Background(), "a", "", 0, 0)
	if err != nil || len(b.Lines) != 3 || b.Lines[0] != (Line{1, one, "1"}) || b.Lines[1] != (Line{2, two, "zwei"}) || strings.Trim(b.Lines[2].Commit, "0") != "" || b.Commits[0].Subject != "one" {
		t.Errorf("got %+v, %v", b, err)
	}
	if b, err = v.Blame(context.Background(), "a", one, 2, 2); err != nil || len(b.Lines) != 1 || b.Lines[0] != (Line{2, one, "2"}) {
		t.Errorf("got %+v, %v", b, err)
	}
	if _, err := r.view("", func(string) bool { return false }).Blame(context.Background(), "a", "", 0, 0); err == nil || !strings.Contains(err.Error(), "policy") {
		t.Errorf("hidden: %v", err)
	}
}

// TestNothingRuns: programs that the repository's own settings name are not started.
func TestNothingRuns(t *testing.T) {
	r := newRepo(t)
	r.write("a.txt", "1\n")
	r.write(".gitattributes", "*.txt diff=x filter=x\n")
	r.commit("first")
	mark := filepath.Join(t.TempDir(), "mark")
	script := "touch " + mark + "; cat"
	for _, name := range []string{"diff.external", "diff.x.textconv", "diff.x.command", "filter.x.clean", "filter.x.smudge", "core.fsmonitor", "gpg.program", "core.pager", "pager.log", "pager.diff"} {
		r.git("config", name, script)
	}
	r.git("config", "log.showSignature", "true")
	r.write("a.txt", "2\n")
	v := r.view("", nil)
	for _, q := range []Question{{}, {Scope: ScopeStaged}, {Scope: ScopeBranch}, {Revision: "HEAD"}} {
		r.diff(v, q)
	}
	if _, err := v.Status(context.Background()); err != nil {
		t.Error(err)
	}
	if _, err := v.Log(context.Background(), "", []string{"a.txt"}, 5); err != nil {
		t.Error(err)
	}
	if _, err := v.Blame(context.Background(), "a.txt", "", 0, 0); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(mark); err == nil {
		t.Error("a program of the repository was run")
	}
}

// TestTraps: no program that a repository names runs whatever is asked.
func TestTraps(t *testing.T) {
	r := newRepo(t)
	r.write("a.txt", "one\n")
	r.write("b.txt", "one\n")
	r.commit("one")
	r.git("branch", "side")
	r.git("checkout", "-qb", "topic")
	r.write("b.txt", "two\n")
	r.commit("two")
	traptest.Sign(t, r.dir)
	mark := filepath.Join(t.TempDir(), "mark")
	r.write("a.txt", "two\n")
	r.write("new.txt", "two\n")
	traptest.SetAll(t, r.dir, "touch "+mark)
	v, err := Open(t.Context(), r.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	asks := map[string]func() error{
		"status": func() error { _, err := v.Status(t.Context()); return err },
		"log":    func() error { _, err := v.Log(t.Context(), "main..topic", []string{"b.txt"}, 0); return err },
		"blame":  func() error { _, err := v.Blame(t.Context(), "a.txt", "", 0, 0); return err },
		"stamps": func() error { _, err := v.Stamps(t.Context()); return err },
		"range":  func() error { _, err := v.Diff(t.Context(), Question{Revision: "main..topic"}); return err },
	}
	for _, scope := range []string{ScopeWorktree, ScopeStaged, ScopeBranch} {
		asks["diff of "+scope] = func() error {
			d, err := v.Diff(t.Context(), Question{Scope: scope})
			if err == nil && scope != ScopeStaged && len(d.Files) < 2 {
				t.Errorf("%s: %+v", scope, d)
			}
			return err
		}
	}
	for what, ask := range asks {
		if err := ask(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if os.Remove(mark) == nil {
			t.Errorf("%s ran a program of the repository", what)
		}
	}
}
