package gitstatus

import (
	"os"
	"os/exec"
	"path/filepath"
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
	got := parse("# branch.oid 0123\x00# branch.head a b\x00# branch.upstream origin/main\x00# branch.ab +3 -2\x001 M. N... x\x002 R. N... new\x00? old name\x00u UU c\x00? d\x00? e f\x00")
	want := Status{Branch: "a b", Commit: "0123", Upstream: "origin/main", Ahead: 3, Behind: 2, Changed: 2, Untracked: 2, Conflicts: 1}
	if got != want {
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
	if err != nil || s.Branch != "main" || len(s.Commit) != 40 || s.Changed != 1 || s.Untracked != 1 {
		t.Errorf("%+v %v", s, err)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a program that the repository names was run")
	}
	if _, err := Read(t.Context(), t.TempDir()); err == nil || !strings.HasPrefix(err.Error(), "git says: ") || strings.Contains(err.Error(), "\n") {
		t.Errorf("no repository: %v", err)
	}
}
