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

// files are the database and its log as the writer has them open.
type files struct {
	path    string
	db, log fs.FileInfo
}

// inPlace reports whether the names still stand for the files: what is written into a file
// that was removed, or that another took the place of, is gone with the process. The log
// is known from when it is first there.
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

// keep is called after each commit, before it is acknowledged. Once the files are not in
// place any more it copies all that the database has to where the next daemon finds it,
// and from then on nothing is written: gone says so. The error is that of a commit that
// is not kept.
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

// copyOut writes all that the database has into a new file: in its place, or beside
// another one that somebody has put there.
func (s *Store) copyOut() (to string, err error) {
	tmp := s.path + ".copy"
	if err := os.Remove(tmp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	// The file is made first, so that its mode is ours and not the umask's.
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
	// A reader that connects again makes an empty file.
	if there, err := os.Stat(s.path); err == nil && there.Size() > 0 && !os.SameFile(there, s.files.db) {
		to += ".kept-" + time.Now().UTC().Format("20060102T150405.000")
	} else {
		// Logs that lie there now are not of the copy.
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
