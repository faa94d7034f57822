package directline

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ccdir/internal/cells"
)

func TestPlain(t *testing.T) {
	for _, tt := range []struct {
		text  string
		cells int
	}{
		{"", 0}, {"a", 1}, {"two words", 9}, {"~ !", 3}, {"äßñ", 3}, {"ωЖա", 3},
		{"\x1b[A", 0}, {"a\r", 0}, {"\x7f", 0}, {"\x9b", 0}, {"a\xff", 0}, {"\xc3", 0}, {"\u00a0", 0}, {"\u00ad", 0},
		{"e\u0301", 0}, {"中", 0}, {"é中", 0}, {"🙂", 0}, {"א", 0}, {"ب", 0}, {"·", 0}, {"×", 0}, {"─", 0},
	} {
		if n, ok := plainCells([]byte(tt.text)); n != tt.cells && ok || ok != (tt.cells > 0) {
			t.Errorf("plainCells(%q) = %d, %v, want %d", tt.text, n, ok, tt.cells)
		}
	}
	var j cells.Joiner
	for r := rune(' '); r <= 0xffff; r++ {
		if _, ok := plainCells([]byte(string(r))); !ok {
			continue
		}
		if cells.RuneWidth(r) != 1 {
			t.Errorf("%U takes %d columns", r, cells.RuneWidth(r))
		}
		j.Start(cells.PropOf('a'))
		if join, _ := j.Next(r, cells.PropOf(r)); join {
			t.Errorf("%U joins with what is before it", r)
		}
	}
}

// lender is both ends of a line whose display is a pipe, and the pipe's other end.
func lender(t *testing.T) (p *page, l *Line, display int) {
	t.Helper()
	p, l, _ = pair(t)
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(pipe[0]) })
	if !p.setDisplay(pipe[1]) {
		t.Fatal("the display was refused")
	}
	return p, l, pipe[0]
}

func TestEcho(t *testing.T) {
	long := strings.Repeat("x", MaxEcho)
	tests := []struct {
		name  string
		setUp func(p *page, l *Line)
		text  string
		want  bool
	}{
		{"a display that was never lent", func(*page, *Line) {}, "a", false},
		{"a lent one", func(_ *page, l *Line) { l.Lend(Loan{Shows: 7, Room: 5}) }, "ä", true},
		{"another picture", func(_ *page, l *Line) { l.Lend(Loan{Shows: 6, Room: 5}) }, "a", false},
		{"no picture", func(_ *page, l *Line) { l.Lend(Loan{Shows: 0, Room: 5}) }, "a", false},
		{"just enough room", func(_ *page, l *Line) { l.Lend(Loan{Shows: 7, Room: MaxEcho}) }, long, true},
		{"too little room", func(_ *page, l *Line) { l.Lend(Loan{Shows: 7, Room: MaxEcho - 1}) }, long, false},
		{"no room", func(_ *page, l *Line) { l.Lend(Loan{Shows: 7, Room: 0}) }, "a", false},
		{"too long", func(_ *page, l *Line) { l.Lend(Loan{Shows: 7, Room: 100}) }, long + "x", false},
		{"taken back", func(_ *page, l *Line) { l.Lend(Loan{Shows: 7, Room: 5}); l.TakeBack() }, "a", false},
		{"lent again", func(_ *page, l *Line) { l.Lend(Loan{Shows: 7, Room: 5}); l.TakeBack(); l.Lend(Loan{Shows: 7, Room: 5}) }, "a", true},
		{"written to already", func(p *page, l *Line) {
			l.Lend(Loan{Shows: 7, Room: 5})
			p.echo(7, []byte("b"), 1, false)
			l.TakeBack()
		}, "a", false},
		{"the page is closed", func(p *page, l *Line) { l.Lend(Loan{Shows: 7, Room: 5}); p.close() }, "a", false},
		{"the line is closed", func(_ *page, l *Line) { l.Lend(Loan{Shows: 7, Room: 5}); l.Close() }, "a", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, l, display := lender(t)
			tt.setUp(p, l)
			written(t, display)
			cells, _ := plainCells([]byte(tt.text))
			if got := p.echo(7, []byte(tt.text), cells, false); got != tt.want {
				t.Errorf("Echo = %v, want %v", got, tt.want)
			}
			want := ""
			if tt.want {
				want = tt.text
			}
			if got := written(t, display); got != want {
				t.Errorf("%q was written, want %q", got, want)
			}
			if got, known := l.TakeBack(); got != (Written{Text: want}) || !known {
				t.Errorf("TakeBack = %+v, %v, want %q", got, known, want)
			}
			if got, known := l.TakeBack(); got != (Written{}) || !known {
				t.Errorf("a second TakeBack = %+v, %v", got, known)
			}
		})
	}
}

