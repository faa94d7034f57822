package installed

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFind: markers come first, then paths.
func TestFind(t *testing.T) {
	root := t.TempDir()
	put := func(path, text string) {
		t.Helper()
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, exe := range []string{"local/bin/ccdir", "usr/bin/ccdir", "go/bin/ccdir", "src/bin/ccdir", "Cellar/ccdir/1.2.3/bin/ccdir", "odd/bin/ccdir", "made/bin/ccdir"} {
		put(exe, "")
	}
	put("local/"+Marker, "script\nfrom https://example.invalid/releases\n")
	put("usr/"+Marker, "deb\n")
	put("made/"+Marker, "make\n")
	put("odd/"+Marker, "rm -rf\n")
	put("src/go.mod", "module ccdir")
	if err := os.Symlink(filepath.Join(root, "Cellar/ccdir/1.2.3/bin/ccdir"), filepath.Join(root, "usr/bin/linked")); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"HOME": root, "GOPATH": "/elsewhere"}
	for exe, want := range map[string]Kind{
		"local/bin/ccdir": Script, "usr/bin/ccdir": Deb, "go/bin/ccdir": Go, "src/bin/ccdir": Checkout,
		"usr/bin/linked": Brew, "odd/bin/ccdir": Unknown, "made/bin/ccdir": Make,
	} {
		in := Find(filepath.Join(root, exe), func(key string) string { return env[key] })
		if in.Kind != want {
			t.Errorf("%s is %s, want %s", exe, in.Kind, want)
		}
		if (in.Command == "") != (want == Unknown) {
			t.Errorf("%s: %q updates it", exe, in.Command)
		}
		if want != Script && in.Command != "" && !strings.Contains(in.Words(), in.Command) {
			t.Errorf("%s: %q does not name %q", exe, in.Words(), in.Command)
		}
	}
	if in := Find(filepath.Join(root, "local/bin/ccdir"), os.Getenv); in.From != "https://example.invalid/releases" || in.Prefix != filepath.Join(root, "local") {
		t.Errorf("%+v", in)
	}
	if kind := byPath("/nix/store/abc-ccdir/bin/ccdir", os.Getenv); kind != Nix {
		t.Errorf("in the store it is %s", kind)
	}
}
