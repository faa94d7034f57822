package store

import (
	"strings"
	"unicode"
)

// The full text knows words by what stands between them. Chinese and Japanese have
// nothing there: a sentence would be one word, found by its beginning alone. Hence
// their letters are indexed one by one, and a word of them is searched as letters
// that follow one another.

// unspaced reports whether a letter is of a script without spaces.
func unspaced(r rune) bool {
	return r >= 0x2e80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// spaced is a text as it is indexed.
func spaced(text string) string {
	if !strings.ContainsFunc(text, unspaced) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) * 2)
	for _, r := range text {
		if unspaced(r) {
			b.WriteByte(' ')
			b.WriteRune(r)
			b.WriteByte(' ')
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// allWords makes a query of FTS5 that wants all words; the last one may go on. With
// letters they are looked for in an index of spaced texts, where earlier versions
// have left others too.
func allWords(words []string, letters bool) string {
	parts := make([]string, len(words))
	for i, w := range words {
		quoted := func(w string) string {
			q := `"` + strings.ReplaceAll(w, `"`, `""`) + `"`
			if i == len(words)-1 {
				q += " *"
			}
			return q
		}
		parts[i] = quoted(w)
		if apart := spaced(w); letters && apart != w {
			parts[i] = "(" + quoted(strings.Join(strings.Fields(apart), " ")) + " OR " + parts[i] + ")"
		}
	}
	return strings.Join(parts, " AND ")
}
