// Package adopt reads and writes what a session leaves on disk, by which the next daemon adopts
// it: its directory with the host's files, and the socket of its host.
package adopt

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"ccdir/internal/disk/atomicfile"
	"ccdir/internal/disk/paths"
	"ccdir/internal/disk/untrusted"
	"ccdir/sessions/delivery"
	"ccdir/wire"
)

// maxFile bounds each JSON file read from a session's directory, in bytes.
const maxFile = 64 << 20

// Passing reports whether an error comes from a shortage in the system and says nothing
// about the file.
func Passing(err error) bool {
	for _, e := range []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EAGAIN} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// How often and at what interval a file is retried after such an error.
const (
	fileTries = 40
	fileAgain = 50 * time.Millisecond
)

// ReadJSON reads a JSON file of a session's directory. Decisions such as whether a host
// runs must not depend on a shortage of file descriptors, so it retries for up to two
// seconds.
func ReadJSON(path string, into any) error {
	data, err := untrusted.Read(path, maxFile)
	for n := 1; Passing(err) && n < fileTries; n++ {
		time.Sleep(fileAgain)
		data, err = untrusted.Read(path, maxFile)
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// WriteJSON replaces a file atomically.
func WriteJSON(path string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return atomicfile.Replace(path, data)
}

// ReadHost reads the host's file about itself; os.ErrNotExist if it wrote none.
func ReadHost(dir string) (hf wire.HostFile, err error) {
	err = ReadJSON(filepath.Join(dir, paths.HostFile), &hf)
	return hf, err
}

// ReadFinal reads the exit record; os.ErrNotExist if the host wrote none.
func ReadFinal(dir string) (f wire.Final, err error) {
	err = ReadJSON(filepath.Join(dir, paths.FinalFile), &f)
	return f, err
}

// perStart are the files of one process; a restart removes them.
var perStart = []string{paths.FinalFile, paths.HostFile, paths.ScreenFile, paths.RingFile, paths.TokenFile, paths.SpoolDir, delivery.FirstFile}

// ClearStart removes the files of the previous process. final.json goes first, so that a
// partial removal does not look like a finished process.
func ClearStart(dir string) error {
	for _, name := range perStart {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// GoneSuffix marks the directory of a session that is being discarded.
const GoneSuffix = ".gone"

// Discard removes a directory without a session. A host may be starting in it: Discard
// renames the directory first, so that the host cannot write host.json and ends. If the
// host was faster, the directory is restored, and again is true.
func Discard(dir string) (again bool, err error) {
	if err := os.Rename(dir, dir+GoneSuffix); err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return false, nil
		}
		return false, err
	}
	if err := Restore(dir); err != nil {
		return false, err
	}
	_, err = os.Stat(dir)
	return err == nil, nil
}

// Restore puts a renamed directory back if it has a host, else removes it.
func Restore(dir string) error {
	if _, err := os.Stat(filepath.Join(dir+GoneSuffix, paths.HostFile)); err == nil {
		return os.Rename(dir+GoneSuffix, dir)
	}
	return os.RemoveAll(dir + GoneSuffix)
}
