package store

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"ccdir/internal/disk/atomicfile"
)

// files identifies the database and its WAL as the writer has opened them.
type files struct {
	path    string
	db, log fs.FileInfo
	// size and logSize are the largest sizes of the database and its WAL so far, in bytes:
	// they never shrink by themselves.
	size, logSize int64
}

// What can happen to the files of an open database.
const (
	harmRemoved   = "removed or replaced"
	harmTruncated = "truncated"
)

// harm reports whether somebody has changed the files; "": no. Data in a removed or
// replaced file is lost when the process ends. The WAL is identified when it first exists.
func (f *files) harm() string {
	db, err := os.Stat(f.path)
	if missing(err) {
		return harmRemoved
	}
	if err != nil {
		return "" // its state is unknown: the next look may tell
	}
	log, err := os.Stat(f.path + "-wal")
	if f.log == nil {
		f.log = log
	}
	switch {
	case missing(err) && f.log != nil, !os.SameFile(db, f.db), err == nil && !os.SameFile(log, f.log):
		return harmRemoved
	case db.Size() < f.size, err == nil && log.Size() < f.logSize:
		return harmTruncated
	}
	f.size = db.Size()
	if err == nil {
		f.logSize = log.Size()
	}
	return ""
}

// missing reports whether there is no file at the path.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

func isMissing(path string) bool {
	_, err := os.Stat(path)
	return missing(err)
}

// truncated reports whether the database or its WAL is shorter than it was.
func (f *files) truncated() bool {
	shorter := func(path string, file fs.FileInfo, than int64) bool {
		now, err := os.Stat(path)
		return err == nil && file != nil && os.SameFile(now, file) && now.Size() < than
	}
	return shorter(f.path, f.db, f.size) || shorter(f.path+"-wal", f.log, f.logSize)
}

// keep is called after each commit, and by Look. If somebody has changed the
// files, it copies the whole database to where the next daemon finds it. From then on
// nothing is written, and gone is the error of every write. The error of keep is that of a
// commit that is not durable.
func (s *Store) keep() error {
	harm := s.files.harm()
	if harm == "" {
		return nil
	}
	s.harmed = harm
	return s.rescue()
}

// rescue copies the database out and sets gone. It may be called again after a failure.
func (s *Store) rescue() error {
	to, err := s.copyOut()
	if err != nil {
		s.gone = fmt.Errorf("the database %s was %s while the daemon ran, and its contents cannot be written out (%w): nothing more is saved; the daemon tries again and still has all of it, so leave it running", s.path, s.harmed, err)
		if s.rescueFailed != err.Error() {
			s.rescueFailed = err.Error()
			s.log.Error("the database is not in its place and cannot be written out; it is tried again", "harm", s.harmed, "error", err)
		}
		return s.gone
	}
	s.keptIn(to)
	return nil
}

// keptIn records where the copy is.
func (s *Store) keptIn(to string) {
	s.rescued = to
	s.gone = fmt.Errorf("the database %s was %s while the daemon ran; its contents are in %s: run `ccdir daemon restart`", s.path, s.harmed, to)
	s.log.Error("the database was changed while the daemon ran: nothing more is written until `ccdir daemon restart`", "harm", s.harmed, "kept", to)
}

// Look checks the files now, without a write, and writes the database out if somebody has
// changed them; also again where that has failed before or the copy is no longer there. It returns why nothing is written
// any longer; nil: all is well. It blocks for the writer.
func (s *Store) Look() error {
	o := &op{done: make(chan error, 1)}
	return s.send(o)
}

// look is Look in the writer.
func (s *Store) look() error {
	switch {
	case s.gone == nil:
		_ = s.keep() // it is in gone
	case s.rescued == "" || isMissing(s.rescued): // or the copy is gone as well
		s.rescued = ""
		_ = s.rescue() // it is in gone
	case s.rescued != s.path && isMissing(s.path): // what was in its place has gone
		if s.removeLog() == nil && os.Rename(s.rescued, s.path) == nil {
			s.keptIn(s.path)
			_ = atomicfile.SyncDir(filepath.Dir(s.path)) // without it, either name is there after a power cut
		}
	}
	return s.gone
}

// copyOut writes the whole database into a new file: at its path, or beside a file that
// somebody has put there.
func (s *Store) copyOut() (to string, err error) {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return "", err
	}
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
	if err = checkCopy(tmp); err != nil { // of a truncated file
		return "", errors.Join(err, os.Remove(tmp))
	}
	if err = f.Sync(); err != nil {
		return "", err
	}
	to = s.path
	// An empty file was made by a reader that reconnected.
	if there, err := os.Stat(s.path); err == nil && there.Size() > 0 && !os.SameFile(there, s.files.db) {
		to += keptMark + time.Now().UTC().Format("20060102T150405.000")
	} else {
		if err := s.removeLog(); err != nil {
			return "", err
		}
	}
	if err := os.Rename(tmp, to); err != nil {
		return "", err
	}
	return to, atomicfile.SyncDir(filepath.Dir(to))
}

// removeLog removes a WAL at the database's path, which does not belong to a copy.
func (s *Store) removeLog() error {
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := os.Remove(s.path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// checkCopy reads all pages of a copy.
func checkCopy(path string) error {
	db, err := sql.Open("sqlite", dsn(path)+"?mode=ro")
	if err != nil {
		return err
	}
	return errors.Join(quickCheck(db, "PRAGMA quick_check(1)"), db.Close())
}
