package arch

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestNixHash: flake.nix names the hash of the vendored modules, which Nix would otherwise refuse.
// It is the SHA-256 of the directory's NAR, as Nix computes it.
func TestNixHash(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vendor")
	cmd := exec.Command("go", "mod", "vendor", "-o", dir)
	cmd.Dir = "../.."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("the modules cannot be vendored here: %v: %s", err, out)
	}
	h := sha256.New()
	narText(h, "nix-archive-1")
	if err := narNode(h, dir); err != nil {
		t.Fatal(err)
	}
	want := "sha256-" + base64.StdEncoding.EncodeToString(h.Sum(nil))
	const file = "../../flake.nix"
	flake, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(vendorHash = )"[^"]*";`)
	if *update {
		if err := os.WriteFile(file, line.ReplaceAll(flake, []byte(`${1}"`+want+`";`)), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got := string(line.Find(flake)); got != `vendorHash = "`+want+`";` {
		t.Errorf("flake.nix has %s, and the modules' hash is %s: go test ./test/arch -run TestNixHash -update", got, want)
	}
}

// narText writes a string of the format: its length, itself, zeros to a multiple of eight.
func narText(w io.Writer, s string) {
	_ = binary.Write(w, binary.LittleEndian, uint64(len(s))) // a hash takes everything
	_, _ = io.WriteString(w, s+strings.Repeat("\x00", (8-len(s)%8)%8))
}

// narNode writes a file or a directory.
func narNode(w io.Writer, path string) error {
	put := func(all ...string) {
		for _, s := range all {
			narText(w, s)
		}
	}
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		data, err := os.ReadFile(path)
		put("(", "type", "regular")
		if info.Mode()&0o100 != 0 {
			put("executable", "")
		}
		put("contents", string(data), ")")
		return err
	}
	put("(", "type", "directory")
	list, err := os.ReadDir(path) // in the order of their names, as in the format
	if err != nil {
		return err
	}
	for _, e := range list {
		put("entry", "(", "name", e.Name(), "node")
		if err := narNode(w, filepath.Join(path, e.Name())); err != nil {
			return err
		}
		put(")")
	}
	put(")")
	return nil
}
