//go:build unix

package logfile

import (
	"io"
	"os"
	"sync"
)

// Writer writes to a log file by its descriptor, and rotates it. It is safe for concurrent
// use. Make one with Rotate.
type Writer struct {
	mu   sync.Mutex
	f    *os.File
	path string
	max  int64
	also []*os.File // other descriptors of the log, which move with f
	// retryAt is the size at which a rotation that failed is tried again.
	retryAt int64
}

// Rotate returns a writer to f. If f is the log at path (standard error of a daemon that
// runs in the background), it is rotated above limit bytes, and the descriptors of also that
// lead to the same file follow. Otherwise the writer is f itself.
func Rotate(f *os.File, path string, limit int64, also ...*os.File) io.Writer {
	path = target(path)
	if !isAt(f, path) {
		return f
	}
	w := &Writer{f: f, path: path, max: limit}
	for _, other := range also {
		if isAt(other, path) {
			w.also = append(w.also, other)
		}
	}
	return w
}

// Write writes one line, or several.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.turn()
	return w.f.Write(p)
}

// turn goes on in a new file if the present one is long, or no longer the log: another
// process has rotated it, or it was removed.
func (w *Writer) turn() {
	info, err := w.f.Stat()
	if err != nil {
		return
	}
	now, err := os.Stat(w.path)
	isLog := err == nil && os.SameFile(info, now)
	switch {
	case !isLog:
		_ = w.move() // if not, its lines are where the file is
	case info.Size() > max(w.max, w.retryAt):
		if w.rotate() != nil {
			w.retryAt = info.Size() + w.max/4
			return
		}
		w.retryAt = 0
	}
}

func (w *Writer) rotate() error {
	if err := os.Rename(w.path, Old(w.path)); err != nil {
		return err
	}
	if err := w.move(); err != nil {
		_ = os.Rename(Old(w.path), w.path) // as it was: the file grows on
		return err
	}
	return nil
}

// move makes the descriptors lead to the file that is at the path now.
func (w *Writer) move() error {
	next, err := open(w.path)
	if err != nil {
		return err
	}
	defer func() { _ = next.Close() }()
	for _, f := range append([]*os.File{w.f}, w.also...) {
		if err := dup(int(next.Fd()), int(f.Fd())); err != nil {
			return err
		}
	}
	return nil
}

// isAt reports whether f is open on the file at path.
func isAt(f *os.File, path string) bool {
	if f == nil {
		return false
	}
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Stat(path)
	return err == nil && os.SameFile(a, b)
}
