package docslookup

import (
	"math"
	"slices"
	"strings"

	"ccdir/docslookup/scan"
)

// kindWeight: of equal matches, what a person most often looks for comes first.
var kindWeight = map[string]float64{scan.KindPackage: 0.75, scan.KindFunc: 1, scan.KindMethod: 0.9, scan.KindType: 1, scan.KindValue: 0.75, scan.KindField: 0.7, scan.KindSection: 0.65, scan.KindInherited: 0.6}

// rank orders candidates of several indexes, the best first. Scores of bm25 depend on the size
// of the index, so they count little beside the share of the question's words that an entry
// has, and where it has them.
func rank(q *question, rows []row) {
	for i := range rows {
		r := &rows[i]
		r.rate(q, "")
	}
	sortRows(rows)
}

// rate sets the score of a row; body is the text after its first paragraph, as far as that
// counts.
func (r *row) rate(q *question, body string) {
	r.score = (1 + 0.1*math.Log1p(max(r.bm25, 0))) * coverage(q, r, body) * kindWeight[r.Kind]
	if strings.Contains(r.brief, "Deprecated:") || strings.Contains(body, ".. deprecated::") {
		r.score *= 0.5
	}
	if r.m != nil {
		r.score *= r.m.weight()
	}
	r.score += named(q, r)
}

func sortRows(rows []row) {
	slices.SortStableFunc(rows, func(a, b row) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		case len(a.Symbol) != len(b.Symbol):
			return len(a.Symbol) - len(b.Symbol)
		}
		return strings.Compare(a.Package+a.Symbol, b.Package+b.Symbol)
	})
}

// apart moves rows that say the same as one before them to behind the next ones: strings.Split
// and bytes.Split, three of a family.
func apart(rows []row) {
	for i := 1; i < len(rows); i++ {
		for j := range i {
			if rows[i].alike(&rows[j]) {
				rows[i].score *= 0.8
				break
			}
		}
	}
	sortRows(rows)
}

// alike reports whether two rows say nearly the same.
func (r *row) alike(other *row) bool {
	need := 0.8
	if r.Symbol == other.Symbol && r.Kind == other.Kind {
		need = 0.4 // in two packages
	}
	a, b := bagOf(r.brief).stems, bagOf(other.brief).stems
	if len(a) < 5 || len(b) < 5 {
		return false
	}
	both := 0
	for _, s := range a {
		if slices.Contains(b, s) {
			both++
		}
	}
	return float64(both) >= need*float64(max(len(a), len(b)))
}

// weigh gives each word of the question a weight: rare ones say more.
func (q *question) weigh(counts map[string]int) {
	all := float64(counts[""])
	q.weights = make([]float64, len(q.terms))
	for i := range q.terms {
		n := float64(counts[q.stems[i]])
		q.weights[i] = math.Log1p((all - n + 0.5) / (n + 0.5))
		q.total += q.weights[i]
	}
}

// reach is the greatest share of the question's words that an entry of an index can have, by its
// counts.
func (q *question) reach(counts map[string]int) (share float64) {
	if q.total == 0 {
		return 1
	}
	for i, t := range q.terms {
		switch {
		case counts[q.stems[i]] > 0,
			i > 0 && counts[stem(q.terms[i-1]+t)] > 0,
			i+1 < len(q.terms) && counts[stem(t+q.terms[i+1])] > 0:
			share += q.weights[i]
		case slices.ContainsFunc(alike[t], func(a string) bool { return counts[stem(a)] > 0 }):
			share += 0.9 * q.weights[i]
		}
	}
	return share / q.total
}

// Weights of the second look, by 120 questions: what is only in the body of a text says less.
const (
	bodyWeight = 0.25
	nearWeight = 0.2
)

// coverage is between 0 and about 3: the share of the question's words that the entry has,
// squared, and more for those in its name.
func coverage(q *question, r *row, body string) float64 {
	if q.total == 0 {
		return 0
	}
	name, path := bagOf(r.Symbol), bagOf(r.Package)
	if r.Kind == scan.KindPackage && len(q.terms) > 1 {
		name = bag{} // the package's name says where to look, not what is asked
	}
	text, rest := bagOf(r.Heading+" "+r.brief+" "+r.Signature), bagOf(body)
	var in, inName, hits float64
	for i, t := range q.terms {
		w, s := q.weights[i], q.stems[i]
		switch {
		case slices.Contains(name.words, t):
			in, inName, hits = in+w, inName+w, hits+1
		case name.has(s):
			w *= 0.9
			in, inName, hits = in+w, inName+w, hits+1
		case name.hasAlike(t), name.hasShort(t):
			in, inName, hits = in+0.9*w, inName+0.8*w, hits+1
		case name.hasPart(t):
			in, inName, hits = in+0.9*w, inName+0.7*w, hits+0.7
		case path.has(s), q.joined(path.words, i):
			in, inName = in+w, inName+0.6*w
		case text.has(s):
			in += w
		case text.hasAlike(t), text.hasShort(t):
			in += 0.7 * w
		case rest.has(s):
			in += bodyWeight * w
		case rest.hasAlike(t):
			in += 0.7 * bodyWeight * w
		}
	}
	share, long := in/q.total, 1+0.1*math.Log1p(float64(len(text.words))/20) // of a long text some words are there by chance
	if body != "" {
		share = min(share+nearWeight*q.near(text, rest), 1.2)
	}
	return 1.2*share*share/long + 0.6*inName/q.total + 0.5*min(hits/float64(max(len(name.words), 1)), 1)*inName/q.total
}

