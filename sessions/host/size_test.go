package host

import (
	"testing"
	"time"

	"ccdir/wire"
)

// room is a host with a size and nothing else, and views makes its clients.
func room(t *testing.T) (h *host, views func(may bool, cols, rows int) *client) {
	t.Helper()
	h = quietHost("", 80, 24)
	t.Cleanup(h.stopTimers)
	return h, func(may bool, cols, rows int) *client {
		c := quietClient(h)
		c.may = func() bool { return may }
		c.setView(wire.View{Visible: true, Cols: cols, Rows: rows})
		return c
	}
}

// TestWhoOwnsTheSize: a client that may do no more than look keeps no size from one
// that may type, also where it fits and nothing has to be changed for it.
func TestWhoOwnsTheSize(t *testing.T) {
	h, views := room(t)
	looks := views(false, 80, 24) // fits
	person := views(true, 100, 30)
	if h.size.owner != person || h.size.cols != 100 || h.size.rows != 30 || !looks.refused || person.refused {
		t.Errorf("%dx%d; the person owns it: %v; refused: %v, %v", h.size.cols, h.size.rows, h.size.owner == person, looks.refused, person.refused)
	}
	other := views(false, 40, 10)
	if h.size.owner != person || h.size.cols != 100 || other.refused {
		t.Errorf("one beside the owner: %dx%d, refused %v", h.size.cols, h.size.rows, other.refused)
	}
	delete(h.clients, person)
	h.size.gone(person)
	if h.size.owner != nil || h.size.cols != 100 || !other.refused {
		t.Errorf("after the owner: %dx%d, refused %v", h.size.cols, h.size.rows, other.refused)
	}
}

// TestPinnedSize: a pin ends with the next owner, and not with one that may do no
// more than look.
func TestPinnedSize(t *testing.T) {
	h, views := room(t)
	h.size.pin(120, 40)
	h.size.last = time.Time{} // the next change need not wait
	if looks := views(false, 120, 40); !h.size.pinned || h.size.owner != nil || !looks.refused {
		t.Errorf("pinned %v, owned %v, refused %v", h.size.pinned, h.size.owner != nil, looks.refused)
	}
	if views(true, 100, 30); h.size.pinned || h.size.cols != 100 {
		t.Errorf("pinned %v, %d columns", h.size.pinned, h.size.cols)
	}
}
