package sessions

import (
	"errors"
	"strings"
	"testing"

	"ccdir/api"
)

// failing is a journal whose disk takes nothing.
type failing struct{ *memJournal }

func (j failing) Append(msg api.WatchMessage, record []byte, key string) <-chan error {
	<-j.memJournal.Append(msg, record, key)
	done := make(chan error, 1)
	done <- errors.New("read-only file system")
	close(done)
	return done
}

// TestUnsaved: a change that could not be saved is in force and visible, and its call says
// that it is not saved.
func TestUnsaved(t *testing.T) {
	if err := inForce(nil); err != nil {
		t.Error(err)
	}
	ch := failing{&memJournal{}}.Append(api.WatchMessage{}, nil, "")
	unsaved, err := answer(t.Context(), ch)
	if err != nil || unsaved == nil {
		t.Fatal(unsaved, err)
	}
	if err := inForce(unsaved); api.CodeOf(err) != api.CodeInternal || !strings.Contains(err.Error(), "is lost when the daemon ends: read-only file system") {
		t.Error(err)
	}
	ch = failing{&memJournal{}}.Append(api.WatchMessage{}, nil, "")
	if err := wait(t.Context(), ch); err != nil {
		t.Error("what only shows is no failure:", err)
	}
}
