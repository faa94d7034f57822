package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/api"
)

// TestRemovedWhileOpen: what is acknowledged while somebody removes or replaces the files
// is there for the next daemon, and nothing is acknowledged that would not be.
func TestRemovedWhileOpen(t *testing.T) {
	remove := func(names ...string) func(path string) error {
		return func(path string) (err error) {
			for _, suffix := range names {
				err = errors.Join(err, os.Remove(path+suffix))
			}
			return err
		}
	}
	for name, c := range map[string]struct {
		harm func(path string) error
		kept string // in which files the rows are in the end, "" if the write is refused
	}{
		"all":      {remove("", "-wal", "-shm"), "test.db"},
		"log":      {remove("-wal"), "test.db"},
		"database": {remove(""), "test.db"},
		"emptied":  {func(path string) error { return errors.Join(os.Remove(path), os.WriteFile(path, nil, 0o600)) }, "test.db"},
		"replaced": {func(path string) error {
			return errors.Join(os.WriteFile(path+".other", []byte("another"), 0o600), os.Rename(path+".other", path))
		}, "test.db.kept-*"},
		"directory": {func(path string) error { return os.RemoveAll(filepath.Dir(path)) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "state", "test.db")
			if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			s, _, err := Open(path, nil)
			if err != nil {
				t.Fatal(err)
			}
			write := func(seq int64) error { return s.Commit([]api.Event{testEvent(seq)}, []string{""}, nil) }
			if err := errors.Join(write(1), c.harm(path)); err != nil {
				t.Fatal(err)
			}
			if err := write(2); (err == nil) != (c.kept != "") {
				t.Fatalf("the write meanwhile: %v", err)
			}
			if err := write(3); err == nil || !strings.Contains(err.Error(), "ccdir daemon restart") {
				t.Errorf("the write after it: %v", err)
			}
			_ = s.Close() // the files are not there
			if c.kept == "" {
				return
			}
			found, err := filepath.Glob(filepath.Join(filepath.Dir(path), c.kept))
			if err != nil || len(found) != 1 {
				t.Fatalf("kept: %q, %v", found, err)
			}
			if info, err := os.Stat(found[0]); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%v, %v", info.Mode(), err)
			}
			again := openTest(t, found[0])
			events, err := again.Events(t.Context(), api.EventFilter{Limit: 10})
			if err != nil || len(events) != 2 {
				t.Errorf("%d events, %v", len(events), err)
			}
		})
	}
}
