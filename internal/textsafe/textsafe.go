// Package textsafe makes text from agents, hooks and users harmless to show:
// control characters become visible, invalid UTF-8 becomes U+FFFD, and what
// reorders or hides text in a terminal is spelled out. It holds pure functions
// and imports the standard library alone.
package textsafe

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line returns s as one line: every control character, line breaks and tabs
// among them, is made visible.
func Line(s string) string {
	if clean(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for _, r := range s {
		write(&b, r)
	}
	return b.String()
}

// Block is Line for text of several lines: line breaks (CR LF and CR become LF)
// and tabs stay.
func Block(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	lines := strings.Split(strings.ReplaceAll(s, "\r", "\n"), "\n")
	for i, line := range lines {
		cells := strings.Split(line, "\t")
		for j, c := range cells {
			cells[j] = Line(c)
		}
		lines[i] = strings.Join(cells, "\t")
	}
	return strings.Join(lines, "\n")
}

// Cut shortens s to at most n runes, the last of them "…" if anything was cut.
// n below 1 gives "".
func Cut(s string, n int) string {
	if n < 1 {
		return ""
	}
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	seen := 0
	for i := range s {
		if seen == n-1 {
			return s[:i] + "…"
		}
		seen++
	}
	return s
}

func clean(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 || c == 0x7f || c >= utf8.RuneSelf {
			return cleanRunes(s[i:])
		}
	}
	return true
}

func cleanRunes(s string) bool {
	if !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		if unsafe(r) {
			return false
		}
	}
	return true
}

func write(b *strings.Builder, r rune) {
	switch {
	case r < 0x20:
		b.WriteRune(0x2400 + r) // the Unicode picture of the control character
	case r == 0x7f:
		b.WriteRune('␡')
	case unsafe(r):
		fmt.Fprintf(b, "<U+%04X>", r)
	default:
		b.WriteRune(r)
	}
}

// unsafe reports what must not reach a terminal or a reader's eye as it is:
// C0 and C1 controls, line and paragraph separators, and the format characters
// that reorder text (bidirectional embeddings, overrides and isolates) or hide
// in it (tags, interlinear annotations). Joiners and variation selectors are
// part of ordinary text and stay.
func unsafe(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r < 0xa0:
		return true
	case r == 0x2028, r == 0x2029:
		return true
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return true
	case r >= 0xfff9 && r <= 0xfffb, r == 0xfeff:
		return true
	case r == 0xe0001:
		return true
	}
	return unicode.Is(unicode.Cs, r) || unicode.Is(unicode.Co, r) && r > 0xffff
}
