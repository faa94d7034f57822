package host

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ccdir/sessions/screen"
	"ccdir/wire"
	"ccdir/wire/directline"
	"ccdir/wire/directline/linetest"
)

// display is a terminal that is lent: a pipe.
type display struct{ in, out int }

func newDisplay(t *testing.T) *display {
	t.Helper()
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(pipe[0]); unix.Close(pipe[1]) })
	return &display{pipe[1], pipe[0]}
}

// Control is directline.Terminal's.
func (d *display) Control(f func(fd uintptr)) error { f(uintptr(d.in)); return nil }

// written is what has come since it was asked last.
func (d *display) written(t *testing.T) string {
	t.Helper()
	buf := make([]byte, 4<<10)
	n, err := unix.Read(d.out, buf)
	if err != nil && !errors.Is(err, unix.EAGAIN) {
		t.Fatal(err)
	}
	return string(buf[:max(n, 0)])
}

// echoing is a host without a process, with a client that lends a terminal, which an
// engine of its own stands for.
type echoing struct {
	t        *testing.T
	h        *host
	c        *client
	line     *directline.Line
	display  *display
	terminal screen.Engine
	echoes   int
}

func newEchoing(t *testing.T, engine string, cols, rows int) *echoing {
	t.Helper()
	h := quietHost(engine, cols, rows)
	e := &echoing{t: t, h: h, c: quietClient(h), display: newDisplay(t)}
	e.line = linetest.Join(t, &h.direct, &e.c.line, e.display, e.display)
	return e
}

// paint sends the client a frame, lets the terminal show it, without its styles, and
// lends that.
func (e *echoing) paint() {
	e.line.TakeBack()
	if _, _, wait, _ := e.c.collect(time.Now().Add(time.Minute)); wait > 0 || e.c.gen != e.h.eng.Gen() {
		return // in the middle of a synchronized update
	}
	eng := e.h.eng
	cols, rows := eng.Size()
	e.terminal = NewEngine("", screen.Options{Cols: cols, Rows: rows})
	var b []byte
	for y := range rows {
		for x, cell := range eng.Row(y).Cells {
			if cell.Glyph != 0 {
				b = fmt.Appendf(b, "\x1b[%d;%dH", y+1, x+1)
				b = eng.Table().AppendGlyph(b, cell.Glyph)
			}
		}
	}
	cur := eng.State().Cursor
	e.terminal.Feed(fmt.Appendf(b, "\x1b[%d;%dH", cur.Y+1, cur.X+1))
	of := directline.Loan{Shows: e.c.frame.Gen, Room: cols - cur.X}
	if cur.Y+1 < rows {
		of.Next = directline.Next{Row: cur.Y + 2, Col: 1, Room: cols}
	}
	e.line.Lend(of)
}

// print lets the process print, and compares the terminal with the screen if that
// went straight to it. It reports whether it did.
func (e *echoing) print(text string) bool {
	e.t.Helper()
	e.h.output([]byte(text))
	echoed := e.display.written(e.t)
	if echoed == "" {
		return false
	}
	e.echoes++
	e.terminal.Feed([]byte(echoed))
	got, want := e.terminal.State().Cursor, e.h.eng.State().Cursor // both wait in the last column
	if got.X != want.X || got.Y != want.Y || textOf(e.terminal) != textOf(e.h.eng) {
		e.t.Errorf("after %q went straight the terminal shows\n%s\n%v, the screen is\n%s\n%v", text, textOf(e.terminal), got, textOf(e.h.eng), want)
	}
	return true
}

func textOf(eng screen.Engine) string {
	_, rows := eng.Size()
	var b []byte
	for y := range rows {
		b = eng.Table().AppendText(b, eng.Row(y).Cells)
		b = append(b, '\n')
	}
	return string(b)
}

func TestEchoStraight(t *testing.T) {
	tests := []struct {
		name, before, text string
		want               bool
	}{
		{"a letter", "$ ", "x", true},
		{"a word", "$ ", "two words", true},
		{"other alphabets", "$ ", "äωЖ", true},
		{"in the middle of a line", "abcdef\x1b[3D", "x", true},
		{"over itself", "abcdef\x1b[3D", "d", true},
		{"below another line", "one\r\ntwo\r\n", "x", true},
		{"on the other screen", "\x1b[?1049h", "x", true},
		{"up to the last but one column", strings.Repeat("x", 37), "ab", true},
		{"into the last column", strings.Repeat("x", 38), "ab", true},
		{"in the last column", "\x1b[1;40H", "a", true},
		{"over the last column", strings.Repeat("x", 39), "ab", false},
		{"behind the last column", strings.Repeat("x", 40), "ab", true},
		{"behind the last column, before others", "\r\nabcdef\x1b[A\r" + strings.Repeat("x", 40), "xy", true},
		{"behind the last column, in colour", "\r\n\x1b[31mabcdef\x1b[m\x1b[A\r" + strings.Repeat("x", 40), "xy", true},
		{"behind the last column, all of the next row", strings.Repeat("x", 40), strings.Repeat("y", 32), true},
		{"behind the last column of the last row", "\x1b[12H" + strings.Repeat("x", 40), "a", false},
		{"behind the last column at the end of a region", "\x1b[2;5r\x1b[5H" + strings.Repeat("x", 40), "a", false},
		{"behind the last column before the end of a region", "\x1b[2;5r\x1b[4H" + strings.Repeat("x", 40), "a", true},
		{"with a line end", "$ ", "x\r\n", false},
		{"a backspace", "$ abc", "\b \b", false},
		{"with an escape sequence", "$ ", "\x1b[mx", false},
		{"inside of an escape sequence", "$ \x1b[1", "m", false},
		{"inside of a title", "\x1b]2;ti", "tle", false},
		{"inside of a title, before its own letter", "xab\r\x1b]2;ti", "x", false},
		{"in colour", "\x1b[31m", "x", false},
		{"underlined", "\x1b[4m", " ", false},
		{"inserted before others", "abcdef\x1b[3D\x1b[4h", "x", false},
		{"inserted at the end", "abc\x1b[4h", "x", true},
		{"half of a wide character", "世\x1b[2D", "x", false},
		{"the other half", "世\x1b[1D", "x", false},
		{"lines drawn with letters", "\x1b(0", "x", false},
		{"joined to what is there", "👩\u200d", "x", true},
		{"a wide character", "$ ", "世", false},
		{"with an accent", "$ e", "\u0301", false},
		{"in a synchronized update", "\x1b[?2026h", "x", false},
		{"in reverse video", "\x1b[?5h", "x", false},
		{"with a hidden cursor", "\x1b[?25l", "x", false},
		{"too long", "$ ", strings.Repeat("x", directline.MaxEcho+1), false},
		{"not wrapped", "\x1b[?7l" + strings.Repeat("x", 39), "ab", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := newEchoing(t, engineVT, 40, 12)
			e.h.output([]byte(tt.before))
			e.paint()
			if got := e.print(tt.text); got != tt.want {
				t.Errorf("straight: %v, want %v; the screen:\n%s", got, tt.want, textOf(e.h.eng))
			}
		})
	}
}