// near is the share of the question's pairs of words that stand together in a text too.
func (q *question) near(texts ...bag) float64 {
	if len(q.terms) < 2 {
		return 0
	}
	found := 0
	for i := 1; i < len(q.stems); i++ {
		if slices.ContainsFunc(texts, func(b bag) bool { return b.together(q.stems[i-1], q.stems[i]) }) {
			found++
		}
	}
	return float64(found) / float64(len(q.terms)-1)
}

// together reports whether two stems follow each other, with at most two stop words between.
func (b bag) together(one, two string) bool {
	for i, s := range b.stems {
		if s != one {
			continue
		}
		for j := i + 1; j < len(b.stems) && j < i+4; j++ {
			if b.stems[j] == two {
				return true
			}
			if !stopWords[b.words[j]] {
				break
			}
		}
	}
	return false
}

// joined reports whether the list has a term joined with its neighbour: doublestar for
// double star.
func (q *question) joined(list []string, i int) bool {
	return i > 0 && slices.Contains(list, q.terms[i-1]+q.terms[i]) || i+1 < len(q.terms) && slices.Contains(list, q.terms[i]+q.terms[i+1])
}

// weight: what a work tree names itself, and the standard library, comes first.
func (m *module) weight() float64 {
	switch {
	case m.std():
		return 1.1
	case m.direct:
		return 1
	}
	return 0.85
}

// bag are the words of a text, and their stems.
type bag struct{ words, stems []string }

func bagOf(text string) (b bag) {
	if text == "" {
		return b
	}
	b.words = words(text)
	b.stems = make([]string, len(b.words))
	for i, w := range b.words {
		b.stems[i] = stem(w)
	}
	return b
}

// has reports whether a word with that stem is in the bag.
func (b bag) has(stem string) bool { return slices.Contains(b.stems, stem) }

// hasShort reports whether the beginning of a word stands for it: eval for evaluate.
func (b bag) hasShort(term string) bool {
	return slices.ContainsFunc(b.words, func(w string) bool { return len(w) >= 3 && len(w) < len(term) && strings.HasPrefix(term, w) })
}

// hasPart reports whether a word is written together with another one: asdict for dict.
func (b bag) hasPart(term string) bool {
	return len(term) >= 4 && slices.ContainsFunc(b.words, func(w string) bool { return strings.HasPrefix(w, term) || strings.HasSuffix(w, term) })
}

func (b bag) hasAlike(term string) bool {
	return slices.ContainsFunc(alike[term], func(a string) bool { return b.has(stem(a)) })
}

// stem cuts the endings of English words, roughly.
func stem(w string) string {
	for _, end := range []string{"ations", "ation", "ings", "ing", "ers", "er", "ies", "ied", "es", "ed", "s", "e", "y"} {
		if s, ok := strings.CutSuffix(w, end); ok && len(s) >= 3 {
			if n := len(s); n > 3 && s[n-1] == s[n-2] {
				s = s[:n-1]
			}
			return s
		}
	}
	return w
}

// named is the bonus of an entry whose name is in the question as it is written.
func named(q *question, r *row) (bonus float64) {
	if q.page != "" && r.m != nil && r.m.ecosystem == ecoMan && strings.EqualFold(r.Package, q.page) {
		if first := firstOfPage(r); first > 0 {
			return first
		}
	}
	if r.Kind == scan.KindSection || r.Kind == scan.KindPackage && len(q.names) > 1 {
		return 0
	}
	symbol, pkg := strings.ToLower(r.Symbol), strings.ToLower(r.Package)
	base, sep := pkg, "."
	if r.m != nil {
		base, sep = strings.ToLower(r.m.base(r.Package)), r.m.separator()
	}
	for i := 1; i < len(q.names); i++ { // "is terminal" for IsTerminal
		if q.names[i-1]+q.names[i] == symbol {
			bonus = 1
		}
	}
	if r.Kind == scan.KindField && r.m != nil && r.m.ecosystem == ecoMan {
		for _, option := range strings.FieldsFunc(r.Signature, func(c rune) bool { return strings.ContainsRune(" ,=[<|\n", c) }) {
			if option[0] == '-' && slices.Contains(q.written, option) {
				return 30
			}
		}
	}
	for i, n := range q.names {
		switch n {
		case base + sep + symbol, pkg + sep + symbol, pkg + "/" + symbol:
			bonus = max(bonus, 40)
		case symbol:
			b := 0.0
			if len(q.names) == 1 {
				b = 20
			} else if strings.ContainsAny(n, "._:") || i > 0 && (q.names[i-1] == base || q.names[i-1] == pkg) {
				b = 30
			} else if len(words(q.written[i])) > 1 {
				b = 4 // written as a name, such as newReader
			}
			bonus = max(bonus, b)
		case pkg:
			if r.Kind == scan.KindPackage && len(q.names) == 1 {
				bonus = max(bonus, 15)
			}
		}
	}
	return bonus
}

// countStems adds the stems of an entry to counts, each once.
func countStems(counts map[string]int, e scan.Entry) {
	seen := map[string]bool{}
	for _, text := range []string{e.Symbol, e.Package, e.Signature, e.Heading, e.Text} {
		for _, w := range words(text) {
			if s := stem(w); len(s) <= 40 && !seen[s] {
				seen[s] = true
				counts[s]++
			}
		}
	}
}
