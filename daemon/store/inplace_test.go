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
		"directory": {func(path string) error { return os.RemoveAll(filepath.Dir(path)) }, "test.db"},
		"no room": {func(path string) error {
			return errors.Join(os.RemoveAll(filepath.Dir(path)), os.WriteFile(filepath.Dir(path), nil, 0o600))
		}, ""},
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
			if err := write(3); err == nil || strings.Contains(err.Error(), "ccdir daemon restart") != (c.kept != "") {
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

// TestRescuedLater: a look finds the loss without a write, and what could not be written
// out at first is written out as soon as that is possible.
func TestRescuedLater(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	path := filepath.Join(dir, "test.db")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s, _, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Commit([]api.Event{testEvent(1)}, []string{""}, nil), s.Look()); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o600)); err != nil { // no directory can be made
		t.Fatal(err)
	}
	if err := s.Look(); err == nil || !strings.Contains(err.Error(), "leave it running") || strings.Contains(err.Error(), "restart") {
		t.Errorf("with no place for a copy: %v", err)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time the copy has been removed, too
		if err := s.Look(); err == nil || !strings.Contains(err.Error(), "ccdir daemon restart") {
			t.Errorf("with a place: %v", err)
		}
		if _, err := os.Stat(path); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Look(); err == nil {
		t.Error("nothing is wrong")
	}
	_ = s.Close() // the files are not there
	again := openTest(t, path)
	if list, err := again.Events(t.Context(), api.EventFilter{Since: -1}); err != nil || len(list) != 1 {
		t.Errorf("%d events, %v", len(list), err)
	}
}

// TestPlaceBecomesFree: a copy that had to be written beside something goes to the database's
// place once that is free.
func TestPlaceBecomesFree(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	s, _, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Commit([]api.Event{testEvent(1)}, []string{""}, nil), s.Look(), os.Remove(path), os.Remove(path+"-wal"), os.Remove(path+"-shm"), os.Mkdir(path, 0o700)); err != nil {
		t.Fatal(err)
	}
	if err := s.Look(); err == nil || !strings.Contains(err.Error(), path+".kept-") {
		t.Errorf("with a directory in its place: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := s.Look(); err == nil || !strings.Contains(err.Error(), "are in "+path+": ") {
		t.Errorf("with the place free: %v", err)
	}
	_ = s.Close() // the files are not there
	again := openTest(t, path)
	if list, err := again.Events(t.Context(), api.EventFilter{Since: -1}); err != nil || len(list) != 1 {
		t.Errorf("%d events, %v", len(list), err)
	}
}

// TestTruncatedWhileOpen: nothing is acknowledged after a truncation, and what can still be
// read is written out.
func TestTruncatedWhileOpen(t *testing.T) {
	for name, checkpointed := range map[string]bool{"in the log": false, "in the database": true, "the log itself": false} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "test.db")
			s, _, err := Open(path, nil)
			if err != nil {
				t.Fatal(err)
			}
			write := func(seq int64) error { return s.Commit([]api.Event{testEvent(seq)}, []string{""}, nil) }
			if err := write(1); err != nil {
				t.Fatal(err)
			}
			if checkpointed {
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				if s, _, err = Open(path, nil); err != nil {
					t.Fatal(err)
				}
			}
			cut := path
			if name == "the log itself" {
				cut += "-wal"
			}
			if err := errors.Join(s.Look(), os.Truncate(cut, 0)); err != nil {
				t.Fatal(err)
			}
			if err := write(2); err == nil || !strings.Contains(err.Error(), "truncated") {
				t.Errorf("the write after it: %v", err)
			}
			if err := s.Look(); err == nil {
				t.Error("a look finds nothing")
			}
			_ = s.Close()
			if checkpointed || cut != path {
				return // its pages were in that file alone
			}
			again := openTest(t, path)
			if list, err := again.Events(t.Context(), api.EventFilter{Since: -1}); err != nil || len(list) != 1 {
				t.Errorf("%d events, %v", len(list), err)
			}
		})
	}
}