// Text before which the row is full goes to the next one, if the terminal says where
// that is.
func TestEchoWraps(t *testing.T) {
	tests := []struct {
		name string
		of   Loan
		text string
		want bool
	}{
		{"the next row", Loan{7, 0, Next{12, 34, 3}}, "abc", true},
		{"there is room in this one too", Loan{7, 1, Next{1, 1, 1}}, "a", true},
		{"the end of the largest terminal", Loan{7, 0, Next{65535, 65535, 1}}, "a", true},
		{"too narrow", Loan{7, 5, Next{12, 34, 2}}, "abc", false},
		{"no next row", Loan{7, 5, Next{}}, "a", false},
		{"beyond the numbers", Loan{7, 5, Next{65536, 1, 5}}, "a", false},
		{"another picture", Loan{6, 0, Next{12, 34, 3}}, "a", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, l, display := lender(t)
			l.Lend(tt.of)
			if got := p.echo(7, []byte(tt.text), len(tt.text), true); got != tt.want {
				t.Errorf("Echo = %v, want %v", got, tt.want)
			}
			bytes, want := "", Written{}
			if tt.want {
				bytes, want = fmt.Sprintf("\x1b[%d;%dH%s", tt.of.Next.Row, tt.of.Next.Col, tt.text), Written{tt.text, true}
			}
			if got := written(t, display); got != bytes {
				t.Errorf("%q was written, want %q", got, bytes)
			}
			if got, known := l.TakeBack(); got != want || !known {
				t.Errorf("TakeBack = %+v, %v, want %+v", got, known, want)
			}
			l.Lend(Loan{Shows: 8, Room: 5})
			p.echo(8, []byte("a"), 1, false)
			if got, known := l.TakeBack(); got != (Written{Text: "a"}) || !known {
				t.Errorf("after it TakeBack = %+v, %v", got, known)
			}
		})
	}
}

// A display that is nearly full takes a part of it, and what it took is not known.
func TestEchoWrapsFull(t *testing.T) {
	for room := range 16 {
		p, l, display := lender(t)
		fill := bytes.Repeat([]byte("x"), 4096)
		for put(p.display, fill) > 0 {
		}
		for put(p.display, fill[:1]) > 0 {
		}
		buf := make([]byte, 4096) // a pipe takes more only when a page of it is free
		if n, err := unix.Read(display, buf); n != len(buf) || err != nil {
			t.Fatal(n, err)
		}
		put(p.display, fill[:4096-room])
		l.Lend(Loan{7, 0, Next{1, 1, 5}})
		done := p.echo(7, []byte("éßäö"), 4, true)
		got, known := l.TakeBack()
		if done != (got.Text != "") || done && (!known || !got.Wrapped || !strings.HasPrefix("éßäö", got.Text)) {
			t.Errorf("room for %d: done is %v, known %v, told %+v", room, done, known, got)
		}
		all := written(t, display)
		text := strings.TrimLeft(all, "x")
		if known && text != "" && text != "\x1b[1;1H"+got.Text {
			t.Errorf("room for %d: %q was written, told is %+v", room, text, got)
		}
	}
}

// One picture is good for one echo: the next one follows a picture that the terminal
// does not show yet.
func TestEchoOnce(t *testing.T) {
	p, l, display := lender(t)
	l.Lend(Loan{Shows: 7, Room: 5})
	if !p.lent(7) || p.lent(8) || p.lent(0) {
		t.Error("what is lent is not what was lent")
	}
	if !p.echo(7, []byte("a"), 1, false) || p.lent(7) || p.echo(7, []byte("b"), 1, false) {
		t.Error("two echoes after one picture")
	}
	if got := written(t, display); got != "a" {
		t.Errorf("%q was written", got)
	}
}

// What was written before the line was closed is still told.
func TestEchoThenClose(t *testing.T) {
	p, l, _ := lender(t)
	l.Lend(Loan{Shows: 7, Room: 5})
	p.echo(7, []byte("a"), 1, false)
	l.Close()
	if got, known := l.TakeBack(); got != (Written{Text: "a"}) || !known {
		t.Errorf("TakeBack = %+v, %v", got, known)
	}
}

// A full display takes a part, or nothing.
func TestEchoFull(t *testing.T) {
	p, l, display := lender(t)
	fill := bytes.Repeat([]byte("x"), 4096)
	for put(p.display, fill) > 0 {
	}
	l.Lend(Loan{Shows: 7, Room: 5})
	if p.echo(7, []byte("a"), 1, false) {
		t.Error("something was written to a full display")
	}
	if got, known := l.TakeBack(); got != (Written{}) || !known {
		t.Errorf("TakeBack = %+v, %v", got, known)
	}
	written(t, display)
}

