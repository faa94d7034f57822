package review

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
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
	t   testing.TB
	dir string
}

func newRepo(t testing.TB, args ...string) *repo {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &repo{t, dir}
	r.git(append([]string{"init", "-q", "-b", "main"}, args...)...)
	return r
}

// raw runs git as a person does, with our objects in view.
func (r *repo) raw(args ...string) []byte {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", r.dir, "-c", "user.name=Ann", "-c", "user.email=a@b"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_ALTERNATE_OBJECT_DIRECTORIES="+filepath.Join(ours(filepath.Join(r.dir, ".git")), "objects"))
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return out
}

func (r *repo) git(args ...string) string { return strings.TrimSpace(string(r.raw(args...))) }

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

func (r *repo) commit(message string) {
	r.git("add", "-A")
	r.git("commit", "-qm", message)
}

func (r *repo) open() *Repo {
	r.t.Helper()
	o, err := Open(context.Background(), r.dir)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(o.Close)
	return o
}

func (r *repo) take(o *Repo, last string) string {
	r.t.Helper()
	id, err := o.Take(context.Background(), last, subjectPrefix+"test")
	if err != nil {
		r.t.Fatal(err)
	}
	return id
}

func (r *repo) diff(o *Repo, from, to string, q Options) []api.ReviewFile {
	r.t.Helper()
	files, _, err := o.Diff(context.Background(), from, to, q)
	if err != nil {
		r.t.Fatal(err)
	}
	return files
}

func names(files []api.ReviewFile) string {
	var list []string
	for _, f := range files {
		word := f.Status + " " + f.Path
		if f.OldPath != "" {
			word += " from " + f.OldPath
		}
		if f.LeftOut != "" {
			word += " (" + f.LeftOut + ")"
		}
		list = append(list, word)
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// state is everything that a snapshot must leave alone, and the files with their times.
func (r *repo) state() string {
	var b bytes.Buffer
	_ = filepath.WalkDir(r.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == filepath.Join(r.dir, ".git", "ccdir") {
			return fs.SkipDir
		}
		info, err := e.Info()
		if err != nil || path == filepath.Join(r.dir, ".git") { // of which ccdir is a part
			return err
		}
		at := info.ModTime()
		if strings.Contains(path, "/.git/objects/") { // git looks after an object that is written once more
			at = time.Time{}
		}
		fmt.Fprintln(&b, path, info.Size(), info.Mode(), at)
		return nil
	})
	return b.String() + r.git("for-each-ref") + r.git("log", "--all", "--oneline") + r.git("stash", "list")
}

// TestSnapshot: what is in a snapshot, and that nothing else has changed by it.
func TestSnapshot(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			r := newRepo(t, "--object-format="+format)
			o := r.open()
			empty := r.take(o, "") // before the first commit
			r.write(".gitignore", "ignored\n")
			r.write("a", "1\n2\n3\n")
			r.write("gone", "x\n")
			r.write("kind", "text\n")
			r.write("moved", strings.Repeat("the same\n", 20))
			r.write("-x", "an option\n")
			r.commit("first")
			r.write("a", "1\nzwei\n3\n")
			r.write("ignored", "secret\n")
			r.write("new ü\n", "n\n")
			r.write("go.sum", "m v h\n")
			r.write("bin", "\x00\x01")
			r.write("huge", strings.Repeat("x", maxNewFile+1))
			for _, err := range []error{os.Remove(filepath.Join(r.dir, "gone")), os.Remove(filepath.Join(r.dir, "kind")), os.Symlink("a", filepath.Join(r.dir, "kind")),
				os.Rename(filepath.Join(r.dir, "moved"), filepath.Join(r.dir, "renamed")), os.Chmod(filepath.Join(r.dir, "-x"), 0o755)} {
				if err != nil {
					t.Fatal(err)
				}
			}
			before := r.state()
			o = r.open()
			id := r.take(o, "")
			if err := o.Keep(t.Context(), "s1", Point{Turn: 1}, id); err != nil {
				t.Fatal(err)
			}
			head, err := o.Head(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			files := r.diff(o, head, id, Options{})
			want := "added bin, added go.sum (generated), added new ü\n, changed -x, changed a, changed huge (large), changed kind, removed gone, renamed renamed from moved"
			if got := names(files); got != want {
				t.Errorf("got %s\nwant %s", got, want)
			}
			if got := names(r.diff(o, head, id, Options{Paths: []string{"go.sum", "-x"}})); got != "added go.sum, changed -x" {
				t.Errorf("named: %s", got)
			}
			for _, f := range files {
				switch f.Path {
				case "a":
					if *f.Added != 1 || *f.Removed != 1 || len(f.Hunks) != 1 || f.Hunks[0].Lines[2] != (api.ReviewLine{Kind: api.LineAdded, Text: "zwei"}) {
						t.Errorf("%+v", f)
					}
				case "bin":
					if !f.Binary || f.Added != nil {
						t.Errorf("%+v", f)
					}
				case "-x":
					if len(f.Content) != len(head) || f.OldMode != "100644" || f.Mode != "100755" || *f.Added != 0 {
						t.Errorf("%+v", f)
					}
				case "kind":
					if f.Mode != "120000" || len(f.Hunks) != 2 {
						t.Errorf("%+v", f)
					}
				}
			}
			if again := r.take(r.open(), id); again != id {
				t.Errorf("the same files are another snapshot: %s, %s", id, again)
			}
			if after := r.state(); after != before {
				t.Errorf("a snapshot changed something:\n%s\n%s", before, after)
			}
			if files := r.diff(o, empty, id, Options{Stat: true}); len(files) != 9 || len(files[0].Hunks) != 0 {
				t.Errorf("stat: %s", names(files))
			}
			// Objects that no snapshot needs go, the others stay.
			if err := o.Tidy(t.Context(), func(string) bool { return true }, time.Now()); err != nil {
				t.Fatal(err)
			}
			if err := o.pack(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := names(r.diff(o, head, id, Options{})); got != want {
				t.Errorf("after packing: %s", got)
			}
			if _, _, err := o.Diff(t.Context(), empty, id, Options{}); err == nil || strings.Contains(err.Error(), "\n") {
				t.Errorf("a snapshot that went: %v", err)
			}
			if err := o.Tidy(t.Context(), func(string) bool { return false }, time.Now()); err != nil || len(o.Sessions()) != 0 || sizeOf(o.objects()) > 1<<10 {
				t.Errorf("%v: %v, %d bytes are left", err, o.Sessions(), sizeOf(o.objects()))
			}
		})
	}
}

