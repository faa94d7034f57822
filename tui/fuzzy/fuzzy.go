// Package fuzzy finds what a person means by a few letters: those texts in
// which the letters stand in that order, the best matches first. It holds pure
// functions.
package fuzzy

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Points of a match. A letter at the beginning of a word, or right after the
// one before, is worth more than one anywhere; every letter of the text that is
// passed over costs a little.
const (
	pointHit  = 16
	pointWord = 12
	pointNext = 10
	pointFile = 6 // in the last part of a path
	costSkip  = 1
	maxSkip   = 12 // what a gap costs at most
)

// Score tells how well text matches query; ok is false if it does not. A query
// without upper case finds both. Blanks in it separate parts that may stand
// anywhere, each in order of its letters.
func Score(query, text string) (score int, ok bool) {
	fold := !strings.ContainsFunc(query, unicode.IsUpper)
	for part := range strings.FieldsSeq(query) {
		n, ok := scorePart(part, text, fold)
		if !ok {
			return 0, false
		}
		score += n
	}
	return score - utf8.RuneCountInString(text)/8, true
}

// scorePart scores the best of a few places to begin at: the match from the
// first letter on, and the one that begins in the last part of a path.
func scorePart(part, text string, fold bool) (int, bool) {
	best, ok := scoreFrom(part, text, 0, fold)
	if !ok {
		return 0, false
	}
	if at := strings.LastIndexByte(strings.TrimSuffix(text, "/"), '/') + 1; at > 0 {
		if n, ok := scoreFrom(part, text, at, fold); ok {
			best = max(best, n+pointFile)
		}
	}
	return best, true
}

func scoreFrom(part, text string, from int, fold bool) (score int, ok bool) {
	want, size := utf8.DecodeRuneInString(part)
	before, gap := ' ', 0
	if from > 0 {
		before = rune(text[from-1])
	}
	hit := false
	for _, r := range text[from:] {
		same := r
		if fold {
			same = unicode.ToLower(r)
		}
		if same != want {
			gap++
			before, hit = r, false
			continue
		}
		score += pointHit - min(gap*costSkip, maxSkip)
		switch {
		case hit:
			score += pointNext
		case !unicode.IsLetter(before) && !unicode.IsDigit(before), unicode.IsLower(before) && unicode.IsUpper(r):
			score += pointWord
		}
		before, gap, hit = r, 0, true
		if part = part[size:]; part == "" {
			return score, true
		}
		want, size = utf8.DecodeRuneInString(part)
	}
	return 0, false
}

// Find returns the indices of at most limit texts that match, the best first;
// equal ones in their order. An empty query matches all.
func Find(query string, texts []string, limit int) []int {
	type found struct{ index, score int }
	var all []found
	blank := strings.TrimSpace(query) == ""
	for i, t := range texts {
		if blank {
			if all = append(all, found{i, 0}); len(all) == limit {
				break
			}
			continue
		}
		if n, ok := Score(query, t); ok {
			all = append(all, found{i, n})
		}
	}
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(b.score, a.score) })
	out := make([]int, 0, min(limit, len(all)))
	for _, f := range all[:min(limit, len(all))] {
		out = append(out, f.index)
	}
	return out
}
