package tui

import (
	"fmt"
	"testing"

	"ccdir/tui/paint"
)

// TestTileKeepsPanesUsable: whatever the number of sessions, the panes of a
// page cover their area without overlap, and none is smaller than the least
// size where the page can hold them.
func TestTileKeepsPanesUsable(t *testing.T) {
	for _, size := range [][2]int{{40, 10}, {80, 24}, {120, 40}, {200, 60}, {500, 150}} {
		for n := 1; n <= 32; n++ {
			t.Run(fmt.Sprintf("%dx%d/%d", size[0], size[1], n), func(t *testing.T) {
				l := arrange(layoutInput{cols: size[0], rows: size[1], sessions: n, sidebar: sidebarDefault})
				if len(l.panes) == 0 || l.pages*len(l.panes) < n {
					t.Fatalf("%d pages of %d panes for %d sessions", l.pages, len(l.panes), n)
				}
				cells := map[[2]int]bool{}
				for i, p := range l.panes {
					if len(l.panes) > 1 && (p.W < minPaneCols || p.H < minPaneRows) {
						t.Errorf("pane %d is %dx%d", i, p.W, p.H)
					}
					cover(t, cells, p)
				}
			})
		}
	}
}

func cover(t *testing.T, cells map[[2]int]bool, p paint.Rect) {
	t.Helper()
	for y := p.Y; y < p.Y+p.H; y++ {
		for x := p.X; x < p.X+p.W; x++ {
			if cells[[2]int{x, y}] {
				t.Fatalf("two panes share the cell %d,%d", x, y)
			}
			cells[[2]int{x, y}] = true
		}
	}
}
