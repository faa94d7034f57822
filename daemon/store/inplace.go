package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"ccdir/internal/disk/atomicfile"
)

// files identifies the database and its WAL as the writer has opened them.
type files struct {
	path    string
	db, log fs.FileInfo
}

// inPlace reports whether the paths still name the files. Data in a removed or replaced
// file is lost when the process ends. The WAL is identified when it first exists.
func (f *files) inPlace() bool {
	db, err := os.Stat(f.path)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	log, err := os.Stat(f.path + "-wal")
	if f.log == nil {
		f.log = log
	}
	if err != nil {
		return f.log == nil || !errors.Is(err, fs.ErrNotExist)
	}
	return os.SameFile(db, f.db) && os.SameFile(log, f.log)
}

// keep is called after each commit, before it is acknowledged. If the files are no longer
// in place, it copies the whole database to where the next daemon finds it. From then on
// nothing is written, and gone is the error of every write.
func (s *Store) keep() error {
	if s.files.inPlace() {
		return nil
	}
	const advice = "run `ccdir daemon restart`"
	to, err := s.copyOut()
	if err != nil {
		s.gone = fmt.Errorf("the database %s was removed or replaced, and what it had cannot be kept (%w): %s", s.path, err, advice)
		s.log.Error("the database is not in its place and cannot be kept", "error", err)
		return s.gone
	}
	s.gone = fmt.Errorf("the database %s was removed or replaced while the daemon ran; what it had is in %s: %s", s.path, to, advice)
	s.log.Error("the database was removed or replaced while the daemon ran: nothing more is written until `ccdir daemon restart`", "kept", to)
	return nil
}

// copyOut writes the whole database into a new file: at its path, or beside a file that
// somebody has put there.
func (s *Store) copyOut() (to string, err error) {
	tmp := s.path + ".copy"
	if err := os.Remove(tmp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	// Make the file first: SQLite would use the umask's mode.
	f, err := os.OpenFile(tmp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err = s.write.Exec("VACUUM INTO ?", tmp); err != nil {
		return "", errors.Join(err, os.Remove(tmp))
	}
	if err = f.Sync(); err != nil {
		return "", err
	}
	to = s.path
	// An empty file was made by a reader that reconnected.
	if there, err := os.Stat(s.path); err == nil && there.Size() > 0 && !os.SameFile(there, s.files.db) {
		to += ".kept-" + time.Now().UTC().Format("20060102T150405.000")
	} else {
		// A WAL at that path does not belong to the copy.
		for _, suffix := range []string{"-wal", "-shm"} {
			if err := os.Remove(s.path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return "", err
			}
		}
	}
	if err := os.Rename(tmp, to); err != nil {
		return "", err
	}
	return to, atomicfile.SyncDir(filepath.Dir(to))
}
