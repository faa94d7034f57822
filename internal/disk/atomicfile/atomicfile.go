// Package atomicfile replaces files in one step: after a kill or a power cut at any
// moment a file has its old content or the new one, whole. The temporary file lies
// beside the file; its name begins with a dot. A symbolic link is replaced, not
// followed.
package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// private is the mode of files that only their owner may read.
const private fs.FileMode = 0o600

// Write replaces or creates a file of mode 0600. When it returns without an error,
// the content is on disk; after a power cut the name may still stand for the old one.
func Write(path string, data []byte) error { return write(path, data, private, true) }

// WriteMode is Write for a file of another mode.
func WriteMode(path string, data []byte, mode fs.FileMode) error {
	return write(path, data, mode, true)
}

// WriteUnsynced is Write without waiting for the disk, which takes milliseconds: for
// files that are written again before they are next read. After a power cut the file
// may be empty.
func WriteUnsynced(path string, data []byte) error { return write(path, data, private, false) }

// Replace is Write, and also syncs the directory: after a power cut the name stands for
// the new content.
func Replace(path string, data []byte) error {
	if err := Write(path, data); err != nil {
		return err
	}
	_ = SyncDir(filepath.Dir(path)) // some file systems cannot; the file is whole
	return nil
}

func write(path string, data []byte, mode fs.FileMode, sync bool) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*") // of mode private
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil && mode != private {
		err = f.Chmod(mode)
	}
	if err == nil && sync {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// SyncDir makes the names in a directory durable.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
