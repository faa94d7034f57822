package tui

import (
	"context"
	"errors"
	"testing"

	"golang.org/x/sys/unix"

	"ccdir/internal/directline"
	"ccdir/internal/hostwire"
)

// lineHost is a host's end of a direct line, whose terminal is a pipe.
type lineHost struct {
	page     *directline.Page
	terminal int
}

// newLineHost returns both ends of an open line.
func newLineHost(t *testing.T) (*lineHost, *directline.Line) {
	t.Helper()
	page, err := directline.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(page.Close)
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(pipe[0]) })
	dup := -1
	if err := page.Control(func(fd int) { dup, err = unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3) }); err != nil || dup < 0 {
		t.Fatal(err, dup)
	}
	l, err := directline.Open(dup, pipe[1])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	page.SetOpen(true)
	return &lineHost{page, pipe[0]}, l
}

// read is what arrived straight.
func (h *lineHost) read(t *testing.T) string {
	t.Helper()
	buf := make([]byte, 4<<10)
	n, err := unix.Read(h.terminal, buf)
	if err != nil && !errors.Is(err, unix.EAGAIN) {
		t.Fatal(err)
	}
	return string(buf[:max(n, 0)])
}

// Text goes straight only after everything before it, and the rest by the host.
func TestPaneTypesStraight(t *testing.T) {
	h, l := newLineHost(t)
	p := newPane("aaaa1111", nil, false, func(paneState) {}, func(*pane) {})
	p.line.open.Store(l)
	waits := func() []string {
		var all []string
		for len(p.input) > 0 {
			all = append(all, string((<-p.input).Text))
		}
		return all
	}
	p.typeRun([]keyMsg{typed("a"), typed("ä"), typed("Space")})
	if got := h.read(t); got != "aä " || len(p.input) != 0 {
		t.Errorf("%q went straight, %d inputs to the host", got, len(p.input))
	}
	// A digit may answer a dialog, Enter is no text: the host is told, and what
	// comes behind them waits for it.
	p.typeRun([]keyMsg{typed("b"), typed("1"), typed("c"), typed("Enter"), typed("d")})
	if got := h.read(t); got != "b" {
		t.Errorf("%q went straight", got)
	}
	if got := waits(); len(got) != 4 || got[0] != "1" || got[1] != "c" || got[2] != "Enter" || got[3] != "d" {
		t.Errorf("to the host went %q", got)
	}
	p.line.waiting.Store(0) // as the writer counts
	p.line.sent.Store(4)
	h.page.SetDone(3)
	p.typeRun([]keyMsg{typed("e")})
	if got := waits(); h.read(t) != "" || len(got) != 1 {
		t.Error("something was overtaken")
	}
	p.line.waiting.Store(0)
	p.line.sent.Store(5)
	h.page.SetDone(5)
	p.typeRun([]keyMsg{typed("f")})
	if got := h.read(t); got != "f" {
		t.Errorf("%q went straight when everything was written", got)
	}
}

// typed is a key as the reader has it.
func typed(name string) keyMsg { return keyMsg{name: name, key: keyOf(name)} }

// lineClient gives lines.
type lineClient struct {
	*fakeClient
	asked chan string
	line  *directline.Line
}

func (c *lineClient) DialLine(_ context.Context, id, token string, _ hostwire.Display) (*directline.Line, error) {
	c.asked <- id + " " + token
	return c.line, nil
}

// The line is asked for when somebody types, once, and closed with its connection.
func TestPaneOpensLine(t *testing.T) {
	h, l := newLineHost(t)
	c := &lineClient{fakeClient: newFakeClient(), asked: make(chan string, 8), line: l}
	host := c.host("aaaa1111")
	host.token = "the token"
	p := newPane("aaaa1111", c, false, func(paneState) {}, func(*pane) {})
	p.start(t.Context())
	defer p.close()
	eventually(t, "the pane connects", func() bool { return host.seen(func(h *fakeHost) bool { return h.conn != nil }) })
	if len(c.asked) != 0 {
		t.Error("a line was asked for before anybody typed")
	}
	p.typeRun([]keyMsg{typed("a")})
	if got := <-c.asked; got != "aaaa1111 the token" {
		t.Errorf("asked for %q", got)
	}
	eventually(t, "the line opens", func() bool { return p.line.open.Load() != nil })
	h.page.SetDone(1)
	eventually(t, "text goes straight", func() bool { return p.typeText("b") })
	if got := h.read(t); got != "b" {
		t.Errorf("%q went straight", got)
	}
	host.cut(true)
	eventually(t, "the line is given up", func() bool { return p.line.open.Load() == nil })
	if l.Write([]byte("c"), 1) != 0 {
		t.Error("the line is not closed")
	}
	if len(c.asked) != 0 {
		t.Error("the line was asked for again")
	}
}