// TestConflict: a snapshot in the middle of a merge has the files as they are.
func TestConflict(t *testing.T) {
	r := newRepo(t)
	r.write("a", "1\n")
	r.commit("first")
	r.git("checkout", "-qb", "other")
	r.write("a", "2\n")
	r.commit("two")
	r.git("checkout", "-q", "main")
	r.write("a", "3\n")
	r.commit("three")
	cmd := exec.Command("git", "-C", r.dir, "-c", "user.name=x", "-c", "user.email=x@y", "merge", "-q", "other")
	if cmd.Run() == nil {
		t.Fatal("it merged")
	}
	before := r.git("ls-files", "-u")
	o := r.open()
	head, _ := o.Head(t.Context())
	files := r.diff(o, head, r.take(o, ""), Options{})
	if names(files) != "changed a" || *files[0].Added != 4 {
		t.Errorf("%s", names(files))
	}
	if r.git("ls-files", "-u") != before {
		t.Error("the conflict is gone")
	}
}

// TestTraps: nothing that a repository names runs.
func TestTraps(t *testing.T) {
	for trap := range traptest.Traps {
		t.Run(trap, func(t *testing.T) {
			r := newRepo(t)
			for i := range 3 {
				r.write(fmt.Sprintf("f%d", i), "one\n")
			}
			r.commit("first")
			mark := filepath.Join(t.TempDir(), "ran")
			traptest.Set(t, r.dir, trap, "touch "+mark)
			r.write("f0", "two\n")
			r.write("new", "new\n")
			o := r.open()
			head, err := o.Head(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			id := r.take(o, "")
			if got := names(r.diff(o, head, id, Options{})); got != "added new, changed f0" {
				t.Errorf("got %s", got)
			}
			if err := o.Keep(t.Context(), "s1", Point{}, id); err != nil {
				t.Fatal(err)
			}
			if err := o.pack(t.Context()); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(mark); err == nil {
				t.Error("a program that the repository names was run")
			}
		})
	}
}

// TestOddTrees: submodules, repositories inside, sockets, sparse trees, other work trees, bare ones.
func TestOddTrees(t *testing.T) {
	r := newRepo(t)
	r.write("a", "1\n")
	r.write("deep/b", "1\n")
	r.commit("first")
	sub := filepath.Join(r.dir, "sub")
	r.git("init", "-q", sub)
	r.git("-C", sub, "commit", "-q", "--allow-empty", "-m", "x")
	o := r.open()
	head, _ := o.Head(t.Context())
	if files := r.diff(o, head, r.take(o, ""), Options{}); len(files) != 0 {
		t.Errorf("a repository inside: %s", names(files))
	}
	r.git("add", "sub")
	if got := names(r.diff(o, head, r.take(o, ""), Options{})); got != "added sub" {
		t.Errorf("a submodule: %s", got)
	}
	r.git("sparse-checkout", "set", "--no-cone", "/a")
	if _, err := os.Stat(filepath.Join(r.dir, "deep")); err == nil {
		t.Fatal("nothing is sparse")
	}
	if got := names(r.diff(o, head, r.take(o, ""), Options{})); got != "added sub" {
		t.Errorf("a sparse tree: %s", got)
	}
	other := filepath.Join(t.TempDir(), "tree")
	r.git("worktree", "add", "-q", "-b", "two", other)
	(&repo{t, other}).write("c", "1\n")
	two, err := Open(t.Context(), other)
	if err != nil {
		t.Fatal(err)
	}
	defer two.Close()
	if got := names(r.diff(two, head, r.take(two, ""), Options{})); got != "added c" {
		t.Errorf("another work tree: %s", got)
	}
	if err := os.WriteFile(filepath.Join(r.dir, "secret"), []byte("x"), 0); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mkfifo", filepath.Join(r.dir, "pipe")).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	got := names(r.diff(o, head, r.take(o, ""), Options{}))
	if want := "added sub, changed secret (unreadable)"; got != want && !(os.Geteuid() == 0 && got == "added secret, added sub") { // git does not list a FIFO
		t.Errorf("%s, want %s", got, want)
	}
	bare := newRepo(t, "--bare")
	if _, err := Open(t.Context(), bare.dir); err == nil {
		t.Error("a bare repository has a work tree")
	}
	if _, err := Open(t.Context(), t.TempDir()); err == nil {
		t.Error("a folder is a repository")
	}
}

// text writes hunks as git does.
func text(files []api.ReviewFile) string {
	var b strings.Builder
	span := func(start, lines int) string {
		if lines == 1 {
			return fmt.Sprint(start)
		}
		return fmt.Sprintf("%d,%d", start, lines)
	}
	for _, f := range files {
		for _, h := range f.Hunks {
			fmt.Fprintf(&b, "@@ -%s +%s @@\n", span(h.OldStart, h.OldLines), span(h.NewStart, h.NewLines))
			for _, l := range h.Lines {
				b.WriteString(map[api.LineKind]string{api.LineContext: " ", api.LineAdded: "+", api.LineRemoved: "-"}[l.Kind] + l.Text + "\n")
				if l.NoNewline {
					b.WriteString("\\ No newline at end of file\n")
				}
			}
		}
	}
	return b.String()
}

// TestRandomTrees: of random trees, our difference has the hunks and counts of git diff.
func TestRandomTrees(t *testing.T) {
	r := newRepo(t)
	o := r.open()
	rng := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // not a secret
	pool := []string{"", "a", "b", "diff --git a/x b/x", "@@ -1 +1 @@", "-x", "+y", "\\ no", "\ttab\r", "ü\x00"[:2], "long " + strings.Repeat("z", 300), "--- a/x", "+++ b/x"}
	last := ""
	for round := range 25 {
		for range 1 + rng.IntN(6) {
			name := []string{"a", "b c", "d/e", "d/ü", "-f", "q\"\t", "x\ny", "go.mod"}[rng.IntN(8)]
			if rng.IntN(5) == 0 {
				_ = os.Remove(filepath.Join(r.dir, name))
				continue
			}
			var lines []string
			for range rng.IntN(40) {
				lines = append(lines, pool[rng.IntN(len(pool))])
			}
			end := "\n"
			if rng.IntN(3) == 0 {
				end = ""
			}
			r.write(name, strings.Join(lines, "\n")+end)
		}
		id := r.take(o, last)
		if last != "" {
			files := r.diff(o, last, id, Options{})
			var want strings.Builder
			for line := range strings.Lines(string(r.raw("diff", "--no-color", "-M", last, id))) {
				if strings.HasPrefix(line, "@@ ") {
					parts := strings.SplitN(line, " @@", 2)
					line = parts[0] + " @@\n"
				} else if !strings.ContainsAny(line[:1], " +-\\") || strings.HasPrefix(line, "--- a/") || strings.HasPrefix(line, "+++ b/") ||
					strings.HasPrefix(line, "--- \"a/") || strings.HasPrefix(line, "+++ \"b/") || line == "--- /dev/null\n" || line == "+++ /dev/null\n" {
					continue
				}
				want.WriteString(line)
			}
			if got := text(files); got != strings.ToValidUTF8(want.String(), "\uFFFD") {
				t.Fatalf("round %d:\n%s\nwant\n%s", round, got, want.String())
			}
			numbers := strings.Count(r.git("diff", "--numstat", "-z", "-M", last, id), "\t") / 2
			if numbers != len(files) {
				t.Fatalf("round %d: %d files, git has %d", round, len(files), numbers)
			}
		}
		last = id
	}
}

// TestHostileNames: what looks like an option is none.
func TestHostileNames(t *testing.T) {
	r := newRepo(t)
	r.write("a", "1\n")
	r.commit("first")
	o := r.open()
	made := filepath.Join(r.dir, "made")
	for _, name := range []string{"--output=" + made, "-o" + made, "HEAD --output=" + made, "", "HEAD..HEAD", "HEAD:a"} {
		if id, err := o.Commit(t.Context(), name); err == nil {
			t.Errorf("%q is %s", name, id)
		}
		if _, _, err := o.Diff(t.Context(), name, name, Options{}); err == nil {
			t.Errorf("%q was compared", name)
		}
	}
	for _, path := range []string{"../x", "/etc/passwd", "", "a\x00b", ".."} {
		head, _ := o.Head(t.Context())
		if _, _, err := o.Diff(t.Context(), head, head, Options{Paths: []string{path}}); err == nil {
			t.Errorf("%q is a path", path)
		}
	}
	for _, session := range []string{"", "../x", "a/b", "-d", "a b"} {
		if err := o.Keep(t.Context(), session, Point{}, strings.Repeat("1", 40)); err == nil {
			t.Errorf("%q is a session", session)
		}
	}
	if _, err := os.Stat(made); err == nil {
		t.Error("a file was written")
	}
}

// TestLinks: nothing is written or deleted through links that somebody put in the place of ours.
func TestLinks(t *testing.T) {
	for _, part := range []string{"ccdir", "ccdir/turns", "ccdir/turns/objects", "ccdir/turns/refs"} {
		r := newRepo(t)
		r.write("a", "1\n")
		r.commit("first")
		other := t.TempDir()
		if err := os.MkdirAll(filepath.Join(other, "objects", "17"), 0o700); err != nil {
			t.Fatal(err)
		}
		link := filepath.Join(r.dir, ".git", part)
		if err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o700), os.Symlink(other, link)); err != nil {
			t.Fatal(err)
		}
		o := r.open()
		if _, err := o.Take(t.Context(), "", subjectPrefix+"test"); err == nil {
			t.Errorf("%s: a snapshot was made", part)
		}
		if err := o.Tidy(t.Context(), func(string) bool { return false }, time.Now()); err == nil {
			t.Errorf("%s: it was tidied", part)
		}
		if entries, err := os.ReadDir(other); err != nil || len(entries) != 1 || !exists(filepath.Join(other, "objects", "17")) {
			t.Errorf("%s: %v %v", part, entries, err)
		}
	}
	// A file of ours that is a link is replaced, and what it names stays.
	r := newRepo(t)
	r.write("a", "1\n")
	r.commit("first")
	o := r.open()
	r.take(o, "")
	precious := filepath.Join(t.TempDir(), "precious")
	if err := os.WriteFile(precious, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"index-main", "index-main.of"} {
		file := filepath.Join(o.dir(), name)
		if err := errors.Join(os.Remove(file), os.Symlink(precious, file)); err != nil {
			t.Fatal(err)
		}
	}
	r.write("b", "2\n")
	r.take(o, "")
	if data, err := os.ReadFile(precious); err != nil || string(data) != "x" {
		t.Errorf("%q %v", data, err)
	}
}

