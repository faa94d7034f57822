package vt

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ccdir/internal/cells"
	"ccdir/sessions/screen"
)

// vocabulary is what random streams are made of.
var vocabulary = []string{
	"hello", "x", "日本", "한", "e\u0301", "👩\u200d💻", "🇫🇷", "⚠\ufe0f", "─", "\u0301", "\u200d", "\ufe0f", "🏽",
	"\r\n", "\n", "\r", "\b", "\t", "\x07", "\x0e", "\x0f", "\x0b",
	"\x1b[A", "\x1b[3B", "\x1b[C", "\x1b[2D", "\x1b[H", "\x1b[2;3H", "\x1b[5G", "\x1b[3d", "\x1b[2I", "\x1b[Z",
	"\x1b[J", "\x1b[1J", "\x1b[2J", "\x1b[3J", "\x1b[K", "\x1b[1K", "\x1b[2K", "\x1b[3X", "\x1b[2P", "\x1b[2@", "\x1b[L", "\x1b[2M",
	"\x1b[S", "\x1b[2T", "\x1b[3b", "\x1b[2;4r", "\x1b[r", "\x1bM", "\x1bD", "\x1bE", "\x1b7", "\x1b8", "\x1b[4h", "\x1b[4l", "\x1b[?6h", "\x1b[?6l",
	"\x1b[?7l", "\x1b[?7h", "\x1b[?45h", "\x1b[?1049h", "\x1b[?1049l", "\x1b[?47h", "\x1b[?47l", "\x1b[20h", "\x1b[20l",
	"\x1b[m", "\x1b[1;31m", "\x1b[38;2;1;2;3m", "\x1b[48:5:9m", "\x1b[4:3;58:2::1:2:3m", "\x1b[7m", "\x1b[44m",
	"\x1b]0;title ✶\x07", "\x1b]8;;http://a.b/c\x1b\\", "\x1b]8;;\x07", "\x1b]11;?\x1b\\", "\x1bP$qm\x1b\\", "\x1b[6n", "\x1b[c", "\x1b[?2026$p",
	"\x1b(0", "\x1b(B", "\x1b)A", "\x1bN", "\x1b[!p", "\x1bc", "\x1b#8", "\x1b[>1u", "\x1b[<u", "\x1b[1\"q", "\x1b[0\"q", "\x1b[?1J", "\x1b[?K",
	"\x1b[2 @", "\x1b[2 A", "\x1b['}", "\x1b[2'~", "\xff", "\xe3\x81", "\xc2\x9b2C", "\x1b[", "\x1b", "\x1b]2;", "\x1bPq",
}

func randomStream(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(vocabulary[r.IntN(len(vocabulary))])
	}
	return b.String()
}

func randomSize(r *rand.Rand) (cols, rows int) { return 1 + r.IntN(20), 1 + r.IntN(10) }

// TestAnySplit: how the input is cut into writes changes nothing, neither what
// is shown nor what is told and answered.
func TestAnySplit(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		cols, rows := randomSize(r)
		input := []byte(randomStream(r, 60))
		var dumps []string
		for _, size := range []int{len(input), 1, 2, 1 + r.IntN(40)} {
			rec := &recorder{answer: func(code int, _ []byte) []byte { return fmt.Appendf(nil, "<%d>", code) }}
			term := New(screen.Options{Cols: cols, Rows: rows, HistoryLines: 50, Listener: rec, Name: "x"})
			feed(term, input, size)
			checkInvariants(t, term)
			dumps = append(dumps, dump(term)+strings.Join(rec.events, " "))
		}
		for i, d := range dumps[1:] {
			if d != dumps[0] {
				t.Fatalf("seed %d: cut %d shows something else\ninput %q\n%s\n%s", seed, i+1, input, dumps[0], d)
			}
		}
	}
}

// reader follows a terminal by generations, as a client does.
type reader struct {
	since uint64
	rows  []string
}

func rowKey(term *Terminal, row cells.Row) string {
	var b strings.Builder
	for _, c := range row.Cells {
		fmt.Fprintf(&b, "%s|%v|%v;", term.Table().AppendGlyph(nil, c.Glyph), c.Span, term.Table().Style(c.Style))
	}
	return b.String()
}

// byGen takes the rows that are newer than what it has.
func (rd *reader) byGen(term *Terminal) {
	_, rows := term.Size()
	if len(rd.rows) != rows {
		rd.rows = make([]string, rows)
	}
	for y := range rows {
		if row := term.Row(y); row.Gen > rd.since {
			rd.rows[y] = rowKey(term, row)
		}
	}
	rd.since = term.Gen()
}

