// Package fuzzy finds what a person means by a few letters: those texts in
// which the letters stand in that order, the best matches first. It holds pure
// functions.
package fuzzy

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// Points of a match. A letter at the beginning of the text or of a word, or
// right after the one before, is worth more than one anywhere; letters of the
// text that are passed over between two hits cost.
const (
	pointHit   = 16
	pointStart = 14 // the first letter of the text
	pointWord  = 10
	pointNext  = 13
	pointFile  = 6 // a match that begins in the last part of a path
	costGap    = 4 // of passing over letters at all, and 1 for each
	maxGap     = 12
)

// goodEnough is the part of the best match's points that others need to be good
// too: where something fits, letters strewn over a long text are chance.
const goodEnough = 0.75

// Score tells how well text matches query; ok is false if it does not. A query
// without upper case finds both. Blanks in it separate parts that may stand
// anywhere, each in order of its letters.
func Score(query, text string) (score int, ok bool) {
	var m matcher
	m.look(query)
	return m.score(text)
}

// matcher scores texts for one query. It keeps its memory for the next text.
type matcher struct {
	parts [][]rune
	fold  bool
	text  []rune
	worth []int // points of each letter of the text for where it stands
	file  int   // where the last part of a path begins
	now   []int // see place
	last  []int
}

// longText is the length, in letters, beyond which none counts: behind a name stands
// what is known of it.
const longText = 40

// none is worse than every match.
const none = -1 << 20

// look prepares for a query.
func (m *matcher) look(query string) {
	m.fold = !strings.ContainsFunc(query, unicode.IsUpper)
	if m.fold {
		query = strings.Map(unicode.ToLower, query)
	}
	for part := range strings.FieldsSeq(query) {
		m.parts = append(m.parts, []rune(part))
	}
}

func (m *matcher) score(text string) (score int, ok bool) {
	m.load(text)
	for _, part := range m.parts {
		if !m.holds(part) {
			return 0, false
		}
	}
	m.weigh(text)
	for _, part := range m.parts {
		score += m.best(part)
	}
	return 4*score - min(len(m.text), longText), true // of equal ones the shorter
}

// load takes a text.
func (m *matcher) load(text string) {
	m.text = m.text[:0]
	for _, r := range text {
		m.text = append(m.text, r)
	}
}

// same reports whether a letter of the text is that of the query.
func (m *matcher) same(r, want rune) bool {
	if r == want {
		return true
	}
	return m.fold && unicode.ToLower(r) == want
}

// holds reports whether the letters stand in the text in that order.
func (m *matcher) holds(part []rune) bool {
	i := 0
	for _, r := range m.text {
		if m.same(r, part[i]) {
			if i++; i == len(part) {
				return true
			}
		}
	}
	return false
}

// weigh finds out what each place of the text is worth.
func (m *matcher) weigh(text string) {
	m.worth = m.worth[:0]
	m.file = 0
	if at := strings.LastIndexByte(strings.TrimSuffix(text, "/"), '/') + 1; at > 0 {
		m.file = len([]rune(text[:at]))
	}
	before := ' '
	for i, r := range m.text {
		n := 0
		switch {
		case i == 0:
			n = pointStart
		case !unicode.IsLetter(before) && !unicode.IsDigit(before), unicode.IsLower(before) && unicode.IsUpper(r):
			n = pointWord
		}
		m.worth = append(m.worth, n)
		before = r
	}
}

// best is the most that the letters of a part, which the text holds, can score
// in it: of all places where they can stand, the best ones.
func (m *matcher) best(part []rune) int {
	n := len(m.text)
	m.now, m.last = slices.Grow(m.now[:0], n)[:n], slices.Grow(m.last[:0], n)[:n]
	for k, want := range part {
		m.last, m.now = m.now, m.last
		m.place(k == 0, want)
	}
	return slices.Max(m.now)
}

// place fills now with the best score that ends with a letter at each place; last
// has those of the letter before.
func (m *matcher) place(first bool, want rune) {
	// The best place before the one left of this: less what passing over letters
	// costs, and as it is, for that cost has a limit.
	gapped, top := none, none
	for i, r := range m.text {
		if i > 1 && !first {
			gapped, top = max(gapped-1, m.last[i-2]-costGap), max(top, m.last[i-2])
		}
		m.now[i] = none
		switch {
		case !m.same(r, want):
		case first:
			m.now[i] = pointHit + m.worth[i]
			if m.file > 0 && i >= m.file {
				m.now[i] += pointFile
			}
		default:
			before := max(gapped, top-maxGap) + m.worth[i]
			if i > 0 {
				before = max(before, m.last[i-1]+max(pointNext, m.worth[i]))
			}
			if before > none/2 {
				m.now[i] = before + pointHit
			}
		}
	}
}

// Find returns the indices of at most limit texts that match, the best first;
// equal ones in their order. An empty query matches all.
func Find(query string, texts []string, limit int) []int {
	all := find(query, texts)
	return indices(all[:min(limit, len(all))])
}

// Good returns the indices of the texts that match about as well as the best one,
// the best first. An empty query matches all.
func Good(query string, texts []string) []int {
	all := find(query, texts)
	n := slices.IndexFunc(all, func(f found) bool { return float64(f.score) < goodEnough*float64(all[0].score) })
	if n < 0 {
		n = len(all)
	}
	return indices(all[:n])
}

// found is a text that matches.
type found struct{ index, score int }

func find(query string, texts []string) (all []found) {
	var m matcher
	m.look(query)
	for i, t := range texts {
		if len(m.parts) == 0 {
			all = append(all, found{index: i})
		} else if n, ok := m.score(t); ok {
			all = append(all, found{i, n})
		}
	}
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(b.score, a.score) })
	return all
}

func indices(all []found) []int {
	out := make([]int, len(all))
	for i, f := range all {
		out[i] = f.index
	}
	return out
}
