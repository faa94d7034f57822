//go:build unix

package untrusted

import (
	"io"
	"os"
	"syscall"
)

// ReadIn reads a regular file of at most limit bytes below root; links that lead out of it
// are refused.
func ReadIn(root *os.Root, name string, limit int64) ([]byte, error) {
	info, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, refusal(name, ErrNotRegular)
	}
	// The file may have been replaced since; O_NONBLOCK keeps a FIFO from blocking.
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, refusal(name, ErrNotRegular)
	}
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
