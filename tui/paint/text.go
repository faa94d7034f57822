package paint

import (
	"strings"
	"unicode/utf8"

	"ccdir/internal/cells"
)

// Next measures the first grapheme cluster of s: its size in bytes, at least 1 unless s is
// empty, and its width in columns (by the rules of internal/cells, which the terminal
// engines use too). A symbol of one column replaces characters that must not reach a
// terminal; combining characters without a base have width 0.
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

// Width is the width of s on a surface, in columns.
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

// ascii reports whether the byte at i is a whole cluster.
func ascii(s string, i int) bool {
	return s[i] < utf8.RuneSelf && (i+1 >= len(s) || s[i+1] < utf8.RuneSelf)
}

// hostile reports whether a rune must not reach a terminal as it is: control characters,
// and those that reorder the text around them.
func hostile(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r < 0xa0, r == utf8.RuneError:
		return true
	case r < 0x61c:
		return false
	}
	return r == 0x61c || r == 0x200e || r == 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0xfeff
}

// sign replaces a hostile rune: by the picture of a control character, otherwise by the
// replacement character.
func sign(r rune) cells.Glyph {
	switch {
	case r >= 0 && r < 0x20:
		return cells.Glyph(0x2400 + r)
	case r == 0x7f:
		return cells.Glyph(0x2421)
	}
	return cells.Glyph(utf8.RuneError)
}

// Head is the longest prefix of s in at most w columns, but at least one character.
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

// CutMiddle shortens s to at most max columns, with "…" in its last third: what a command
// ends with says as much as its beginning.
func CutMiddle(s string, max int) string {
	width := Width(s)
	if width <= max || max < middleFrom {
		return Cut(s, max)
	}
	tail := max / 3
	n, from := width, 0
	for n > tail {
		size, w := Next(s[from:])
		n, from = n-w, from+size
	}
	return Cut(s[:from], max-n) + s[from:]
}

// middleFrom is the width below which only the beginning is worth its room.
const middleFrom = 24

// Cut shortens s to at most max columns, with "…" at the end if anything was cut. A
// separating "·" is dropped if nothing behind it is left.
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
