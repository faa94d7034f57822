package paint

import (
	"strings"
	"unicode/utf8"

	"ccdir/internal/cells"
)

// Next measures the first grapheme cluster of s: its bytes, at least 1 unless s
// is empty, and the columns that it takes on a surface (by the rules of
// internal/cells, which the panes' engines use too). Characters that must not
// reach a terminal are shown by a sign of one column; what has no width of its
// own takes none.
func Next(s string) (size, width int) {
	r, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return 0, 0
	}
	if hostile(r) {
		return size, 1
	}
	var j cells.Joiner
	p := cells.PropOf(r)
	j.Start(p)
	width = p.Width()
	for size < len(s) {
		r, n := utf8.DecodeRuneInString(s[size:])
		if hostile(r) {
			break
		}
		join, widen := j.Next(r, cells.PropOf(r))
		if !join {
			break
		}
		if widen {
			width = 2
		}
		size += n
	}
	return size, min(width, 2)
}

// Width is how many columns s takes on a surface.
func Width(s string) int {
	n := 0
	for i := 0; i < len(s); {
		if ascii(s, i) {
			n++
			i++
			continue
		}
		size, w := Next(s[i:])
		n += w
		i += size
	}
	return n
}

// ascii reports whether the byte at i is a character of its own.
func ascii(s string, i int) bool {
	return s[i] < utf8.RuneSelf && (i+1 >= len(s) || s[i+1] < utf8.RuneSelf)
}

// hostile reports whether a rune must not reach a terminal as it is: controls,
// and what reorders the text around it.
func hostile(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r < 0xa0, r == utf8.RuneError:
		return true
	case r < 0x61c:
		return false
	}
	return r == 0x61c || r == 0x200e || r == 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0xfeff
}

// sign is what stands for a hostile rune: the picture of a control character,
// else the replacement character.
func sign(r rune) cells.Glyph {
	switch {
	case r >= 0 && r < 0x20:
		return cells.Glyph(0x2400 + r)
	case r == 0x7f:
		return cells.Glyph(0x2421)
	}
	return cells.Glyph(utf8.RuneError)
}

// Head is the longest beginning of s in at most w columns, at least one character.
func Head(s string, w int) string {
	n, end := 0, 0
	for end < len(s) {
		size, cw := Next(s[end:])
		if end > 0 && n+cw > w {
			break
		}
		n += cw
		end += size
	}
	return s[:end]
}

// Cut shortens s to at most max columns, the last of them "…" if anything was
// cut. Where only the "·" between two parts would be left of the second, it goes too.
func Cut(s string, max int) string {
	if max <= 0 {
		return ""
	}
	if Width(s) <= max {
		return s
	}
	n, end := 0, 0
	for end < len(s) {
		size, w := Next(s[end:])
		if n+w > max-1 {
			break
		}
		n += w
		end += size
	}
	if part, ok := strings.CutSuffix(strings.TrimRight(s[:end], " "), "·"); ok {
		return strings.TrimRight(part, " ") + "…"
	}
	return s[:end] + "…"
}
