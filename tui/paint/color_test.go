package paint

import (
	"testing"

	"github.com/charmbracelet/colorprofile"

	"ccdir/internal/cells"
)

// TestReduceTo16: colours that programs print stay what they are called and can be
// read on black: a bright blue does not become the darkest one.
func TestReduceTo16(t *testing.T) {
	for _, c := range []struct {
		from           cells.Color
		xterm, console uint8
	}{
		{cells.RGB(0, 0, 0), 0, 0}, {cells.RGB(255, 255, 255), 15, 15}, {cells.RGB(0x26, 0x26, 0x26), 0, 0},
		{cells.Indexed(33), 14, 14}, {cells.RGB(0x5f, 0x87, 0xff), 12, 12}, {cells.RGB(150, 108, 30), 3, 3}, {cells.RGB(0, 0, 128), 4, 4}, {cells.RGB(44, 122, 57), 2, 2}, {cells.RGB(153, 153, 153), 8, 7}, {cells.Indexed(245), 8, 7},
		{cells.RGB(255, 0, 0), 9, 9}, {cells.RGB(171, 43, 63), 1, 1}, {cells.RGB(0xff, 0x6b, 0x80), 9, 9},
		{cells.RGB(78, 186, 101), 2, 2}, {cells.RGB(255, 193, 7), 11, 11}, {cells.RGB(215, 119, 87), 9, 9}, {cells.Indexed(4), 4, 4},
	} {
		for glyphs, want := range map[Glyphs]uint8{GlyphsAll: c.xterm, GlyphsConsole: c.console} {
			r := reducer{caps: Caps{Profile: colorprofile.ANSI, Glyphs: glyphs}}
			if got := r.color(c.from); got != cells.Indexed(want) {
				t.Errorf("%x with signs %d is %x, want %d", c.from, glyphs, got, want)
			}
		}
	}
}
