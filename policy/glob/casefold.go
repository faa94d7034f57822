package glob

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold returns a path as file systems compare it that ignore case and Unicode normalisation
// (macOS): é may be one character or two, ſ is an s, ß is ss, and invisible characters are
// dropped. Use it for deny and ask only.
func Fold(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return strings.ToLower(s)
	}
	var b strings.Builder
	for _, r := range norm.NFKD.String(s) {
		switch {
		case unicode.In(r, unicode.Cf, unicode.Variation_Selector):
		case r == 'ß' || r == 'ẞ':
			b.WriteString("ss")
		default:
			b.WriteRune(unicode.ToLower(smallest(r)))
		}
	}
	return b.String()
}

// smallest returns the lowest code point among the characters that differ from r by case
// only.
func smallest(r rune) rune {
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	return least
}
