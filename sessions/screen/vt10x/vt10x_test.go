package vt10x

import (
	"fmt"
	"strings"
	"testing"

	"ccdir/internal/cells"
	"ccdir/sessions/screen"
)

var _ screen.Engine = (*Engine)(nil)

// told keeps what an application said out of band.
type told struct {
	log []string
	bel bool
}

func (l *told) Bell()                  { l.log = append(l.log, "bell") }
func (l *told) OSCTerminator(bel bool) { l.bel = bel }
func (l *told) OSCTooLong(int)         {}
func (l *told) OSC(code int, data []byte) []byte {
	l.log = append(l.log, fmt.Sprintf("%d %s", code, data))
	if string(data) == "?" {
		return []byte(fmt.Sprintf("<%d %v>", code, l.bel))
	}
	return nil
}

func newEngine(cols, rows int) (*Engine, *told) {
	l := &told{}
	return New(screen.Options{Cols: cols, Rows: rows, HistoryLines: 100, Listener: l, Name: "ccdir", Version: "1", KittyKeyboard: true}), l
}

func text(e *Engine) string {
	_, rows := e.Size()
	var b []byte
	for y := range rows {
		b = append(e.Table().AppendText(b, e.Row(y).Cells), '\n')
	}
	return strings.TrimRight(string(b), "\n")
}

func historyText(e *Engine) string {
	var b []byte
	for i := range e.HistoryLen() {
		b = append(e.Table().AppendText(b, e.HistoryRow(i).Cells), '\n')
	}
	return string(b)
}

func TestScreen(t *testing.T) {
	for _, test := range []struct {
		name, in, want string
		x, y           int
	}{
		{"text", "one\r\ntwo", "one\ntwo", 3, 1},
		{"wide", "世界x", "世界x", 5, 0},
		{"wide at the margin", "123456789世", "123456789\n世", 2, 1},
		{"half overwritten", "世界\x1b[1;2Hx", " x界", 2, 0},
		{"marks are dropped", "e\u0301x", "ex", 2, 0},
		{"C1 is dropped", "a\u009b31mb", "a31mb", 5, 0},
		{"charset of G1 prints nothing", "\x1b)0a", "a", 1, 0},
		{"line drawing", "\x1b(0qx\x1b(Bq", "─│q", 3, 0},
		{"missing parameters", "ab\x1b[;2HX", "aX", 2, 0},
		{"zero is one", "abc\x1b[H\x1b[0X", " bc", 0, 0},
		{"negative", "abc\x1b[-1@\x1b[-5P", "abc", 3, 0},
		{"huge", "abc\x1b[99999999999Iz", "abc      z", 9, 0},
		{"REP", "ab\x1b[3b", "abbbb", 5, 0},
		{"private restore is none", "ab\x1b[?u\x1b[>1u\x1b[<uc", "abc", 3, 0},
		{"strings show nothing", "a\x1bPhidden\x1b\\\x1b_x\x1b\\\x1b]0;t\x07b", "ab", 2, 0},
		{"a string broken off", "a\x1b]0;t\x18b\x1bPx\x1b[1mc", "abc", 3, 0},
		{"soft reset", "\x1b[2;3r\x1b[?6h\x1b[!pA", "A", 1, 0},
	} {
		e, _ := newEngine(10, 5)
		e.Feed([]byte(test.in))
		cur := e.State().Cursor
		if got := text(e); got != test.want || cur.X != test.x || cur.Y != test.y {
			t.Errorf("%s: %q, cursor %d,%d", test.name, got, cur.X, cur.Y)
		}
	}
}

func TestStyles(t *testing.T) {
	for in, want := range map[string]cells.Style{
		"\x1b[1;31mx":             {FG: cells.Indexed(9), Attrs: cells.Bold}, // vt10x brightens
		"\x1b[7;31mx":             {FG: cells.Indexed(1), Attrs: cells.Inverse},
		"\x1b[38;2;1;2;3mx":       {FG: cells.RGB(1, 2, 3)},
		"\x1b[38:2::1:2:3mx":      {FG: cells.RGB(1, 2, 3)},
		"\x1b[48:5:200mx":         {BG: cells.Indexed(200)},
		"\x1b[4:3mx":              {Underline: cells.UnderlineSingle},
		"\x1b[4m\x1b[4:0mx":       {},
		"\x1b[58;2;1;31;3mx":      {},
		"\x1b[58:5:1;3mx":         {Attrs: cells.Italic},
		"\x1b[31m\x1b[>4;2mx":     {FG: cells.Indexed(1)},
		"\x1b[;1mx":               {Attrs: cells.Bold},
		"\x1b[31m\x1b[mx":         {},
		"\x1b[38;5mx\x1b[0;38;2m": {},
	} {
		e, _ := newEngine(10, 2)
		e.Feed([]byte(in))
		if got := e.Table().Style(e.Row(0).Cells[0].Style); got != want {
			t.Errorf("%q: %+v, want %+v", in, got, want)
		}
	}
}

