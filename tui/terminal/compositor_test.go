package terminal

import (
	"testing"

	"ccdir/wire"
)

// TestOffsetFollowsTheCursor: of a screen that is larger than its room the part
// with the cursor is shown.
func TestOffsetFollowsTheCursor(t *testing.T) {
	m := wire.NewMirror()
	lines := make([]string, 50)
	apply := func(x, y int) {
		if err := m.Apply(fullFrame(120, lines, 1, wire.Cursor{X: x, Y: y, Visible: true}, 0)); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ x, y, wantX, wantY int }{
		{0, 0, 0, 0}, {39, 9, 0, 0}, {39, 10, 0, 1}, {0, 49, 0, 40}, {40, 0, 20, 0}, {119, 49, 80, 40},
	} {
		apply(tt.x, tt.y)
		if x, y := offsetOf(m, 40, 10); x != tt.wantX || y != tt.wantY {
			t.Errorf("cursor %d,%d: offset %d,%d", tt.x, tt.y, x, y)
		}
	}
}
