//go:build unix

package untrusted

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestRead: what is no regular file is neither waited for nor read without end.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	text := bytes.Repeat([]byte("x"), 1000)
	if err := errors.Join(os.WriteFile(at("file"), text, 0o600), os.WriteFile(at("empty"), nil, 0o600), os.Symlink("file", at("link")),
		os.Symlink("/dev/zero", at("zero")), syscall.Mkfifo(at("pipe"), 0o600), os.Symlink("pipe", at("to pipe"))); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		limit int64
		want  []byte
		err   error
	}{
		{"file", 1000, text, nil}, {"link", 1000, text, nil}, {"empty", 0, []byte{}, nil}, {"file", 999, nil, ErrTooLarge},
		{"pipe", 1000, nil, ErrNotRegular}, {"to pipe", 1000, nil, ErrNotRegular}, {"zero", 1000, nil, ErrNotRegular},
		{".", 1000, nil, ErrNotRegular}, {"none", 1000, nil, fs.ErrNotExist},
	} {
		if got, err := Read(at(c.name), c.limit); !bytes.Equal(got, c.want) || !errors.Is(err, c.err) {
			t.Errorf("%s: %d bytes, %v, want %d, %v", c.name, len(got), err, len(c.want), c.err)
		}
	}
}

// TestReadGrowing: a file of which the size says nothing is read to its end, or to the limit.
func TestReadGrowing(t *testing.T) {
	const file = "/proc/self/status"
	want, err := os.ReadFile(file)
	if err != nil {
		t.Skipf("no %s here: %v", file, err)
	}
	if got, err := Read(file, 1<<20); err != nil || len(got) < len(want)/2 {
		t.Errorf("%d bytes of about %d, %v", len(got), len(want), err)
	}
	if _, err := Read(file, 10); !errors.Is(err, ErrTooLarge) {
		t.Errorf("over the limit: %v", err)
	}
}
