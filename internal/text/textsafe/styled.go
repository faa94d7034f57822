package textsafe

import "strings"

// Styled is Block for text with styles: SGR sequences and OSC 8 links as ccdir writes
// them stay, and the text between them is made harmless.
func Styled(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for s != "" {
		i := strings.IndexByte(s, 0x1b)
		if i < 0 {
			i = len(s)
		}
		b.WriteString(Block(s[:i]))
		s = s[i:]
		n := max(rendition(s), link(s))
		if n == 0 && s != "" {
			b.WriteString(Block(s[:1])) // another sequence: not ours
			n = 1
		}
		if n > 1 {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// rendition is the length of the SGR sequence that s begins with, 0 for none.
func rendition(s string) int {
	const begin = "\x1b["
	if !strings.HasPrefix(s, begin) {
		return 0
	}
	n := len(begin)
	for n < len(s) && (s[n] >= '0' && s[n] <= '9' || s[n] == ';' || s[n] == ':') {
		n++
	}
	if n == len(s) || s[n] != 'm' {
		return 0
	}
	return n + 1
}

// link is the length of the start or end of a link that s begins with, 0 for none.
func link(s string) int {
	const begin, end = "\x1b]8;;", "\x1b\\"
	if !strings.HasPrefix(s, begin) {
		return 0
	}
	for n := len(begin); n < len(s); n++ {
		switch {
		case strings.HasPrefix(s[n:], end):
			return n + len(end)
		case s[n] <= ' ' || s[n] > '~':
			return 0
		}
	}
	return 0
}
