package file_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"ccdir/policy/file"
)

// write makes a file with its directories.
func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// repository is one with a work tree beside it, made by git.
func repository(t *testing.T) (home, main, tree string) {
	t.Helper()
	home = t.TempDir()
	main, tree = filepath.Join(home, "main"), filepath.Join(home, "trees", "one")
	write(t, filepath.Join(main, "sub", "a"), "a")
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"}, {"worktree", "add", "-q", tree}} {
		if out, err := exec.Command("git", append([]string{"-C", main}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v %s", args, err, out)
		}
	}
	return home, main, tree
}

// TestProjectOfWorkTree: a work tree has the policy of the repository's main one.
func TestProjectOfWorkTree(t *testing.T) {
	home, main, tree := repository(t)
	sub := filepath.Join(tree, "sub")
	is := func(what, dir, want string) {
		t.Helper()
		if got := file.FindProject(dir, home); got != want {
			t.Errorf("%s: %q has %q, want %q", what, dir, got, want)
		}
	}
	is("without any", sub, "")
	if got := file.ProjectDir(sub, home); got != main {
		t.Errorf("the first policy goes to %q", got)
	}
	write(t, filepath.Join(tree, file.ProjectFile), "")
	is("its own", sub, tree)
	write(t, filepath.Join(main, file.ProjectFile), "")
	is("of both", sub, main)
	is("of the main one", filepath.Join(main, "sub"), main)
	write(t, filepath.Join(main, "sub", file.ProjectFile), "")
	is("of the same folder", sub, filepath.Join(main, "sub"))
	is("above that", tree, main)
}

// TestProjectOfForgedTree: a .git file that the repository does not know leads nowhere.
func TestProjectOfForgedTree(t *testing.T) {
	home, main, tree := repository(t)
	write(t, filepath.Join(main, file.ProjectFile), "")
	git, err := os.ReadFile(filepath.Join(tree, ".git"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"copied": string(git), "itself": "gitdir: " + main + "/.git", "none": "gitdir: /nowhere", "empty": "", "module": "gitdir: " + main + "/.git/modules/x"} {
		dir := filepath.Join(home, name)
		write(t, filepath.Join(dir, ".git"), text)
		if got := file.FindProject(dir, home); got != "" || file.ProjectDir(dir, home) != dir {
			t.Errorf("%s: %q", name, got)
		}
	}
}
