//go:build unix

package untrusted

import (
	"io"
	"io/fs"
	"os"
	"syscall"
)

// OpenIn opens a regular file below root for reading; links that lead out of it are refused.
func OpenIn(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	info, err := root.Stat(name)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, refusal(name, ErrNotRegular)
	}
	// The file may have been replaced since; O_NONBLOCK keeps a FIFO from blocking.
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() {
		err = refusal(name, ErrNotRegular)
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// ReadIn reads a regular file of at most limit bytes below root; links that lead out of it
// are refused.
func ReadIn(root *os.Root, name string, limit int64) ([]byte, error) {
	f, info, err := OpenIn(root, name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if info.Size() > limit {
		return nil, refusal(name, ErrTooLarge)
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = refusal(name, ErrTooLarge)
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}
