package docslookup

import (
	"math"
	"slices"
	"strings"
)

// Kinds of entries.
const (
	kindPackage = "package"
	kindFunc    = "func"
	kindMethod  = "method"
	kindType    = "type"
	kindValue   = "value"
	kindField   = "field"
	kindSection = "section"
)

// kindWeight: of equal matches, what a person most often looks for comes first.
var kindWeight = map[string]float64{kindPackage: 0.75, kindFunc: 1, kindMethod: 0.9, kindType: 1, kindValue: 0.75, kindField: 0.7, kindSection: 0.65}

// rank orders candidates of several indexes, the best first. Scores of bm25 depend on the size
// of the index, so they count little beside the share of the question's words that an entry
// has, and where it has them.
func rank(q *question, rows []row, counts map[string]int) {
	q.weigh(counts)
	for i := range rows {
		r := &rows[i]
		r.score = (1 + 0.1*math.Log1p(max(r.bm25, 0))) * coverage(q, r) * kindWeight[r.kind]
		if strings.Contains(r.brief, "Deprecated:") {
			r.score *= 0.5
		}
		if r.m != nil {
			r.score *= r.m.weight()
		}
		r.score += named(q, r)
	}
	slices.SortStableFunc(rows, func(a, b row) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		case len(a.symbol) != len(b.symbol):
			return len(a.symbol) - len(b.symbol)
		}
		return strings.Compare(a.pkg+a.symbol, b.pkg+b.symbol)
	})
}

// weigh gives each word of the question a weight: rare ones say more.
func (q *question) weigh(counts map[string]int) {
	all := float64(counts[""])
	q.weights = make([]float64, len(q.terms))
	for i, t := range q.terms {
		n := float64(counts[stem(t)])
		q.weights[i] = math.Log1p((all - n + 0.5) / (n + 0.5))
		q.total += q.weights[i]
	}
}

// coverage is between 0 and about 3: the share of the question's words that the entry has,
// squared, and more for those in its name.
func coverage(q *question, r *row) float64 {
	if q.total == 0 {
		return 0
	}
	name, path := words(r.symbol), words(r.pkg)
	text := append(words(r.heading), words(r.brief+" "+r.signature)...)
	var in, inName, hits float64
	for i, t := range q.terms {
		w := q.weights[i]
		switch {
		case slices.Contains(name, t):
			in, inName, hits = in+w, inName+w, hits+1
		case has(name, t):
			w *= 0.9
			in, inName, hits = in+w, inName+w, hits+1
		case hasAlike(name, t), hasShort(name, t):
			in, inName, hits = in+0.9*w, inName+0.8*w, hits+1
		case has(path, t), q.joined(path, i):
			in, inName = in+w, inName+0.6*w
		case has(text, t):
			in += w
		case hasAlike(text, t), hasShort(text, t):
			in += 0.7 * w
		}
	}
	share, long := in/q.total, 1+0.1*math.Log1p(float64(len(text))/20) // of a long text some words are there by chance
	return 1.2*share*share/long + 0.6*inName/q.total + 0.5*min(hits/float64(max(len(name), 1)), 1)*inName/q.total
}

// joined reports whether the list has a term joined with its neighbour: doublestar for
// double star.
func (q *question) joined(list []string, i int) bool {
	return i > 0 && slices.Contains(list, q.terms[i-1]+q.terms[i]) || i+1 < len(q.terms) && slices.Contains(list, q.terms[i]+q.terms[i+1])
}

// weight: what a work tree names itself, and the standard library, comes first.
func (m *module) weight() float64 {
	switch {
	case m.name == goStd && m.ecosystem == ecoGo:
		return 1.1
	case m.direct:
		return 1
	}
	return 0.85
}

// hasShort reports whether a name has the beginning of a word for it: eval for evaluate.
func hasShort(list []string, term string) bool {
	return slices.ContainsFunc(list, func(w string) bool { return len(w) >= 3 && len(w) < len(term) && strings.HasPrefix(term, w) })
}

func hasAlike(list []string, term string) bool {
	return slices.ContainsFunc(alike[term], func(a string) bool { return has(list, a) })
}

// has reports whether a word or one with the same stem is in the list.
func has(list []string, term string) bool {
	s := stem(term)
	return slices.ContainsFunc(list, func(w string) bool { return w == term || stem(w) == s })
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
	if r.kind == kindSection {
		return 0
	}
	symbol, pkg := strings.ToLower(r.symbol), strings.ToLower(r.pkg)
	base := strings.ToLower(lastElement(r.pkg))
	for i := 1; i < len(q.names); i++ { // "is terminal" for IsTerminal
		if q.names[i-1]+q.names[i] == symbol {
			bonus = 1
		}
	}
	for i, n := range q.names {
		switch n {
		case base + "." + symbol, pkg + "." + symbol, pkg + "/" + symbol:
			bonus = max(bonus, 40)
		case symbol:
			b := 0.0
			if len(q.names) == 1 {
				b = 20
			} else if strings.ContainsAny(n, "._") || i > 0 && (q.names[i-1] == base || q.names[i-1] == pkg) {
				b = 30
			} else if len(words(q.written[i])) > 1 {
				b = 4 // written as a name, such as newReader
			}
			bonus = max(bonus, b)
		case pkg:
			if r.kind == kindPackage && len(q.names) == 1 {
				bonus = max(bonus, 15)
			}
		}
	}
	return bonus
}

// countStems adds the stems of an entry to counts, each once.
func countStems(counts map[string]int, e entry) {
	seen := map[string]bool{}
	for _, text := range []string{e.symbol, e.pkg, e.signature, e.heading, e.text} {
		for _, w := range words(text) {
			if s := stem(w); len(s) <= 40 && !seen[s] {
				seen[s] = true
				counts[s]++
			}
		}
	}
}
