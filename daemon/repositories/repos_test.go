package repositories

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestCommitOf: a ref is found in a file of its own or among the packed ones, and what
// lies in the place of either holds nobody up.
func TestCommitOf(t *testing.T) {
	git := t.TempDir()
	commit := strings.Repeat("a1", 20)
	at := func(name string) string { return filepath.Join(git, name) }
	if err := errors.Join(os.MkdirAll(at("refs/heads"), 0o700), os.WriteFile(at("refs/heads/main"), []byte(commit+"\n"), 0o600),
		os.WriteFile(at("packed-refs"), []byte("# pack-refs with: peeled\n"+commit+" refs/heads/packed\n"), 0o600),
		syscall.Mkfifo(at("refs/heads/pipe"), 0o600)); err != nil {
		t.Fatal(err)
	}
	check := func(ref, want string) {
		t.Helper()
		if got := commitOf(git, ref); got != want {
			t.Errorf("%s: %q, want %q", ref, got, want)
		}
	}
	check("refs/heads/main", commit)
	check("refs/heads/packed", commit)
	check("refs/heads/none", "")
	check("refs/heads/pipe", "")
	check("../main", "")
	for _, target := range []string{"/dev/zero", "refs/heads/pipe"} {
		if err := errors.Join(os.Remove(at("packed-refs")), os.Symlink(target, at("packed-refs"))); err != nil {
			t.Fatal(err)
		}
		check("refs/heads/packed", "")
	}
}