// On a screen of two columns a row that scrolls looks like one that is filled.
func TestEchoNarrow(t *testing.T) {
	for cols := 1; cols < 4; cols++ {
		for _, before := range []string{"", "a", "ab", "abc", "abcd", "a\x1b[3H", "ab\x1b[3H", "a\r\nbc\x1b[3H", "\x1b[3Ha", "\x1b[3Hab", "\x1b[3H   ", "ab\x1b[3H  "} {
			for _, text := range []string{" ", "x", "xy"} {
				e := newEchoing(t, engineVT, cols, 3)
				e.h.output([]byte(before))
				e.paint()
				e.print(text)
			}
		}
	}
}

// TestEchoIsTheScreen: whatever was printed before, a terminal that shows the screen
// shows it also after text that went straight to it.
func TestEchoIsTheScreen(t *testing.T) {
	for _, engine := range []string{engineVT, engineVT10x} {
		t.Run(engine, func(t *testing.T) {
			echoes := 0
			for seed := range uint64(100) {
				r := rand.New(rand.NewPCG(seed, 1))
				e := newEchoing(t, engine, 40, 12)
				for range 60 {
					if r.IntN(3) == 0 {
						e.h.output(append(randomOutput(r), []string{"", "\x1b[m", "\x1b[m\x1b[?25h", "\x1b[4h", "\x1b[4l", "\x1b[?7l", "\x1b[?69h\x1b[5;20s"}[r.IntN(7)]...))
					}
					if r.IntN(5) > 0 {
						e.paint()
					}
					e.print([]string{"x", "word", "é", " ", "a b", "q"}[r.IntN(6)])
				}
				if t.Failed() {
					t.Fatalf("seed %d", seed)
				}
				echoes += e.echoes
			}
			if echoes < 200 {
				t.Errorf("only %d texts went straight", echoes)
			}
		})
	}
}

// One picture is good for one echo, and no picture of another engine for any.
func TestEchoNeedsItsPicture(t *testing.T) {
	e := newEchoing(t, "", 40, 12)
	e.print("$ ")
	if e.paint(); !e.print("a") || e.print("b") {
		t.Error("the second echo did not wait for its picture")
	}
	if e.paint(); !e.print("c") {
		t.Error("nothing goes straight after the next picture")
	}
	e.paint()
	old := e.h.eng.Gen()
	for e.h.newEngine(40, 12); e.h.eng.Gen() < old; {
		e.h.output([]byte("\x1b[C"))
	}
	if e.h.eng.Gen() != old || e.print("d") {
		t.Errorf("text of a new engine went straight to a picture of the old one (%d, %d)", old, e.h.eng.Gen())
	}
}

// The echo of a key arrives at the display that the client has lent with its line,
// and the frame all the same.
func TestEchoArrives(t *testing.T) {
	r := start(t, "sh", "-c", "stty raw -echo; printf 'ready>'; exec cat")
	p := r.dial()
	p.view(80, 24)
	p.shows("ready>")
	d := newDisplay(t)
	token := call[wire.LineResult](p, wire.MethodLine, nil).Token
	l, err := directline.Dial(t.Context(), r.spec.Socket, wire.Hello{Ticket: ticket, Client: "test", Line: token}, d)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	typist := &typist{peer: p, line: l}
	straight, want := "", "ready>"
	for i := 0; i < 200 && len(straight) < 20; i++ {
		letter := string(rune('a' + i%26))
		p.mu.Lock()
		gen := p.mirror.Meta().Gen
		p.mu.Unlock()
		l.Lend(directline.Loan{Shows: gen, Room: 70 - len(want)})
		if want += letter; len(want) > 60 {
			break
		}
		typist.straight(letter)
		p.shows(want)
		wrote, known := l.TakeBack()
		text := wrote.Text
		if got := d.written(t); got != text || !known || text != "" && text != letter {
			t.Fatalf("%q was written to the display, %q told (%v)", got, text, known)
		}
		straight += text
	}
	if len(straight) < 20 {
		t.Errorf("only %q of %q went straight", straight, want)
	}
	p.close()
	for end := time.Now().Add(patience); l.Write([]byte("x"), 0) != 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the line outlives its connection")
		}
	}
}