// byHint moves its rows as the scroll hint says and takes those edited since.
func (rd *reader) byHint(term *Terminal) (used bool) {
	hint, ok := term.ScrollHint(rd.since)
	if !ok {
		rd.byGen(term)
		return false
	}
	old := slices.Clone(rd.rows)
	for y := hint.Top; y <= hint.Bottom; y++ {
		if from := y + hint.N; from >= hint.Top && from <= hint.Bottom {
			rd.rows[y] = old[from]
		} else {
			rd.rows[y] = "unknown"
		}
	}
	for y := range rd.rows {
		if row := term.Row(y); row.Edited > rd.since {
			rd.rows[y] = rowKey(term, row)
		}
	}
	rd.since = term.Gen()
	return true
}

// TestChangesMakeSnapshot: a reader that takes only changes has the screen, and
// so has one that follows scroll hints.
func TestChangesMakeSnapshot(t *testing.T) {
	hints := 0
	for seed := range uint64(120) {
		r := rand.New(rand.NewPCG(seed, 2))
		cols, rows := randomSize(r)
		term := New(screen.Options{Cols: cols, Rows: rows, HistoryLines: 50})
		var plain, hinted reader
		plain.byGen(term)
		hinted.byGen(term)
		for range 40 {
			for range 1 + r.IntN(3) {
				term.Feed([]byte(randomStream(r, 1+r.IntN(4))))
			}
			if r.IntN(20) == 0 {
				term.Resize(randomSize(r))
			}
			plain.byGen(term)
			if hinted.byHint(term) {
				hints++
			}
			var full reader
			full.byGen(term)
			if !slices.Equal(plain.rows, full.rows) {
				t.Fatalf("seed %d: changes give\n%q, the screen is\n%q", seed, plain.rows, full.rows)
			}
			if !slices.Equal(hinted.rows, full.rows) {
				t.Fatalf("seed %d: hints give\n%q, the screen is\n%q", seed, hinted.rows, full.rows)
			}
		}
	}
	if hints < 300 {
		t.Errorf("only %d scroll hints were given", hints)
	}
}

// TestGenStays: input that changes nothing gives no new generation.
func TestGenStays(t *testing.T) {
	term := newTest(10, 3, "abc")
	for _, s := range []string{"\x1b[6n", "\x1b]133;A\x07", "\x07", "\x1b[0m", "\x1b[", "A", "\x1b[?2027$p"} {
		before := term.Gen()
		term.Feed([]byte(s))
		if s != "A" && term.Gen() != before {
			t.Errorf("%q gives a new generation", s)
		}
	}
	for _, s := range []string{"x", "\x1b[H", "\x1b[?25l", "\x1b]2;t\x07", "\x1b[?2004h"} {
		before := term.Gen()
		term.Feed([]byte(s))
		if term.Gen() <= before {
			t.Errorf("%q gives no new generation", s)
		}
	}
}

// TestResizeKeepsText: the text of the main screen and its history survives any
// sequence of sizes, and is the same when the first one comes back.
func TestResizeKeepsText(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 3))
		cols, rows := 2+r.IntN(20), 1+r.IntN(10)
		term := New(screen.Options{Cols: cols, Rows: rows, HistoryLines: 5000})
		for range 1 + r.IntN(12) {
			term.Feed([]byte(randomText(r)))
		}
		if r.IntN(2) == 0 {
			term.Feed(fmt.Appendf(nil, "\x1b[%d;%dH", 1+r.IntN(rows), 1+r.IntN(cols)))
		}
		want := mainText(term)
		for range 4 {
			c, rw := 2+r.IntN(25), 1+r.IntN(12)
			term.Resize(c, rw)
			checkInvariants(t, term)
			if got := mainText(term); !slices.Equal(got, want) {
				t.Fatalf("seed %d: at %dx%d the text is\n%q, was\n%q", seed, c, rw, got, want)
			}
		}
		term.Resize(cols, rows)
		if got := mainText(term); !slices.Equal(got, want) {
			t.Fatalf("seed %d: back at %dx%d the text is\n%q, was\n%q", seed, cols, rows, got, want)
		}
	}
}

func randomText(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(60) {
		switch r.IntN(12) {
		case 0:
			b.WriteString([]string{"日", "e\u0301", "👩\u200d💻", "🇫🇷", "한"}[r.IntN(5)])
		case 1:
			b.WriteByte(' ')
		case 2:
			fmt.Fprintf(&b, "\x1b[3%dm", r.IntN(8))
		default:
			b.WriteByte(byte('a' + r.IntN(26)))
		}
	}
	if r.IntN(5) > 0 {
		b.WriteString("\x1b[m\r\n")
	}
	return b.String()
}

// TestRandomNeverBreaks plays long random streams with resizes in between.
func TestRandomNeverBreaks(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 4))
		cols, rows := randomSize(r)
		term := New(screen.Options{Cols: cols, Rows: rows, HistoryLines: 30, HistoryBytes: 1000})
		for range 100 {
			term.Feed([]byte(randomStream(r, 10)))
			if r.IntN(5) == 0 {
				term.Resize(randomSize(r))
			}
			checkInvariants(t, term)
		}
	}
}
