package agents

import (
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"
)

// TestPackageVersion: a program of an npm package has that one's version, also behind a link;
// another program in the same folder has not.
func TestPackageVersion(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{"pkg/bin", "bin"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"pkg/package.json": `{"version":"1.2.3","bin":{"x":"bin/x.js"}}`, "pkg/bin/x.js": "", "pkg/bin/other": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(dir, "pkg", "bin", "x.js"), filepath.Join(dir, "bin", "x")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"bin/x": "1.2.3", "pkg/bin/x.js": "1.2.3", "pkg/bin/other": "", "none": ""} {
		if got := packageVersion(filepath.Join(dir, path)); got != want {
			t.Errorf("%s: %q", path, got)
		}
	}
}

func FuzzPackage(f *testing.F) {
	f.Add([]byte(`{"version":"1.2.3","bin":"x.js"}`))
	f.Add([]byte(`{"version":"1.2.3","bin":{"x":"bin/x.js"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if version, _ := readPackage(data); !utf8.ValidString(version) {
			t.Errorf("%q", version)
		}
	})
}
