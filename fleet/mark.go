package fleet

import (
	"errors"
	"fmt"
	"os"

	"ccdir/internal/disk/atomicfile"
)

// mark is a file beside a server's streams: how far the log was when this server last wrote to it. The engine
// takes a stream whose files are damaged for a shorter one, or for none; the mark tells. It is not synced,
// and written after a commit is: it may be behind, and is never ahead.
type mark struct {
	f  *os.File
	id string
}

const markForm = "%s %020d\n"

// openMark holds the log of the fleet id, whose newest commit is last, against the mark in file; "" is none.
func openMark(file, id string, last uint64) (*mark, error) {
	if file == "" {
		return &mark{}, nil
	}
	data, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var was string
	var seq uint64
	if n, _ := fmt.Sscanf(string(data), markForm, &was, &seq); n == 2 && seq > 0 && (was != id || seq > last) { // a torn one is none
		return nil, fmt.Errorf("%w: this server knows commit %d of fleet %s, and its streams end with commit %d of fleet %s: take another replica's data, or a copy made by `ccdir-fleet export`; to go on with what is there, remove %s",
			errUnsafe, seq, was, last, id, file)
	}
	m := &mark{id: id}
	if err := atomicfile.Replace(file, fmt.Appendf(nil, markForm, id, last)); err != nil {
		return nil, err
	}
	m.f, err = os.OpenFile(file, os.O_WRONLY, 0) //nolint:gosec // in the server's own directory
	return m, err
}

// note moves the mark.
func (m *mark) note(seq uint64) error {
	if m == nil || m.f == nil {
		return nil
	}
	_, err := m.f.WriteAt(fmt.Appendf(nil, markForm, m.id, seq), 0)
	return err
}

func (m *mark) close() {
	if m.f != nil {
		_ = m.f.Close() // what was written is with the system
	}
}
