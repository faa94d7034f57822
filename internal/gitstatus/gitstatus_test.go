package gitstatus

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// FuzzParse: counts of what git says, never more than there are entries.
func FuzzParse(f *testing.F) {
	f.Add("# branch.oid 0123\x00# branch.head main\x00# branch.upstream origin/main\x00# branch.ab +1 -2\x001 M. N... a\x002 R. N... b\x00old\x00u UU c\x00? d\x00")
	f.Add("2 \x00")
	f.Add("# branch.ab\x00# branch.ab +x -\x00#")
	f.Fuzz(func(t *testing.T, out string) {
		s := parse(out)
		if n := strings.Count(out, "\x00") + 1; s.Changed+s.Conflicts+s.Untracked > n || s.Ahead < 0 || s.Behind < 0 {
			t.Errorf("%+v of %d entries", s, n)
		}
	})
}

func TestParse(t *testing.T) {
	got := parse("# branch.oid 0123\x00# branch.head a b\x00# branch.upstream origin/main\x00# branch.ab +3 -2\x001 M. N... x\x002 R. N... new\x00? old name\x00u UU c\x00? d\x00? e f/\x00")
	want := Status{Branch: "a b", Commit: "0123", Upstream: "origin/main", Ahead: 3, Behind: 2, Changed: 2, Untracked: 2, Conflicts: 1, Folders: []string{"e f/"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestRead: a real repository, whose own settings name programs that must not run, with
// the variables of another one around it.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	ran := filepath.Join(dir, "ran")
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=x", "-c", "user.email=x@example.org"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "-q", "-b", "main")
	write("a", "one\n")
	git("add", "a")
	git("commit", "-q", "-m", "one")
	write(".gitattributes", "a filter=bad\n")
	git("config", "filter.bad.clean", "touch "+ran+"; cat")
	git("config", "filter.bad.required", "true")
	git("config", "core.fsmonitor", "touch "+ran+"; true")
	write("a", "two\n")
	t.Setenv("GIT_DIR", filepath.Join(t.TempDir(), "other"))
	s, err := Read(t.Context(), dir)
	if err != nil || s.Branch != "main" || len(s.Commit) != 40 || s.Changed != 0 || s.NotCompared != 1 || s.Untracked != 1 {
		t.Errorf("%+v %v", s, err)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a program that the repository names was run")
	}
	if _, err := Read(t.Context(), t.TempDir()); err == nil || !strings.HasPrefix(err.Error(), "git says: ") || strings.Contains(err.Error(), "\n") {
		t.Errorf("no repository: %v", err)
	}
}

// TestReadRunsNothing: what runs a program by settings that are not known by their name.
func TestReadRunsNothing(t *testing.T) {
	for name, hostile := range map[string]func(dir, command string, git func(...string) string){
		"a filter whose name has an =": func(dir, command string, git func(...string) string) {
			git("config", "filter.a=b.clean", command)
			if err := os.WriteFile(filepath.Join(dir, ".git", "info", "attributes"), []byte("a filter=a=b\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"a plain filter": func(dir, command string, git func(...string) string) {
			git("config", "filter.x.clean", command)
			if err := os.WriteFile(filepath.Join(dir, ".git", "info", "attributes"), []byte("a filter=x\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"a plain filter of a submodule": func(dir, command string, git func(...string) string) {
			sub := filepath.Join(dir, "sub")
			for _, args := range [][]string{{"init", "-q", sub}, {"-C", sub, "commit", "-q", "--allow-empty", "-m", "x"}, {"-C", sub, "config", "filter.x.clean", command}, {"add", "sub"}, {"commit", "-q", "-m", "sub"}} {
				git(args...)
			}
			for file, text := range map[string]string{"b": "one\n", ".git/info/attributes": "b filter=x\n"} {
				if err := os.WriteFile(filepath.Join(sub, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			git("-C", sub, "add", "b")
			if err := os.Remove(strings.TrimSuffix(command[len("touch "):], "; cat")); err != nil {
				t.Fatal(err) // git add ran it
			}
			if err := os.WriteFile(filepath.Join(sub, "b"), []byte("two\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"a remote for missing objects": func(dir, command string, git func(...string) string) {
			tree := git("rev-parse", "HEAD^{tree}")
			if err := os.Remove(filepath.Join(dir, ".git", "objects", tree[:2], tree[2:])); err != nil {
				t.Fatal(err)
			}
			for key, value := range map[string]string{"core.repositoryformatversion": "1", "extensions.partialclone": "o", "remote.o.url": "ssh://x/y", "remote.o.promisor": "true", "core.sshCommand": command} {
				git("config", key, value)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			ran := filepath.Join(t.TempDir(), "ran")
			git := func(args ...string) string {
				out, err := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=x", "-c", "user.email=x@example.org"}, args...)...).CombinedOutput()
				if err != nil {
					t.Fatalf("git %v: %v: %s", args, err, out)
				}
				return strings.TrimSpace(string(out))
			}
			git("init", "-q", "-b", "main")
			for i, text := range []string{"one\n", "two\n"} {
				if err := os.WriteFile(filepath.Join(dir, "a"), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				if i == 0 {
					git("add", "a")
					git("commit", "-q", "-m", "one")
				}
			}
			hostile(dir, "touch "+ran+"; cat", git)
			if s, err := Read(t.Context(), dir); err == nil && strings.HasPrefix(name, "a remote") {
				t.Errorf("it was answered: %+v", s)
			}
			out, err := Run(t.Context(), dir, "diff", "--no-ext-diff", "--name-only", "-z", "HEAD")
			if strings.HasPrefix(name, "a plain") && (err != nil || out != "a\x00") {
				t.Errorf("diff: %q %v", out, err)
			}
			if _, err := os.Stat(ran); err == nil {
				t.Error("a program that the repository names was run")
			}
		})
	}
}

// TestReadLines: lines of changed, renamed, new and removed files; binary files, links, pipes
// and files that only a filter could compare have none.
func TestReadLines(t *testing.T) {
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		if out, err := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=x", "-c", "user.email=x@example.org"}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	lines := func(when string, added, removed int) {
		t.Helper()
		for _, in := range []string{dir, filepath.Join(dir, "deep")} {
			if s, err := ReadLines(t.Context(), in); err != nil || s.Added != added || s.Removed != removed {
				t.Errorf("%s, in %s: +%d -%d %v, want +%d -%d", when, filepath.Base(in), s.Added, s.Removed, err, added, removed)
			}
		}
	}
	git("init", "-q", "-b", "main")
	write("deep/a", "one\ntwo\nthree\n")
	write("b", strings.Repeat("line\n", 20))
	write("gone", "1\n2\n")
	write("image", "\x00\x01")
	write("filtered", "one\n")
	lines("before the first commit", 3+20+2+1, 0)
	git("add", ".")
	git("commit", "-q", "-m", "one")
	lines("without changes", 0, 0)
	write("deep/a", "one\n2\nthree\nfour\n")
	git("mv", "b", "1\t2\tc")
	git("rm", "-q", "gone")
	write("image", "\x00\x02\n")
	write(".git/info/attributes", "filtered filter=x\n")
	git("config", "filter.x.clean", "cat")
	write("filtered", "two\n")
	write("new/x", "1\n2\n3")
	write("new/binary", "\x00\n\n")
	write("large", strings.Repeat("x\n", newSize))
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	lines("with changes", 2+3, 1+2)
}
