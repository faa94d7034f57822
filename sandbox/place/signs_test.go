package place

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestSigns: the setting counts from the person's configuration and from the repository's.
func TestSigns(t *testing.T) {
	home, repo := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	if out, err := exec.Command("git", "init", "-q", repo).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if Signs(t.Context(), repo) {
		t.Error("it signs, and nobody has said so")
	}
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte("[commit]\n\tgpgsign = yes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if !Signs(t.Context(), repo) {
		t.Error("the person's configuration does not count")
	}
	if out, err := exec.Command("git", "-C", repo, "config", "commit.gpgSign", "false").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if Signs(t.Context(), repo) {
		t.Error("the repository's configuration does not count")
	}
}
