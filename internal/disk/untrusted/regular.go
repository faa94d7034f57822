//go:build unix

// Package untrusted reads files that programs of a session may put anything in the place
// of: a named pipe, on whose other end nobody ever is, /dev/zero, a file that grows. It
// waits for nobody, and reads no more than it was told.
package untrusted

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Errors of files that are not read; they come in an *fs.PathError.
var (
	ErrNotRegular = errors.New("it is no regular file")
	ErrTooLarge   = errors.New("it is too large")
)

// Open opens a regular file, or one that a link leads to, for reading.
func Open(path string) (*os.File, fs.FileInfo, error) {
	// Opening alone can do something to a device, so it is looked at before.
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, refusal(path, ErrNotRegular)
	}
	// It may be another one by now.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() {
		err = refusal(path, ErrNotRegular)
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// Read reads a regular file of at most limit bytes.
func Read(path string, limit int64) ([]byte, error) {
	f, info, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if info.Size() > limit {
		return nil, refusal(path, ErrTooLarge)
	}
	// It may have grown, and the size of some (in /proc) says nothing.
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = refusal(path, ErrTooLarge)
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

func refusal(path string, why error) error { return &fs.PathError{Op: "read", Path: path, Err: why} }
