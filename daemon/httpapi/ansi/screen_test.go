package ansi

import (
	"math/rand/v2"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/sessions/screen"
	"ccdir/sessions/screen/render"
	"ccdir/sessions/screen/vt"
	"ccdir/wire"
)

// frameOf is a frame as a host makes it: what changed since gen.
func frameOf(e screen.Engine, gen uint64) *wire.Frame {
	cols, rows := e.Size()
	st := e.State()
	f := &wire.Frame{Full: gen == 0, Gen: e.Gen(), Cols: cols, Rows: rows,
		Cursor: wire.Cursor{X: st.Cursor.X, Y: st.Cursor.Y, Visible: st.Cursor.Visible, Shape: st.Cursor.Shape}}
	if st.Alt {
		f.Flags |= wire.FlagAlt
	}
	if st.Modes.ReverseVideo {
		f.Flags |= wire.FlagReverse
	}
	hint, ok := e.ScrollHint(gen)
	ok = ok && hint.N != 0 && !f.Full
	if ok {
		f.ScrollTop, f.ScrollBottom, f.ScrollN = hint.Top, hint.Bottom, max(-rows, min(hint.N, rows))
	}
	var enc wire.RowEncoder
	enc.Reset(e.Table())
	for y := range rows {
		row := e.Row(y)
		changed := row.Gen
		if ok {
			changed = row.Edited
		}
		if f.Full || changed > gen {
			enc.Add(y, row)
		}
	}
	f.Data = enc.AppendTo(nil)
	return f
}

// pieces are what programs print.
var pieces = []string{"hello world", "\r\n", "\n", "\x1b[31m", "\x1b[1;44m", "\x1b[m", "\x1b[3;9r", "\x1b[r", "\x1b[5S", "\x1b[2T", "\x1b[L", "\x1b[2M", "\x1b[K", "\x1b[2J",
	"\x1b[H", "\x1b[7;3H", "\x1b[12;40H", "日本語", "é", "👩‍👩‍👧", "\x1b[3@", "\x1b[2P", "\x1b[?1049h", "\x1b[?1049l", "\x1bM", "\x1b[?5h", "\x1b[?5l", "\x1b[?25l", "\x1b[?25h",
	"\x1b]8;;https://example.org/a\x1b\\", "\x1b]8;;\x1b\\", "\t", "x", "long line that goes on beyond the margin of the terminal"}

// drawn feeds an engine, draws now and then into another and compares.
func drawn(t *testing.T, choose func(n int) int, steps int) {
	t.Helper()
	from := vt.New(screen.Options{Cols: 40, Rows: 12, HistoryLines: 50})
	to := vt.New(screen.Options{Cols: 40, Rows: 12, HistoryLines: 50})
	w := NewScreen(40, 12)
	gen := uint64(0)
	for range steps {
		for range choose(6) {
			from.Feed([]byte(pieces[choose(len(pieces))]))
		}
		if err := w.Apply(frameOf(from, gen)); err != nil {
			t.Fatal(err)
		}
		gen = from.Gen()
		if choose(3) == 0 {
			continue // a slow client
		}
		to.Feed(w.Draw())
		if again := w.Draw(); len(again) > 0 {
			t.Fatalf("nothing changed, and %q was drawn", again)
		}
		want, got := string(render.ANSI(nil, from)), string(render.ANSI(nil, to))
		a, b := from.State(), to.State()
		if got != want || a.Cursor.Visible != b.Cursor.Visible || a.Cursor.Visible && (a.Cursor.X != b.Cursor.X || a.Cursor.Y != b.Cursor.Y) || a.Alt != b.Alt || a.Modes.ReverseVideo != b.Modes.ReverseVideo {
			t.Fatalf("drawn:\n%q\nwant:\n%q\ncursor %+v, want %+v", got, want, b.Cursor, a.Cursor)
		}
	}
}

// TestScreenWriter: another terminal shows what the session does.
func TestScreenWriter(t *testing.T) {
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		drawn(t, rnd.IntN, 40)
	}
}