// TestLog: which snapshots a turn is compared by, also where some are missing.
func TestLog(t *testing.T) {
	begin := func(n int) Point { return Point{Turn: n, Begin: true} }
	end := func(n int) Point { return Point{Turn: n} }
	log := func(points ...Point) (l Log) {
		for _, p := range points {
			l = append(l, Shot{Point: p, Commit: p.name()})
		}
		return l
	}
	for _, c := range []struct {
		log        Log
		turn       int
		base, head string
		exact, ok  bool
		next       Point
	}{
		{log(end(0)), 1, "0", "", false, false, end(1)},
		{log(end(0), begin(1)), 1, "1-begin", "", true, true, end(1)},
		{log(end(0), begin(1), end(1)), 1, "1-begin", "1", true, true, end(2)},
		{log(end(0), end(1)), 1, "0", "1", false, true, end(2)},
		{log(end(0), begin(1), end(1), end(2)), 2, "1", "2", false, true, end(3)},
		{log(end(0), begin(1), begin(2), end(2)), 1, "1-begin", "2-begin", false, true, end(3)},
		{log(begin(1), end(1)), 3, "1", "", false, false, end(2)},
		{nil, 1, "", "", false, false, end(1)},
	} {
		base, head, exact, ok := c.log.Turn(c.turn)
		if ok != c.ok || ok && (base != c.base || head != c.head || exact != c.exact) {
			t.Errorf("%v turn %d: %q %q %v %v", c.log, c.turn, base, head, exact, ok)
		}
		if got := c.log.Next(false); got != c.next {
			t.Errorf("%v: next is %v", c.log, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(":100644 100644 1 2 M\x00a\x001\t1\ta\x00\x00diff --git a/a b/a\n@@ -1 +1 @@\n-x\n+y\n\\ No newline at end of file\n"))
	f.Add([]byte(":100644 120000 1 2 T\x00a\x001\t1\ta\x00\x00diff --git a/a b/a\n@@ -1 +0,0 @@\n-x\ndiff --git a/a b/a\n@@ -0,0 +1 @@\n+y\n"))
	f.Add([]byte(":100644 100644 1 2 R100\x00a\x00b\x000\t0\t\x00a\x00b\x00\x00diff --git a/a b/b\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, _, err := parse(bytes.NewReader(data), func([]entry) func(*entry) string { return func(*entry) string { return "" } })
		if err != nil {
			return
		}
		for _, e := range entries {
			for _, h := range e.file.Hunks {
				old, now := 0, 0
				for _, l := range h.Lines {
					if l.Kind != api.LineAdded {
						old++
					}
					if l.Kind != api.LineRemoved {
						now++
					}
				}
				if old != h.OldLines || now != h.NewLines {
					t.Fatalf("%+v has %d and %d lines", h, old, now)
				}
			}
		}
	})
}
