package review

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/internal/gitstatus/traptest"
)

// apply has git apply a patch; false: it does not.
func (r *repo) apply(patch string, args ...string) bool {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", r.dir, "-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", "--unidiff-zero"}, args...)...)
	cmd.Stdin = strings.NewReader(patch)
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Logf("%s%s", out, patch)
	}
	return err == nil
}

// files are the files of the work tree with what is in them, by name.
func (r *repo) files() string {
	var b strings.Builder
	_ = filepath.WalkDir(r.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.Name() == ".git" {
			return fs.SkipDir
		}
		if e.IsDir() {
			return nil
		}
		info, _ := e.Info()
		text, _ := os.ReadFile(path)
		name, _ := filepath.Rel(r.dir, path)
		fmt.Fprintf(&b, "%s %v %q\n", name, info.Mode()&0o100, text)
		return nil
	})
	return b.String()
}

// patchOf is a patch with some changes of a file, out of git's patch of it. back: for git apply -R.
func patchOf(patch string, set map[change]bool, back bool) string {
	var b strings.Builder
	old, now, last := 0, 0, false
	for line := range strings.Lines(patch) {
		switch {
		case strings.HasPrefix(line, "@@ "):
			h, _ := header([]byte(strings.TrimSuffix(line, "\n")))
			old, now = firstLine(h.OldStart, h.OldLines), firstLine(h.NewStart, h.NewLines)
			b.WriteString(line)
		case old == 0 && now == 0:
			b.WriteString(line)
		case line[0] == ' ':
			b.WriteString(line)
			old, now, last = old+1, now+1, true
		case line[0] == '-':
			last = true
			if set[change{api.LineRemoved, old}] {
				b.WriteString(line)
			} else if last = !back; last {
				b.WriteString(" " + line[1:])
			}
			old++
		case line[0] == '+':
			last = true
			if set[change{api.LineAdded, now}] {
				b.WriteString(line)
			} else if last = back; last {
				b.WriteString(" " + line[1:])
			}
			now++
		case last:
			b.WriteString(line)
		}
	}
	return b.String()
}