// light is a listener that knows that the person's terminal is light.
type light struct{ screen.Listener }

func (light) LightScheme() bool { return true }

// TestSchemeReport: the query whether the terminal is light is answered by who knows it.
func TestSchemeReport(t *testing.T) {
	_, l := newEngine(80, 24)
	for _, c := range []struct {
		listener screen.Listener
		want     string
	}{{l, ""}, {nil, ""}, {light{l}, "\x1b[?997;2n"}} {
		e := New(screen.Options{Cols: 80, Rows: 24, Listener: c.listener})
		e.Feed([]byte("\x1b[?996n"))
		if got := string(e.TakeReplies(nil)); got != c.want {
			t.Errorf("%T: %q, want %q", c.listener, got, c.want)
		}
	}
}

func TestReplies(t *testing.T) {
	e, l := newEngine(80, 24)
	e.Feed([]byte("\x1b[>0q\x1b[?u\x1b]7501;?\a\x1b[c\x1b]7501;?\x1b\\\x1b[6nab\x1b[6n\x1b[5n\x1b[?2026$p\x1b[?2004h\x1b[?2004$p\x1b[?9999$p\x1b[>c\x1b[18t"))
	want := "\x1bP>|ccdir(1)\x1b\\" + "\x1b[?0u" + "<7501 true>" + "\x1b[?62;22c" + "<7501 false>" +
		"\x1b[1;1R" + "\x1b[1;3R" + "\x1b[0n" + "\x1b[?2026;2$y" + "\x1b[?2004;1$y" + "\x1b[?9999;0$y" + "\x1b[>1;10;0c" + "\x1b[8;24;80t"
	if got := string(e.TakeReplies(nil)); got != want {
		t.Errorf("replies\n%q, want\n%q", got, want)
	}
	if len(e.TakeReplies(nil)) != 0 {
		t.Error("replies are given twice")
	}
	for range 10_000 {
		e.Feed([]byte("\x1b[c"))
	}
	if n := len(e.TakeReplies(nil)); n > maxReplies || n%len(primaryAttributes) != 0 {
		t.Errorf("%d bytes of replies", n)
	}
	l.log = nil
	e.Feed([]byte("\x1b]2;✳ title\a\a\x1b]9;\x1b\\\x1b]52;c;?\x18\x1b]0;" + strings.Repeat("x", maxOSC) + "\a"))
	if got := fmt.Sprint(l.log); got != "[2 ✳ title bell 9 ]" || e.State().Title != "✳ title" {
		t.Errorf("told %s, title %q", got, e.State().Title)
	}
}

func TestModes(t *testing.T) {
	e, _ := newEngine(10, 3)
	e.Feed([]byte("\x1b[?1;5;1003;1006;1004;1007;2004;2026;2031h\x1b=\x1b[20h\x1b[4 q\x1b[>13u\x1b[?25l"))
	want := screen.State{Cursor: screen.Cursor{Shape: 4}, Sync: true, Modes: screen.Modes{
		AppCursor: true, AppKeypad: true, BracketedPaste: true, FocusEvents: true, AltScroll: true, NewLine: true, ReverseVideo: true,
		Mouse: screen.MouseAny, MouseEncoding: screen.MouseSGR, KittyFlags: 9, ColorScheme: true}}
	if got := e.State(); got != want {
		t.Errorf("set: %+v", got)
	}
	e.Feed([]byte("\x1b[?1;5;1003;1006;1004;1007;2004;2026;2031l\x1b>\x1b[20l\x1b[0 q\x1b[<u\x1b[?25h"))
	if got := e.State(); got != (screen.State{Cursor: screen.Cursor{Visible: true}}) {
		t.Errorf("reset: %+v", got)
	}
	e.Feed([]byte("\x1b[?2004h\x1b[?1049h"))
	if s := e.State(); !s.Alt {
		t.Errorf("alternate screen: %+v", s)
	}
	e.Feed([]byte("\x1bc"))
	if s := e.State(); s.Modes != (screen.Modes{}) {
		t.Errorf("after RIS: %+v", s)
	}
}

