// Package atomicfile writes files so that a kill or a power cut at any moment leaves
// the old content or the new one, whole. The temporary file lies beside the file;
// its name begins with a dot.
package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
)

// Write replaces a file, or makes it, with mode 0600. When it returns without an
// error, the content is on disk; after a power cut the name may stand for the old
// one still.
func Write(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
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

// Replace is Write after which the name stands for the new content also after a
// power cut.
func Replace(path string, data []byte) error {
	if err := Write(path, data); err != nil {
		return err
	}
	_ = SyncDir(filepath.Dir(path)) // not every file system can; the file is whole
	return nil
}

// SyncDir makes the names in a directory durable.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
