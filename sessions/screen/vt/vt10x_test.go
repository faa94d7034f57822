package vt

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hinshun/vt10x"
)

// TestAgainstVT10x: on plain text and cursor movement, where vt10x is right, both
// show the same.
func TestAgainstVT10x(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 9))
		cols, rows := 2+r.IntN(30), 2+r.IntN(12)
		var b strings.Builder
		for range 60 {
			switch r.IntN(8) {
			case 0, 1, 2:
				for range 1 + r.IntN(10) {
					b.WriteByte(byte('!' + r.IntN(94)))
				}
			case 3:
				b.WriteString("\r\n")
			case 4:
				fmt.Fprintf(&b, "\x1b[%d;%dH", 1+r.IntN(rows+2), 1+r.IntN(cols+2))
			case 5:
				fmt.Fprintf(&b, "\x1b[%d%c", 1+r.IntN(5), "ABCD"[r.IntN(4)])
			case 6:
				fmt.Fprintf(&b, "\x1b[%dG", 1+r.IntN(cols))
			case 7:
				b.WriteString([]string{"\r", "\b", "\x1b[H", "\x1b[C\x1b[K", "\r\x1bM", "\r\x1bD"}[r.IntN(6)])
			}
		}
		ours := newTest(cols, rows, b.String())
		theirs := vt10x.New(vt10x.WithSize(cols, rows))
		if _, err := theirs.Write([]byte(b.String())); err != nil {
			t.Fatal(err)
		}
		var want []string
		for y := range rows {
			var line strings.Builder
			for x := range cols {
				c := theirs.Cell(x, y).Char
				if c == 0 {
					c = ' '
				}
				line.WriteRune(c)
			}
			want = append(want, strings.TrimRight(line.String(), " "))
		}
		if got := gridText(ours); !slices.Equal(got, want) {
			t.Fatalf("seed %d, %dx%d: %q shows\n%q, in vt10x\n%q", seed, cols, rows, b.String(), got, want)
		}
		if c := theirs.Cursor(); cursorOf(ours) != [2]int{c.X, c.Y} {
			t.Fatalf("seed %d: %q leaves the cursor at %v, in vt10x at %d,%d", seed, b.String(), cursorOf(ours), c.X, c.Y)
		}
	}
}
