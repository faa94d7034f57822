package paint

import (
	"math/rand/v2"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"ccdir/internal/cells"
	"ccdir/test/vconsole"
)

// consoleCaps is what TERM=linux says.
func consoleCaps() Caps {
	return CapsOf(colorprofile.ANSI, func(name string) string { return map[string]string{"TERM": "linux"}[name] })
}

// TestLinuxConsoleShowsTheSurface: the kernel's own emulator shows what the surface
// says, whatever was there before.
func TestLinuxConsoleShowsTheSurface(t *testing.T) {
	const cols, rows = 40, 12
	painted, plain := vconsole.Open(t, cols, rows), vconsole.Open(t, cols, rows)
	painted.Raw()
	plain.Raw()
	for seed := range 30 {
		r := &source{rnd: rand.New(rand.NewPCG(uint64(seed), 3))}
		caps := consoleCaps()
		s, w := NewSurface(cols, rows, caps), NewWriter(caps)
		p := &picture{s: s, m: newModel(cols, rows, caps), tab: cells.NewTable()}
		for frame := range 20 {
			for range 1 + r.n(4) {
				p.change(r)
			}
			out := string(w.Frame(s, Cursor{X: 1, Y: 1, Visible: true}))
			painted.Write(out)
			plain.Write(cellByCell(s))
			got, want := painted.Screen(), plain.Screen()
			for i, c := range got.Cells {
				if blank(c) && blank(want.Cells[i]) && c.Attr&0x70 == want.Cells[i].Attr&0x70 {
					continue
				}
				if c != want.Cells[i] {
					t.Fatalf("seed %d, frame %d, column %d row %d: %q %#x, want %q %#x, by %q", seed, frame, i%cols, i/cols,
						c.Char, c.Attr, want.Cells[i].Char, want.Cells[i].Attr, out)
				}
			}
			if got.X != 1 || got.Y != 1 {
				t.Fatalf("seed %d, frame %d: the cursor is at %d, %d", seed, frame, got.X, got.Y)
			}
		}
	}
}

func blank(c vconsole.Cell) bool { return c.Char == ' ' || c.Char == 0 }
