//go:build !linux

package runner

import (
	"errors"
	"os"

	"ccdir/internal/contain"
)

// bothPipes are the pipes of standard output and error.
type bothPipes struct{ r, w [2]*os.File }

func newBothPipes() (*bothPipes, error) {
	b := &bothPipes{}
	for i := range b.r {
		var err error
		if b.r[i], b.w[i], err = os.Pipe(); err != nil {
			b.Close()
			return nil, err
		}
	}
	return b, nil
}

// copy reads both pipes to their ends. Order is by arrival at the two readers: writes
// that follow each other within microseconds may change places.
func (b *bothPipes) copy(listens func(), put func(stream int, p []byte)) {
	listens()
	var both contain.Group
	for i, r := range b.r {
		both.Go(func() {
			buf := make([]byte, 64<<10)
			for {
				n, err := r.Read(buf)
				put(i, buf[:n])
				if err != nil {
					return
				}
			}
		})
	}
	both.Wait()
}

// Close ends copy.
func (b *bothPipes) Close() error {
	var errs []error
	for _, f := range b.r {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(errs...)
}
