package transcript

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// zipped packs as an agent could; gzip is in the standard library.
var zipped = Packing{Suffix: ".gz", Unpack: func(r io.Reader) (io.ReadCloser, error) { return gzip.NewReader(r) }}

// pack puts the packed text in the place of a file.
func pack(t *testing.T, path, text string, cut int) {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, path+".gz", b.String()[:b.Len()-cut])
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
}

// TestPacked: a file that is packed is told on where it was before, one that was packed first from its
// beginning, and nothing twice.
func TestPacked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	f := newFollow(t, path)
	f.packing = zipped
	write(t, path, "> one\nhello\nend\n")
	f.read()
	pack(t, path, "> one\nhello\nend\n> two\nyes\nend\n", 0)
	f.read()
	if want := []string{"2 two done 0+1"}; !slices.Equal(f.passed, want) {
		t.Errorf("packed, it passed on %q, want %q", f.passed, want)
	}
	if mark, size := f.Mark(); mark == "" || size == 0 {
		t.Errorf("it has no mark: %q %d", mark, size)
	}
	f.read()
	if len(f.passed) > 0 {
		t.Errorf("nothing has changed, but it passed on %q", f.passed)
	}
	write(t, path, "> one\nhello\nend\n> two\nyes\nend\n> three\n") // it was resumed
	f.read()
	f.want("one done hello", "two done yes", "three running")
	other := newFollow(t, path+"2")
	other.packing = zipped
	pack(t, path+"2", "> one\nend\n", 0)
	other.read()
	other.want("one done")
	pack(t, path+"2", "> another one\nend\n> two\n", 0)
	other.read()
	other.want("another one done", "two running")
}

// TestPackedCut: of a packed file that ends too early nothing is lost that could be read, and it is an error.
func TestPackedCut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	f := newFollow(t, path)
	f.packing = zipped
	pack(t, path, "> one\nhello\nend\n", 9)
	for range 2 {
		if err := f.Read(t.Context(), f.take); err == nil {
			t.Error("no error")
		}
	}
	pack(t, path, "no gzip", 30)
	if err := f.Read(t.Context(), f.take); err == nil {
		t.Error("no error")
	}
	pack(t, path, "> one\nhello\nend\n", 0)
	f.read()
	f.want("one done hello")
}
