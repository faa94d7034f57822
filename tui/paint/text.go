package paint

import (
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"

	"ccdir/internal/grid"
)

// Width is how many columns s takes on a surface.
func Width(s string) int {
	n := 0
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= utf8.RuneSelf {
			return n + wideWidth(s[i:])
		}
		n++
	}
	return n
}

func wideWidth(s string) int {
	n := 0
	g := displaywidth.StringGraphemes(s)
	for g.Next() {
		n += clusterWidth(g.Value(), g.Width())
	}
	return n
}

// clusterWidth is the number of cells that Text gives to a cluster: control
// characters are shown by a sign of one cell, and what has no width of its own
// is dropped.
func clusterWidth(cluster string, w int) int {
	if r, n := utf8.DecodeRuneInString(cluster); n == len(cluster) && hostile(r) {
		return 1
	}
	return min(w, 2)
}

// hostile reports whether a rune must not reach a terminal as it is: controls,
// and what reorders or hides the text around it.
func hostile(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r < 0xa0, r == utf8.RuneError:
		return true
	case r < 0x300:
		return r == 0xad
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x2028, r == 0x2029, r == 0x200e, r == 0x200f, r == 0x061c, r == 0xfeff:
		return true
	}
	return !unicode.IsGraphic(r) && unicode.Is(unicode.C, r) && r != 0x200d
}

// sign is what stands for a hostile rune: the picture of a control character,
// else the replacement character.
func sign(r rune) grid.Glyph {
	switch {
	case r >= 0 && r < 0x20:
		return grid.Glyph(0x2400 + r)
	case r == 0x7f:
		return grid.Glyph(0x2421)
	}
	return grid.Glyph(utf8.RuneError)
}

// Cut shortens s to at most max columns, the last of them "…" if anything was
// cut.
func Cut(s string, max int) string {
	if max <= 0 {
		return ""
	}
	if Width(s) <= max {
		return s
	}
	n, g := 0, displaywidth.StringGraphemes(s)
	end := 0
	for g.Next() {
		v := g.Value()
		w := clusterWidth(v, g.Width())
		if n+w > max-1 {
			break
		}
		n += w
		end += len(v)
	}
	return s[:end] + "…"
}
