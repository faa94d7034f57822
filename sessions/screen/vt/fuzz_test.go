package vt

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ccdir/sessions/screen"
)

// FuzzFeed: any bytes leave a sound screen, and cutting them changes nothing.
func FuzzFeed(f *testing.F) {
	for _, s := range vocabulary {
		f.Add([]byte(s), uint8(80), uint8(24))
	}
	f.Add([]byte("\x1b[1;1H\x1b[31m\xe6\x97\xa5\x1b[K\x1b[?1049h\x1b[2;3r\n\n\x1b[5b"), uint8(7), uint8(4))
	f.Fuzz(func(t *testing.T, data []byte, cols, rows uint8) {
		opt := screen.Options{Cols: int(cols % 64), Rows: int(rows % 32), HistoryLines: 20, Name: "x", KittyKeyboard: true}
		whole := New(opt)
		whole.Feed(data)
		checkInvariants(t, whole)
		pieces := New(opt)
		feed(pieces, data, 1+len(data)%5)
		if sameCells(whole, pieces) {
			return
		}
		if a, b := dump(whole), dump(pieces); a != b {
			t.Fatalf("cut input shows something else:\n%s\n%s", a, b)
		}
	})
}

// FuzzResize: sizes between any bytes leave a sound screen.
func FuzzResize(f *testing.F) {
	f.Add([]byte("hello world\r\n日本語\x1b[?1049hx"), uint64(1))
	f.Add([]byte("\x1b[2;3r\x1b[10;10H🇫🇷🇫🇷🇫🇷\x1b[1;1H\x1b7\x1b8"), uint64(2))
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 5))
		cols, rows := randomSize(r)
		term := New(screen.Options{Cols: cols, Rows: rows, HistoryLines: 20})
		for piece := range slices.Chunk(data, 1+r.IntN(20)) {
			term.Feed(piece)
			term.Resize(randomSize(r))
			checkInvariants(t, term)
		}
	})
}

// FuzzReflow: text survives sizes.
func FuzzReflow(f *testing.F) {
	f.Add([]byte("hello world, this is a long line\nand another 日本語日本語\n\nend"), uint64(1))
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 6))
		cols, rows := 2+r.IntN(30), 1+r.IntN(12)
		term := New(screen.Options{Cols: cols, Rows: rows, HistoryLines: 100000})
		for _, b := range data { // printable text and line breaks only
			switch {
			case b == '\n':
				term.Feed([]byte("\r\n"))
			case b >= 0x20 && b != 0x7f:
				term.Feed([]byte{b})
			}
		}
		term.Feed([]byte("."))
		want := mainText(term)
		for range 5 {
			term.Resize(2+r.IntN(40), 1+r.IntN(15))
			checkInvariants(t, term)
		}
		term.Resize(cols, rows)
		if got := mainText(term); !slices.Equal(got, want) {
			t.Fatalf("text %q, was %q", got, want)
		}
	})
}

// sameCells is a quick look whether two terminals show the same by the same ids.
func sameCells(a, b *Terminal) bool {
	if a.State() != b.State() || string(a.replies) != string(b.replies) || a.HistoryLen() != b.HistoryLen() {
		return false
	}
	for y, l := range a.cur.lines {
		if l.wrapped != b.cur.lines[y].wrapped || !slices.Equal(l.cells, b.cur.lines[y].cells) {
			return false
		}
	}
	for i := range a.HistoryLen() {
		if !slices.Equal(slices.Clone(a.HistoryRow(i).Cells), b.HistoryRow(i).Cells) {
			return false
		}
	}
	return a.table.Styles() == b.table.Styles() && a.table.Clusters() == b.table.Clusters()
}