// A host that is stopped while it writes costs the terminal a moment, once.
func TestStoppedHost(t *testing.T) {
	p, l, display := lender(t)
	l.Lend(Loan{Shows: 7, Room: 5})
	p.w.echo.turn.Store(turnHost)
	began := time.Now()
	if _, known := l.TakeBack(); known || time.Since(began) < holdWait {
		t.Errorf("known is %v after %v", known, time.Since(began))
	}
	l.Lend(Loan{Shows: 7, Room: 5})
	if p.lent(7) || p.echo(7, []byte("a"), 1, false) || written(t, display) != "" {
		t.Error("something is lent to it again")
	}
	if got, known := l.TakeBack(); got != (Written{}) || !known {
		t.Errorf("TakeBack = %+v, %v", got, known)
	}
}

// What the page says is not believed when it makes no sense.
func TestEchoNonsense(t *testing.T) {
	for _, bad := range []func(e *echoWords){
		func(e *echoWords) { e.n.Store(echoBroken) },
		func(e *echoWords) { e.n.Store(1 << 31) },
		func(e *echoWords) { e.n.Store(3); copy(e.text[:], "\x1b[A") },
		func(e *echoWords) { e.n.Store(1); e.text[0] = 0xc3 },
	} {
		p, l, _ := lender(t)
		l.Lend(Loan{Shows: 7, Room: 5})
		bad(&p.w.echo)
		if got, known := l.TakeBack(); got != (Written{}) || known {
			t.Errorf("TakeBack = %+v, %v", got, known)
		}
	}
}

func TestOneDisplay(t *testing.T) {
	p, _, _ := lender(t)
	null := func() int {
		fd, err := unix.Open("/dev/null", unix.O_WRONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		return fd
	}
	second := null()
	if p.setDisplay(second) {
		t.Error("a second display was taken")
	}
	if _, err := unix.FcntlInt(uintptr(second), unix.F_GETFD, 0); err == nil {
		t.Error("the refused display is still open")
	}
	first := p.display
	p.close()
	if _, err := unix.FcntlInt(uintptr(first), unix.F_GETFD, 0); err == nil {
		t.Error("the display outlives the page")
	}
	if p.setDisplay(null()) {
		t.Error("a closed page took a display")
	}
}

// TestOneWrites: the host never writes while the terminal does, and the terminal
// learns of everything that was written, in the order of the pictures.
func TestOneWrites(t *testing.T) {
	p, l, display := lender(t)
	var host sync.WaitGroup
	stop := make(chan struct{})
	host.Go(func() {
		for gen := uint64(1); ; {
			select {
			case <-stop:
				return
			default:
			}
			if p.echo(gen, []byte("e"), 1, false) || !p.lent(gen) {
				gen = p.w.echo.shows.Load()
			}
		}
	})
	echoed := 0
	var got bytes.Buffer
	gen := uint64(0)
	for end := time.Now().Add(10 * time.Second); echoed == 0 || echoed < 300 && time.Now().Before(end); {
		gen++
		l.Lend(Loan{Shows: gen, Room: 5})
		if gen%3 == 0 {
			time.Sleep(10 * time.Microsecond)
		}
		text, known := l.TakeBack()
		if !known {
			t.Fatal("it is not known what was written")
		}
		echoed += len(text.Text)
		put(p.display, []byte("<"))
		time.Sleep(5 * time.Microsecond)
		put(p.display, []byte(">"))
		got.WriteString(written(t, display))
	}
	close(stop)
	host.Wait()
	got.WriteString(written(t, display))
	if n := bytes.Count(got.Bytes(), []byte("e")); n != echoed {
		t.Errorf("%d echoes were written, %d told", n, echoed)
	}
	if bytes.Contains(got.Bytes(), []byte("<e")) {
		t.Error("the host wrote while the terminal did")
	}
}

func BenchmarkEcho(b *testing.B) {
	p, err := newPage()
	if err != nil {
		b.Fatal(err)
	}
	defer p.close()
	null, err := unix.Open("/dev/null", unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		b.Fatal(err)
	}
	p.setDisplay(null)
	l, err := open(duplicate(b, p), -1)
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	text := []byte("x")
	b.ReportAllocs()
	for b.Loop() {
		l.Lend(Loan{Shows: 1, Room: 1})
		if !p.echo(1, text, 1, false) {
			b.Fatal("not written")
		}
		l.TakeBack()
	}
}
