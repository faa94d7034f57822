package agents

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible returns s as one line of at most limit runes in which nothing acts on
// a terminal: control characters become their pictures (␛ for escape, ⏎ for a
// line end), characters that steer direction or are not seen become their
// numbers, and bytes that are no UTF-8 become \xNN. A cut is marked by "…".
func Visible(s string, limit int) string {
	var b strings.Builder
	n := 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if n++; n >= limit && i+size < len(s) {
			b.WriteRune('…')
			break
		}
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\r' && i+1 < len(s) && s[i+1] == '\n':
			n-- // one line end
		case r == '\n' || r == '\r':
			b.WriteRune('⏎')
		case r == '\t':
			b.WriteRune(' ')
		case r < 0x20:
			b.WriteRune(0x2400 + r)
		case r == 0x7f:
			b.WriteRune('␡')
		case r < 0xa0 && r >= 0x80, r == '\u2028', r == '\u2029', unicode.Is(unicode.Cf, r) && r != '\u200d':
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteRune(r)
		}
		i += size
	}
	return b.String()
}