// TestApply: staging and putting back hunks and lines does what git apply does with them, in random trees; and undoing it all leaves
// index and files as they were.
func TestApply(t *testing.T) {
	for seed := range 4 {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(39, uint64(seed))) //nolint:gosec // a test
			r := newRepo(t)
			r.git("config", "core.autocrlf", "false")
			end := []string{"\n", "\r\n"}[seed%2]
			text := func(n int) string {
				var b strings.Builder
				for range n {
					fmt.Fprintf(&b, "%d%s", rnd.IntN(4), end)
				}
				return b.String()
			}
			for i := range 4 {
				r.write(fmt.Sprintf("d%d/f", i%2)+fmt.Sprint(i), text(30))
			}
			r.commit("first")
			for i := range 5 {
				name := fmt.Sprintf("d%d/f", i%2) + fmt.Sprint(i)
				var lines []string
				if old, err := os.ReadFile(filepath.Join(r.dir, name)); err == nil {
					lines = linesOf(string(old))
				} else {
					lines = linesOf(text(9))
				}
				for range 6 {
					at := rnd.IntN(len(lines))
					switch rnd.IntN(3) {
					case 0:
						lines[at] = "changed " + lines[at]
					case 1:
						lines = append(lines[:at], lines[at+1:]...)
					case 2:
						lines = append(lines[:at], append([]string{"new" + end}, lines[at:]...)...)
					}
				}
				r.write(name, strings.Join(lines, ""))
			}
			if seed%3 == 0 {
				_ = os.Remove(filepath.Join(r.dir, "d1/f1"))
			}
			o := r.open()
			base, _ := o.Head(t.Context())
			head := r.take(o, "")
			files := r.diff(o, base, head, Options{})
			ways := 0
			for _, f := range files {
				for range 1 {
					var c api.ReviewChange
					h := f.Hunks[rnd.IntN(len(f.Hunks))]
					whole := rnd.IntN(2) == 0
					if whole {
						c.Old, c.New = &api.LineRange{From: h.OldStart, End: h.OldStart + h.OldLines}, &api.LineRange{From: h.NewStart, End: h.NewStart + h.NewLines}
					} else {
						from := h.NewStart + rnd.IntN(max(1, h.NewLines))
						c.New = &api.LineRange{From: from, End: from + rnd.IntN(4)}
						c.Old = &api.LineRange{From: h.OldStart + rnd.IntN(max(1, h.OldLines)), End: h.OldStart + h.OldLines}
					}
					c.Base, c.Head, c.Path = base, head, f.Path
					set := chosen(f.Hunks, c.Old, c.New)
					if len(set) == 0 {
						continue
					}
					patch := string(r.raw("diff", "--no-renames", base, head, "--", f.Path))
					if (f.Status != api.FileChanged) && len(set) != *f.Added+*f.Removed {
						patch = "" // such a patch is none for git
					}
					for _, back := range []bool{false, true} {
						before, index := r.files(), r.git("ls-files", "-s")
						var want string
						part := patchOf(patch, set, back)
						args := []string{"--cached", "--recount"}
						if back {
							args = []string{"-R", "--recount"}
						}
						known := patch != "" && r.apply(part, args...)
						if want = r.git("ls-files", "-s"); back {
							want = r.files()
						}
						if known { // as it was
							r.git("read-tree", "--reset", "HEAD")
							r.git("add", "-A", "-N")
							r.git("read-tree", base)
							for _, one := range files {
								if content, err := exec.Command("git", "-C", r.dir, "show", base+":"+one.Path).Output(); err == nil && one.Status == api.FileRemoved {
									_ = content
									_ = os.Remove(filepath.Join(r.dir, one.Path))
								} else if one.Status != api.FileRemoved {
									r.write(one.Path, string(r.raw("show", head+":"+one.Path)))
								}
							}
						}
						c.Do = map[bool]api.ReviewAct{false: api.ReviewStage, true: api.ReviewPutBack}[back]
						act := o.Stage
						if back {
							act = o.PutBack
						}
						done, err := act(t.Context(), "s1", c, "")
						if err != nil {
							t.Fatalf("%+v %+v: %v", c, c.New, err)
						}
						if n := done.Added + done.Removed; n != len(set) {
							t.Errorf("%d lines, not %d", n, len(set))
						}
						got := r.git("ls-files", "-s")
						if back {
							got = r.files()
						}
						if known && got != want {
							t.Errorf("back %v, of %s:\n%s\ngot %s\nwant %s", back, f.Path, part, got, want)
						}
						if known {
							ways++
						}
						if _, err := o.Undo(t.Context(), "s1", ""); err != nil {
							t.Fatal(err)
						}
						if after := r.files(); after != before {
							t.Errorf("undone, the files are\n%s\nnot\n%s", after, before)
						}
						if after := r.git("ls-files", "-s"); after != index {
							t.Errorf("undone, the index is\n%s\nnot\n%s", after, index)
						}
					}
				}
			}
			if ways < 3 {
				t.Errorf("git apply took %d patches", ways)
			}
		})
	}
}

// TestOneAfterTheOther: hunk after hunk, and line after line, leads to the whole.
func TestOneAfterTheOther(t *testing.T) {
	r := newRepo(t)
	r.write("a", "1\n2\n3\n4\n")
	r.commit("first")
	r.write("a", "one\n2\nnew\nfour")
	r.write("b", "1\n2\n")
	o := r.open()
	base, _ := o.Head(t.Context())
	head := r.take(o, "")
	for _, name := range []string{"a", "b"} {
		for n := 1; n <= 4; n++ {
			for _, side := range []bool{true, false} {
				c := api.ReviewChange{Base: base, Head: head, Path: name}
				if one := (&api.LineRange{From: n, End: n}); side {
					c.New = one
				} else {
					c.Old = one
				}
				if _, err := o.Stage(t.Context(), "s1", c, ""); err != nil && !errors.Is(err, ErrRefused) {
					t.Fatal(err)
				}
			}
		}
	}
	if got := r.git("diff", "--name-only"); got != "" || r.git("show", ":a") != "one\n2\nnew\nfour" {
		t.Errorf("the index lacks %q:\n%s", got, r.git("diff"))
	}
	for {
		if _, err := o.Undo(t.Context(), "s1", ""); err != nil {
			if !errors.Is(err, ErrRefused) {
				t.Fatal(err)
			}
			break
		}
	}
	if got := r.git("diff", "--cached", "--name-only"); got != "" {
		t.Errorf("undone, %q is staged", got)
	}
}

