package theme

import "ccdir/internal/cells"

// The shares of green and red in the backgrounds of changed lines and words: little, so that text of every colour
// can be read on them.
const (
	lineTint = 0.14
	wordTint = 0.34
)

// setChanges sets the styles of changed lines: backgrounds near the terminal's own, as far as that is known, where
// there are more than sixteen colours.
func (t *Theme) setChanges() {
	if t.Code.BG == cells.DefaultColor && t.back == nil {
		t.Added, t.Removed = FG(t.Idle), FG(t.Alert)
		t.AddedWord, t.RemovedWord = FG(t.Idle), FG(t.Alert)
		t.AddedWord.Underline, t.RemovedWord.Underline = cells.UnderlineSingle, cells.UnderlineSingle
		return
	}
	back := uint32(0)
	switch {
	case t.back != nil:
		back = *t.back
	case t.light:
		back = 0xffffff
	}
	const green, red = 0x2ea043, 0xd73a49
	t.Added, t.Removed = cells.Style{BG: tint(back, green, lineTint)}, cells.Style{BG: tint(back, red, lineTint)}
	if t.strict {
		t.AddedWord, t.RemovedWord = t.Added, t.Removed
		t.AddedWord.Underline, t.RemovedWord.Underline = cells.UnderlineSingle, cells.UnderlineSingle
		return
	}
	t.AddedWord, t.RemovedWord = cells.Style{BG: tint(back, green, wordTint)}, cells.Style{BG: tint(back, red, wordTint)}
}

// tint is a colour with a share of another one.
func tint(a, b uint32, share float64) cells.Color {
	part := func(shift int) uint8 {
		x, y := float64(a>>shift&0xff), float64(b>>shift&0xff)
		return uint8(x + (y-x)*share)
	}
	return cells.RGB(part(16), part(8), part(0))
}
