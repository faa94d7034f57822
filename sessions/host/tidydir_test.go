package host

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"ccdir/wire"
)

// TestTidyDir: the last host that ends without a daemon removes the directory of the
// sockets; not while a daemon runs, nor a directory that is not the sockets' alone.
func TestTidyDir(t *testing.T) {
	for name, c := range map[string]struct{ locked, other, unknown, stays bool }{
		"alone": {}, "a daemon runs": {locked: true, stays: true}, "another host": {other: true, stays: true}, "not to be removed": {unknown: true, stays: true},
	} {
		t.Run(name, func(t *testing.T) {
			spec := specFor(t, "true")
			dir := filepath.Join(filepath.Dir(spec.Socket), "home")
			spec.Socket, spec.Lock = filepath.Join(dir, "h.sock"), filepath.Join(spec.Dir, "daemon.lock")
			f, err := os.Create(spec.Lock)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if c.locked {
				if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if c.other {
				if err := os.WriteFile(filepath.Join(dir, "h-other.sock"), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if c.unknown {
				spec.Lock = ""
			}
			if err := startSpec(t, spec).wait(); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) == c.stays {
				t.Errorf("the directory: %v", err)
			}
		})
	}
}

// TestTidyDirTogether: another host that is at it at the same moment is in nobody's way.
func TestTidyDirTogether(t *testing.T) {
	dir, lock := t.TempDir(), filepath.Join(t.TempDir(), "daemon.lock")
	f, err := os.Create(lock)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_SH); err != nil {
		t.Fatal(err)
	}
	tidyDir(wire.HostSpec{Socket: filepath.Join(dir, "h.sock"), Lock: lock})
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory stays: %v", err)
	}
}