// TestOddChanges: renamed files, modes, binary ones, links, CRLF that git converts, a file that changed meanwhile, names of git's own.
func TestOddChanges(t *testing.T) {
	r := newRepo(t)
	long := strings.Repeat("the same\n", 20)
	r.write("moved", long)
	r.write("mode", "#!\n")
	r.write("bin", "\x00")
	r.write("crlf", "1\r\n2\r\n3\r\n")
	r.write(".gitattributes", "crlf text\nlarge filter=lfs\n")
	r.write("large", "pointer\n")
	r.git("config", "filter.lfs.clean", "cat")
	r.write("gone", "1\r\n")
	r.commit("first")
	_ = os.Rename(filepath.Join(r.dir, "moved"), filepath.Join(r.dir, "new name"))
	r.write("new name", long+"more\n")
	_ = os.Chmod(filepath.Join(r.dir, "mode"), 0o755)
	r.write("bin", "\x00\x01")
	r.write("crlf", "1\r\nzwei\r\n3\r\n")
	r.write("large", "large\n")
	_ = os.Remove(filepath.Join(r.dir, "gone"))
	_ = os.Symlink("a", filepath.Join(r.dir, "link"))
	o := r.open()
	base, _ := o.Head(t.Context())
	head := r.take(o, "")
	do := func(act func(c api.ReviewChange) error, name, want string) {
		t.Helper()
		err := act(api.ReviewChange{Base: base, Head: head, Path: name})
		if want == "" && err != nil || want != "" && (err == nil || !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	stage := func(c api.ReviewChange) error { _, err := o.Stage(t.Context(), "s1", c, ""); return err }
	putBack := func(c api.ReviewChange) error { _, err := o.PutBack(t.Context(), "s1", c, ""); return err }
	for name, want := range map[string]string{"new name": "", "mode": "", "bin": "is binary", "crlf": "", "large": "by a program", "gone": "", "link": "", "nothing": "not in this difference"} {
		do(stage, name, want)
	}
	if got := r.git("diff", "--cached", "--name-status", "-M"); got != "M\tcrlf\nD\tgone\nA\tlink\nM\tmode\nR097\tmoved\tnew name" {
		t.Errorf("staged:\n%s", got)
	}
	if got := r.git("show", ":crlf"); got != "1\nzwei\n3" {
		t.Errorf("%q", got)
	}
	r.git("read-tree", base)
	before := r.files()
	for name, want := range map[string]string{"new name": "", "mode": "", "bin": "is binary", "crlf": "", "large": "by a program", "gone": "", "link": "no plain file"} {
		do(putBack, name, want)
	}
	do(putBack, "crlf", "not as it is shown")
	if got, _ := os.ReadFile(filepath.Join(r.dir, "crlf")); string(got) != "1\r\n2\r\n3\r\n" {
		t.Errorf("%q", got)
	}
	if got := r.git("diff", "--name-status", base); got != "M\tbin\nM\tlarge" {
		t.Errorf("put back:\n%s", got)
	}
	r.write("gone", "changed since\n")
	if _, err := o.Undo(t.Context(), "s1", ""); err != nil && !strings.Contains(err.Error(), "was changed since") {
		t.Error(err)
	}
	r.write("gone", "1\r\n")
	for range 4 {
		if _, err := o.Undo(t.Context(), "s1", "u"+fmt.Sprint(rand.Int())); err != nil && !errors.Is(err, ErrRefused) {
			t.Error(err)
		}
	}
	_ = os.Remove(filepath.Join(r.dir, "gone"))
	if after := r.files(); after != before {
		t.Errorf("undone:\n%s\nnot\n%s", after, before)
	}
	for _, name := range []string{".git/hooks/x", "a/.GIT/x", "git~1/x", ".g\u200cit/config"} {
		if !hidden(name) {
			t.Errorf("%q would be written", name)
		}
	}
}

// TestOnce: a call that is made again does nothing more.
func TestOnce(t *testing.T) {
	r := newRepo(t)
	r.write("a", "1\n2\n3\n")
	r.commit("first")
	r.write("a", "one\n2\nthree\n")
	o := r.open()
	base, _ := o.Head(t.Context())
	head := r.take(o, "")
	c := api.ReviewChange{Base: base, Head: head, Path: "a", Old: &api.LineRange{From: 1, End: 1}, New: &api.LineRange{From: 1, End: 1}}
	for range 2 {
		for _, act := range []func() (api.ReviewChanged, error){
			func() (api.ReviewChanged, error) { return o.Stage(t.Context(), "s1", c, "stage") },
			func() (api.ReviewChanged, error) { return o.Stage(t.Context(), "s1", c, "stage") },
			func() (api.ReviewChanged, error) { return o.PutBack(t.Context(), "s1", c, "back") },
			func() (api.ReviewChanged, error) { return o.PutBack(t.Context(), "s1", c, "back") },
		} {
			if done, err := act(); err != nil || done.Added != 1 || done.Removed != 1 || done.Path != "a" {
				t.Errorf("%+v %v", done, err)
			}
		}
		if got, _ := os.ReadFile(filepath.Join(r.dir, "a")); string(got) != "1\n2\nthree\n" {
			t.Errorf("%q", got)
		}
		for _, request := range []string{"u1", "u1", "u2", "u2"} {
			if _, err := o.Undo(t.Context(), "s1", request); err != nil {
				t.Error(err)
			}
		}
		if got, _ := os.ReadFile(filepath.Join(r.dir, "a")); string(got) != "one\n2\nthree\n" || r.git("diff", "--cached") != "" {
			t.Errorf("%q", got)
		}
	}
}

// TestChangeTraps: nothing that a repository names runs when changes are staged, put back and undone.
func TestChangeTraps(t *testing.T) {
	for trap := range traptest.Traps {
		t.Run(trap, func(t *testing.T) {
			r := newRepo(t)
			r.write("f", "one\n")
			r.commit("first")
			mark := filepath.Join(t.TempDir(), "ran")
			traptest.Set(t, r.dir, trap, "touch "+mark)
			r.write("f", "two\n")
			o := r.open()
			base, _ := o.Head(t.Context())
			c := api.ReviewChange{Base: base, Head: r.take(o, ""), Path: "f"}
			for _, act := range []func() (api.ReviewChanged, error){
				func() (api.ReviewChanged, error) { return o.Stage(t.Context(), "s1", c, "") },
				func() (api.ReviewChanged, error) { return o.PutBack(t.Context(), "s1", c, "") },
				func() (api.ReviewChanged, error) { return o.Undo(t.Context(), "s1", "") },
			} {
				if _, err := act(); err != nil && !errors.Is(err, ErrRefused) {
					t.Error(err)
				}
			}
			if _, err := os.Stat(mark); err == nil {
				t.Error("a program that the repository names was run")
			}
		})
	}
}

// FuzzUndo: a message of a commit that anybody can have written.
func FuzzUndo(f *testing.F) {
	u := undoing{done: api.ReviewChanged{Do: api.ReviewStage, Path: "a\nb", Added: 1}, request: "r", files: []undoFile{{path: "a\nb", after: object{"100644", strings.Repeat("a", 40)}}}}
	f.Add(u.text("x"))
	f.Add("do put_back 1 2 \"a\"\nfile 0 - 0644 x \"y\"")
	f.Fuzz(func(t *testing.T, text string) {
		u, ok := readUndo(text)
		if !ok {
			return
		}
		again, ok := readUndo(u.text("x"))
		if !ok || again.request != u.request || len(again.files) != len(u.files) || again.files[0] != u.files[0] {
			t.Errorf("%+v, then %+v", u, again)
		}
	})
}