// TestScreenWriterHistory: lines that leave the screen go into the terminal's own
// history.
func TestScreenWriterHistory(t *testing.T) {
	from := vt.New(screen.Options{Cols: 20, Rows: 5, HistoryLines: 50})
	to := vt.New(screen.Options{Cols: 20, Rows: 5, HistoryLines: 50})
	w := NewScreen(20, 5)
	gen := uint64(0)
	for i := range 20 {
		from.Feed([]byte("line " + string(rune('a'+i)) + "\r\n"))
		if err := w.Apply(frameOf(from, gen)); err != nil {
			t.Fatal(err)
		}
		gen = from.Gen()
		to.Feed(w.Draw())
	}
	if to.HistoryLen() != from.HistoryLen() {
		t.Fatalf("%d lines, want %d", to.HistoryLen(), from.HistoryLen())
	}
	for i := range to.HistoryLen() {
		if got, want := string(to.Table().AppendText(nil, to.HistoryRow(i).Cells)), string(from.Table().AppendText(nil, from.HistoryRow(i).Cells)); got != want {
			t.Errorf("line %d is %q, want %q", i, got, want)
		}
	}
}

// FuzzScreen draws what the input chooses.
func FuzzScreen(f *testing.F) {
	f.Add([]byte("abcdefghijklmnop"))
	f.Add([]byte{0, 255, 7, 33, 2, 9, 9, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		at := 0
		drawn(t, func(n int) int {
			if at >= len(data) {
				return 0
			}
			at++
			return int(data[at-1]) % n
		}, min(len(data), 50))
	})
}

// TestInputs: what terminals send for keys, pastes, focus and the mouse is told
// to the host as such; everything else as it is.
func TestInputs(t *testing.T) {
	for data, want := range map[string]string{
		"\r": "key Enter", "\t": "key Tab", "\x1b": "key Escape", "\x7f": "key BSpace", "\x03": "key C-c", "\x1a": "key C-z", "\x00": "raw \x00",
		"\x1b[A": "key Up", "\x1bOB": "key Down", "\x1b[1;5C": "key C-Right", "\x1b[3;2~": "key S-DC", "\x1b[3~": "key DC", "\x1b[5~": "key PPage", "\x1bOP": "key F1", "\x1b[1;3S": "key M-F4",
		"\x1b[24~": "key F12", "\x1b[Z": "key BTab", "\x1bx": "key M-x", "\x1bé": "key M-é", "a": "raw a", "hello\r": "raw hello\r", "日本": "raw 日本",
		"\x1b[200~a\x1b[Ab\x1b[201~": "paste a\x1b[Ab", "\x1b[I": "focus true", "\x1b[O": "focus false", "\x1b[99~": "raw \x1b[99~", "\x1b[1;9A": "raw \x1b[1;9A", "\x1b[;": "raw \x1b[;",
	} {
		list := Inputs(api.AttachInput{Type: api.AttachData, Data: data})
		if len(list) != 1 {
			t.Errorf("%q: %d messages", data, len(list))
			continue
		}
		got := map[wire.InputType]string{wire.InputKey: "key ", wire.InputRaw: "raw ", wire.InputPaste: "paste ", wire.InputFocus: "focus "}[list[0].Type] + string(list[0].Text)
		if list[0].Type == wire.InputFocus {
			got += map[bool]string{true: "true", false: "false"}[list[0].Focused]
		}
		if got != want {
			t.Errorf("%q: %q, want %q", data, got, want)
		}
	}
	list := Inputs(api.AttachInput{Type: api.AttachData, Data: "\x1b[<0;3;4M\x1b[<0;3;4m\x1b[<65;1;1M\x1b[<35;9;9M"})
	want := []wire.MouseEvent{{X: 2, Y: 3, Button: 1}, {X: 2, Y: 3, Button: 1, Action: wire.MouseRelease}, {Button: 5}, {X: 8, Y: 8, Action: wire.MouseMotion}}
	for i, e := range want {
		if len(list) != len(want) || list[i].Mouse != e {
			t.Fatalf("mouse: %+v", list)
		}
	}
	for _, bad := range []string{"\x1b[<0;3M", "\x1b[<a;b;cM", "\x1b[<0;3;4Mx", strings.Repeat("\x1b[<", 5)} {
		if list := Inputs(api.AttachInput{Type: api.AttachData, Data: bad}); len(list) != 1 || list[0].Type != wire.InputRaw {
			t.Errorf("%q: %+v", bad, list)
		}
	}
}
