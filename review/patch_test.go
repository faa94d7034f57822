package review

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPatch: the patch of random trees, applied by git to the one, makes the other: binary files, modes, links and names as well.
func TestPatch(t *testing.T) {
	r := newRepo(t)
	o := r.open()
	rng := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // not a secret
	names := []string{"a", "b c", "d/e", "d/ü", "-f", "q\"\t", "x\ny", "go.sum", "\xff"}
	index := filepath.Join(t.TempDir(), "index")
	git := func(in []byte, args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", r.dir}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_INDEX_FILE="+index, "GIT_OBJECT_DIRECTORY="+o.objects())
		cmd.Stdin = bytes.NewReader(in)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s\n%s", args, err, out, in)
		}
		return strings.TrimSpace(string(out))
	}
	last := ""
	for range 25 {
		for range 1 + rng.IntN(6) {
			path := filepath.Join(r.dir, names[rng.IntN(len(names))])
			_ = os.Remove(path)
			_ = os.MkdirAll(filepath.Dir(path), 0o755)
			data := bytes.Repeat([]byte("line\n"), rng.IntN(30))
			var err error
			switch rng.IntN(5) {
			case 0: // it stays away
			case 1:
				err = os.Symlink(names[rng.IntN(len(names))], path)
			case 2:
				data = append(data, 0, byte(rng.IntN(256)))
				fallthrough
			default:
				err = os.WriteFile(path, append(data, byte(rng.IntN(256))), []os.FileMode{0o644, 0o755}[rng.IntN(2)]) //nolint:gosec // of a test
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		id := r.take(o, last)
		if last != "" {
			patch, err := o.Patch(t.Context(), last, id, nil)
			if err != nil {
				t.Fatal(err)
			}
			git(nil, "read-tree", last)
			if len(patch) > 0 {
				git(patch, "apply", "--cached", "--whitespace=nowarn")
			}
			if got, want := git(nil, "write-tree"), r.git("rev-parse", id+"^{tree}"); got != want {
				t.Fatalf("%s has become %s, wanted %s:\n%s", last, got, want, patch)
			}
		}
		last = id
	}
	if _, err := o.Patch(t.Context(), "--output=x", last, nil); err == nil {
		t.Error("an option was taken")
	}
	if _, err := bounded(exec.Command("yes"), 100); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("what is too large: %v", err)
	}
}
