package place

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestPrograms: each directory that a link to the program leads through is one that it needs, as it is written and as it is.
func TestPrograms(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	pkg := filepath.Join(dir, "real", "node_modules", "pkg")
	if err := errors.Join(os.MkdirAll(pkg, 0o700), os.MkdirAll(filepath.Join(dir, "real", "node_modules", ".bin"), 0o700),
		os.WriteFile(filepath.Join(pkg, "cli.js"), nil, 0o700), os.Symlink("../pkg/cli.js", filepath.Join(dir, "real", "node_modules", ".bin", "cli")), os.Symlink("real", filepath.Join(dir, "link"))); err != nil {
		t.Fatal(err)
	}
	got := programs("/home/u", filepath.Join(dir, "link", "node_modules", ".bin", "cli"), "")
	for _, want := range []string{"link/node_modules/.bin", "link/node_modules", "link/node_modules/pkg", "real/node_modules", "real/node_modules/pkg"} {
		if !slices.Contains(got, filepath.Join(dir, want)) {
			t.Errorf("%s is not in %q", want, got)
		}
	}
}