func TestHistory(t *testing.T) {
	for name, in := range map[string]string{
		"line feeds": "1\r\n2\r\n3\r\n4\r\n5", "next line": "1\x1bE2\x1bE3\x1bE4\x1bE5", "wrap": "1   2   3   4   5", "scroll up": "1\r\n2\r\n3\x1b[2S",
	} {
		e, _ := newEngine(4, 3)
		e.Feed([]byte(in))
		if got := historyText(e); got != "1\n2\n" || e.HistoryTotal() != 2 {
			t.Errorf("%s: %q, %d", name, got, e.HistoryTotal())
		}
	}
	e, _ := newEngine(4, 3)
	e.Feed([]byte("\x1b[?1049h1\r\n2\r\n3\r\n4\x1b[?1049l\x1b[1;2r\x1b[H1\r\n2\r\n3"))
	if got := historyText(e); got != "" {
		t.Errorf("alternate screen or region: %q", got)
	}
	e, _ = newEngine(4, 3)
	for i := range 1000 {
		e.Feed(fmt.Appendf(nil, "%d\r\n", i))
	}
	if e.HistoryLen() != 100 || e.HistoryTotal() != 998 || !strings.HasPrefix(historyText(e), "898\n") {
		t.Errorf("%d of %d lines from %q", e.HistoryLen(), e.HistoryTotal(), historyText(e)[:4])
	}
	epoch := e.HistoryEpoch()
	e.Feed([]byte("\x1b[3J"))
	if e.HistoryLen() != 0 || e.HistoryEpoch() == epoch {
		t.Error("ED 3 keeps the history")
	}
}

// TestContained: what makes vt10x panic leaves a usable engine.
func TestContained(t *testing.T) {
	e, _ := newEngine(10, 3)
	e.Feed([]byte("before"))
	gen := e.Gen()
	func() {
		defer e.contain()
		panic("as vt10x does")
	}()
	e.Feed([]byte("after"))
	if got := text(e); got != "after" || e.Gen() <= gen {
		t.Errorf("%q, generation %d after %d", got, e.Gen(), gen)
	}
}

// FuzzFeed: no panic comes through, any split gives the same screen, and rows
// that differ have a newer generation.
func FuzzFeed(f *testing.F) {
	for _, s := range []string{"世界\x1b[1;31mred\r\n", "\x1b[38:2::1:2:3m\x1b[4:3m", "\x1b]0;t\a\x1b[6n", "\x1b[2;3r\x1b[5S\x1b[?1049h", "\x1b[-1@\x1b[;5H\x1bc\x1b(0q", "\xe4\xb8\xff\xe4"} {
		f.Add([]byte(s), uint8(3))
	}
	f.Fuzz(func(t *testing.T, in []byte, size uint8) {
		cols, rows := 1+int(size&15), 1+int(size>>4)
		a, _ := newEngine(cols, rows)
		b, _ := newEngine(cols, rows)
		a.Feed(in)
		for i := range in {
			before, shown := b.Gen(), text(b)
			b.Feed(in[i : i+1])
			if text(b) != shown && b.Gen() == before {
				t.Fatalf("byte %d changed the screen, not the generation", i)
			}
		}
		if text(a) != text(b) || a.State() != b.State() || historyText(a) != historyText(b) {
			t.Errorf("%q split:\n%q\n%+v\nwhole:\n%q\n%+v", in, text(b), b.State(), text(a), a.State())
		}
		for y := range rows {
			for x, c := range a.Row(y).Cells {
				if (c.Span == cells.Wide) != (x+1 < cols && a.Row(y).Cells[x+1].Span == cells.Tail) {
					t.Fatalf("half a wide character at %d,%d", x, y)
				}
			}
		}
		a.Resize(1+int(size>>3), 1+int(size&7))
		a.Feed(in)
		_ = text(a)
	})
}
