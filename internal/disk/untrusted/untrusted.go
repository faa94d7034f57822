//go:build unix

// Package untrusted opens paths that a session's programs control: a path may lead to a
// FIFO without a writer, to /dev/zero, or to a file that grows. It refuses FIFOs and
// devices, never blocks, and reads at most limit bytes.
package untrusted

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Errors about files that are refused; they come in an *fs.PathError.
var (
	ErrNotRegular = errors.New("it is no regular file")
	ErrTooLarge   = errors.New("it is too large")
)

// Open opens a regular file for reading. It follows symbolic links.
func Open(path string) (*os.File, fs.FileInfo, error) {
	// Opening a device can have an effect, so its type is checked first.
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, refusal(path, ErrNotRegular)
	}
	// The file may have been replaced since; O_NONBLOCK keeps a FIFO from blocking.
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
	// The file may have grown, and files in /proc report no size.
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
