//go:build unix

package logfile

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"ccdir/internal/disk/untrusted"
)

// maxLine bounds a line in bytes: a longer one is read in pieces.
const maxLine = 64 << 10

// look is how often a reader looks for more: another process writes the file.
const look = 200 * time.Millisecond

// Reader reads a log from its beginning, the older file first, without the ends of lines.
// A goroutine uses it alone; Close it.
type Reader struct {
	path string
	old  *os.File // read first; nil: it is read, or there is none
	f    *os.File // nil: there is no log yet
	r    *bufio.Reader
	part []byte // of a line that is being written
}

// NewReader opens the log. A log that does not exist is an empty one.
func NewReader(path string) (*Reader, error) {
	r := &Reader{path: target(path)}
	// The newer one first: if it is rotated in between, both are the same.
	var err error
	if r.f, err = openLog(r.path); err != nil {
		return nil, err
	}
	if r.old, err = openLog(Old(r.path)); err != nil {
		r.Close()
		return nil, err
	}
	if r.old != nil && r.f != nil && same(r.old, r.f) {
		r.old.Close()
		r.old = nil
	}
	r.use(r.old)
	if r.old == nil {
		r.use(r.f)
	}
	return r, nil
}

// openLog opens a file of the log; nil if there is none.
func openLog(path string) (*os.File, error) {
	f, _, err := untrusted.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return f, err
}

func (r *Reader) use(f *os.File) {
	if f != nil {
		r.r = bufio.NewReaderSize(f, maxLine)
	}
}

// Exists reports whether there is a log.
func (r *Reader) Exists() bool { return r.f != nil || r.old != nil }

// Close closes the files.
func (r *Reader) Close() {
	for _, f := range []*os.File{r.old, r.f} {
		if f != nil {
			_ = f.Close() // only read
		}
	}
	r.old, r.f = nil, nil
}

// Next returns the next line, or io.EOF after the last one that was written whole; later
// calls find what was written since, also in the file after a rotation.
func (r *Reader) Next() (string, error) {
	for {
		line, err := r.line()
		if err == nil || !errors.Is(err, io.EOF) {
			return line, err
		}
		if !r.turn() {
			return "", io.EOF
		}
	}
}

// line reads a line of the present file.
func (r *Reader) line() (string, error) {
	if r.r == nil {
		return "", io.EOF
	}
	piece, err := r.r.ReadSlice('\n')
	switch {
	case err == nil:
		line := string(r.part) + string(piece[:len(piece)-1])
		r.part = nil
		return line, nil
	case errors.Is(err, bufio.ErrBufferFull):
		line := string(r.part) + string(piece)
		r.part = nil
		return line, nil
	default:
		r.part = append(r.part, piece...)
		return "", err
	}
}

// turn goes on to the next file at the end of the present one; false if there is none.
func (r *Reader) turn() bool {
	if r.old != nil {
		r.old.Close()
		r.old = nil
		r.use(r.f)
		return r.f != nil
	}
	next, err := openLog(r.path)
	if err != nil || next == nil {
		return false // being rotated: the next look finds it
	}
	if r.f == nil {
		r.f = next
		r.use(next)
		return true
	}
	if same(next, r.f) {
		next.Close()
		return false
	}
	// Rotated. What was written to the old one until then is behind us only now.
	if more, err := r.grown(); err != nil || more {
		next.Close()
		return err == nil
	}
	r.f.Close()
	r.f = next
	r.use(next)
	return true
}

// grown reports whether the present file has more than was read.
func (r *Reader) grown() (bool, error) {
	at, err := r.f.Seek(0, io.SeekCurrent)
	if err != nil {
		return false, err
	}
	info, err := r.f.Stat()
	return err == nil && info.Size() > at, err
}

// Wait blocks until it is time to look again, and returns the error of ctx if that ended.
func Wait(ctx context.Context) error {
	t := time.NewTimer(look)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

func same(a, b *os.File) bool {
	x, errX := a.Stat()
	y, errY := b.Stat()
	return errX == nil && errY == nil && os.SameFile(x, y)
}
