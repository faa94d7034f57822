// Package textsafe makes text from agents, hooks and users safe to display: control
// characters become visible, invalid UTF-8 becomes U+FFFD, and characters that reorder
// or hide text in a terminal are spelled out. Pure functions; the standard library
// alone.
package textsafe

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line returns s as one line: every control character, including line breaks and tabs,
// is made visible.
func Line(s string) string {
	if clean(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	each(s, func(r rune, hidden bool) { write(&b, r, hidden) })
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
	bad := false
	each(s, func(_ rune, hidden bool) { bad = bad || hidden })
	return !bad
}

// each calls f for every character of s. hidden: it must not be displayed as it is,
// which for some depends on the characters before.
func each(s string, f func(r rune, hidden bool)) {
	before := rune(-1)
	flag := 0 // the flag ends at this offset
	for i, r := range s {
		hidden := unsafe(r)
		switch {
		case r == blackFlag:
			flag = i + flagLen(s[i:])
		case i < flag:
			hidden = false
		case r == zwnj || r == zwj:
			// Joiners belong to emoji and to some scripts; in Latin text they are a
			// trick.
			hidden = before < firstMark || before == zwnj || before == zwj
		case unicode.Is(unicode.Variation_Selector, r):
			// A character has at most one variation selector; a row of them is hidden
			// text.
			hidden = before < utf8.RuneSelf && !strings.ContainsRune("0123456789#*", before) || unicode.Is(unicode.Variation_Selector, before)
		}
		f(r, hidden)
		if before = r; hidden {
			before = '>' // last character of the text written in its place
		}
	}
}

const (
	zwnj, zwj = 0x200c, 0x200d
	firstMark = 0x300 // after Latin letters
	blackFlag = 0x1f3f4
	tagBase   = 0xe0000
	tagEnd    = 0xe007f
	maxRegion = 6 // characters of a region's code
)

// flagLen is the length in bytes of the region's flag that s begins with (Unicode TS
// 51, emoji tag sequences): a black flag, the region's code in tags, an end tag. It is
// 0 for a flag alone, and for tags with other content.
func flagLen(s string) int {
	n := 0
	for i, r := range s {
		switch c := r - tagBase; {
		case i == 0:
		case r == tagEnd && n > 2:
			return i + utf8.RuneLen(r)
		case n < maxRegion && (c >= '0' && c <= '9' || c >= 'a' && c <= 'z'):
			n++
		default:
			return 0
		}
	}
	return 0
}

func write(b *strings.Builder, r rune, hidden bool) {
	switch {
	case r < 0x20:
		b.WriteRune(0x2400 + r) // the Unicode picture of the control character
	case r == 0x7f:
		b.WriteRune('␡')
	case hidden:
		fmt.Fprintf(b, "<U+%04X>", r)
	default:
		b.WriteRune(r)
	}
}

// unsafe reports whether a character must not be displayed as it is: C0 and C1
// controls, line and paragraph separators, format characters, which reorder text
// (bidirectional marks, embeddings, overrides and isolates) or hide in it (zero-width
// spaces, word joiners, tags, annotations), and letters without a shape. Joiners and
// variation selectors are part of ordinary text: see each.
func unsafe(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r < 0xa0:
		return true
	case r < firstMark:
		return r == 0xad // soft hyphen
	case r == 0x2028, r == 0x2029:
		return true
	case r == zwnj, r == zwj:
		return false
	case r == 0x34f, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r == 0x3164, r == 0xffa0:
		return true // joiner and fillers
	case r >= 0x13430 && r <= 0x1343f:
		return false // they arrange hieroglyphs
	case unicode.Is(unicode.Cf, r):
		return !unicode.Is(unicode.Prepended_Concatenation_Mark, r) // these are visible
	}
	return unicode.Is(unicode.Cs, r) || unicode.Is(unicode.Co, r) && r > 0xffff
}
