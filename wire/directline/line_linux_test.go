package directline

import (
	"bytes"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// pair is both ends of a line whose terminal is a pipe, and the pipe's other end.
func pair(t *testing.T) (*page, *Line, int) {
	t.Helper()
	p, err := newPage()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.close)
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(pipe[0]) })
	l, err := open(duplicate(t, p), pipe[1])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return p, l, pipe[0]
}

// duplicate is the page's descriptor as a client receives it.
func duplicate(t testing.TB, p *page) int {
	t.Helper()
	dup, err := unix.FcntlInt(uintptr(p.fd), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		t.Fatal(err)
	}
	return dup
}

// written is what has arrived in the terminal since it was asked last.
func written(t *testing.T, fd int) string {
	t.Helper()
	var b []byte
	for buf := make([]byte, 64<<10); ; {
		n, err := unix.Read(fd, buf)
		if n <= 0 || err != nil {
			return string(b)
		}
		b = append(b, buf[:n]...)
	}
}

func TestLine(t *testing.T) {
	tests := []struct {
		name  string
		setUp func(p *page)
		sent  uint64
		want  string
	}{
		{"a new line is closed", func(*page) {}, 0, ""},
		{"an open one writes", func(p *page) { p.setOpen(true) }, 0, "ä"},
		{"a closed one does not", func(p *page) { p.setOpen(true); p.setOpen(false) }, 0, ""},
		{"nothing is overtaken", func(p *page) { p.setOpen(true); p.setDone(1) }, 2, ""},
		{"what was sent is written", func(p *page) { p.setOpen(true); p.setDone(2) }, 2, "ä"},
		{"the host writes", func(p *page) { p.setOpen(true); p.hold() }, 0, ""},
		{"the host has written", func(p *page) { p.setOpen(true); p.hold(); p.release() }, 0, "ä"},
		{"the page was taken back", func(p *page) { p.setOpen(true); p.close() }, 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, l, terminal := pair(t)
			tt.setUp(p)
			n := l.Write([]byte("ä"), tt.sent)
			if got := written(t, terminal); got != tt.want || n != len(tt.want) {
				t.Errorf("%d bytes were taken and %q written, want %q", n, got, tt.want)
			}
			counted, _ := p.typed()
			if want := uint64(len(tt.want) / 2); counted != want {
				t.Errorf("%d texts were counted, want %d", counted, want)
			}
		})
	}
}

// A full terminal takes a part, and the caller learns how much.
func TestFullTerminal(t *testing.T) {
	p, l, terminal := pair(t)
	p.setOpen(true)
	text := bytes.Repeat([]byte("x"), 1<<20)
	n := l.Write(text, 0)
	if got := written(t, terminal); n == 0 || n == len(text) || len(got) != n {
		t.Errorf("%d bytes were taken, %d arrived, of %d", n, len(got), len(text))
	}
}

func TestClosedLine(t *testing.T) {
	p, l, terminal := pair(t)
	p.setOpen(true)
	l.Close()
	l.Close()
	if n := l.Write([]byte("x"), 0); n != 0 || written(t, terminal) != "" {
		t.Error("a closed line writes")
	}
	p.hold()
	p.release()
	p.close()
	p.close()
	p.setOpen(true)
	p.setDone(1)
	p.hold()
	p.release()
	if n, at := p.typed(); n != 0 || !at.IsZero() {
		t.Error("a closed page counts")
	}
}

// A terminal that was stopped while it wrote costs the host a moment, once, and its
// line.
func TestStoppedTerminal(t *testing.T) {
	p, l, terminal := pair(t)
	p.setOpen(true)
	l.w.turn.Store(turnTerminal)
	began := time.Now()
	p.hold()
	if took := time.Since(began); took < holdWait {
		t.Errorf("the host waited only %v", took)
	}
	if l.w.turn.CompareAndSwap(turnTerminal, turnFree) {
		t.Error("the stopped terminal still had the turn")
	}
	p.release()
	p.setOpen(true)
	if n := l.Write([]byte("x"), 0); n != 0 || written(t, terminal) != "" {
		t.Error("a line that was taken away is open again")
	}
	p.setDone(0)
	if n := l.Write([]byte("x"), 0); n != 0 {
		t.Error("a line is open again whose terminal is still stopped")
	}
	// It goes on: with the next input the line is its again.
	endText(l.w)
	if n := l.Write([]byte("x"), 0); n != 0 {
		t.Error("a line is open again before the host knows")
	}
	p.setDone(1)
	if n := l.Write([]byte("x"), 1); n != 1 || written(t, terminal) != "x" {
		t.Error("a line whose terminal was only slow stays closed")
	}
	p.hold()
	p.release()
	if n := l.Write([]byte("y"), 1); n != 1 || written(t, terminal) != "y" {
		t.Error("the line does not go on as before")
	}
}

// TestNothingMixed: while the host holds the turn its pieces stay together, and
// each text of the terminal is counted before the host could miss it.
func TestNothingMixed(t *testing.T) {
	p, l, terminal := pair(t)
	p.setOpen(true)
	var host sync.WaitGroup
	stop := make(chan struct{})
	var got bytes.Buffer
	host.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			p.hold()
			got.WriteString(written(t, terminal))
			for range 5 {
				put(l.pty, []byte("<"))
				time.Sleep(10 * time.Microsecond)
				put(l.pty, []byte(">"))
			}
			p.release()
			time.Sleep(20 * time.Microsecond)
		}
	})
	texts := 0
	for end := time.Now().Add(time.Minute); texts < 500 && time.Now().Before(end); {
		texts += l.Write([]byte("x"), 0)
	}
	close(stop)
	host.Wait()
	got.WriteString(written(t, terminal))
	rest := bytes.ReplaceAll(got.Bytes(), []byte("<><><><><>"), nil)
	if i := bytes.IndexAny(rest, "<>"); i >= 0 {
		t.Errorf("the host's text was broken up: %.60q", rest[max(0, i-20):])
	}
	if n := bytes.Count(rest, []byte("x")); n != texts || texts < 500 {
		t.Errorf("%d texts arrived of %d", n, texts)
	}
	if n, _ := p.typed(); n != uint64(texts) {
		t.Errorf("%d texts were counted of %d", n, texts)
	}
}

// What is not a page is refused, and its size cannot be changed.
func TestForeignMemory(t *testing.T) {
	p, _, _ := pair(t)
	if unix.Ftruncate(p.fd, 0) == nil || unix.Ftruncate(p.fd, 1<<20) == nil {
		t.Error("the page's size can be changed")
	}
	plain, err := unix.MemfdCreate("other", unix.MFD_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	if l, err := open(plain, -1); err == nil {
		l.Close()
		t.Error("memory without seals was taken")
	}
}

func BenchmarkWrite(b *testing.B) {
	p, err := newPage()
	if err != nil {
		b.Fatal(err)
	}
	defer p.close()
	null, err := unix.Open("/dev/null", unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		b.Fatal(err)
	}
	l, err := open(duplicate(b, p), null)
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	p.setOpen(true)
	text := []byte("x")
	b.ReportAllocs()
	for b.Loop() {
		if l.Write(text, 0) != 1 {
			b.Fatal("not written")
		}
	}
}
