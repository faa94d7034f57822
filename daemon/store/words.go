package store

import (
	"strings"
	"unicode"
)

// The tokenizer separates words by spaces and punctuation. Chinese and Japanese have no
// spaces: a sentence would be one word, found by its beginning only. Hence their letters
// are indexed one by one, and a word of them is searched as a phrase of letters.

// unspaced reports whether a letter belongs to a script without spaces.
func unspaced(r rune) bool {
	return r >= 0x2e80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// spaced returns the indexed form of a text.
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

// allWords makes an FTS5 query for all words; the last one is a prefix if it has as many bytes
// as that. letters: the index has spaced texts, and rows of earlier versions without them.
func allWords(words []string, letters bool, prefix int) string {
	parts := make([]string, len(words))
	for i, w := range words {
		quoted := func(w string) string {
			q := `"` + strings.ReplaceAll(w, `"`, `""`) + `"`
			if i == len(words)-1 && len(w) >= prefix {
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
