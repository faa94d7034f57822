package docslookup

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ccdir/docslookup/scan"
)

// words splits text into lower-case words: at what is neither letter nor digit, and inside
// identifiers: "HTTPServer" is http, server.
func words(s string) (list []string) {
	runes := []rune(s)
	start := -1
	flush := func(end int) {
		if start >= 0 {
			list = append(list, strings.ToLower(string(runes[start:end])))
		}
		start = -1
	}
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush(i)
		case start < 0:
			start = i
		case unicode.IsUpper(r) && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			flush(i)
			start = i
		}
	}
	flush(len(runes))
	return list
}

// identifiers are the lower-case runs of letters, digits and underscores in s.
func identifiers(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// spread is a name with its pieces, as it is indexed.
func spread(name string) string {
	list := identifiers(name)
	for _, w := range words(name) {
		if !slices.Contains(list, w) {
			list = append(list, w)
		}
	}
	return strings.Join(list, " ")
}

// stopWords carry no meaning in a question.
var stopWords = map[string]bool{}

func init() {
	for _, w := range strings.Fields("a an and are as at be by can do does for from get given how i if in into is it its me my of on or such that two one the their them then this to until use used using what when where which with without you your") {
		stopWords[w] = true
	}
}

// alike are words that mean the same in names and in text.
var alike = map[string][]string{}

func init() {
	for _, line := range strings.Split(`add append attach register|argument arg args|asynchronous async|buffer buf|character char rune|command cmd|connection conn
context ctx|convert parse format|copy clone|decode parse unmarshal|delete remove clear|directory dir folder|encode marshal|environment env
error err|escape quote|execute exec run|expression expr|file files|function func|goroutine goroutines|initialize init|comparison compare cmp|instance inst|integer int number atoi itoa|separator sep
length len|lower lowercase|maximum max|message msg|minimum min|parameter param|parse decode unmarshal|random rand|regexp regex
request req|response resp reply|serialize marshal encode stringify|string str|symlink symlinks symbolic link|temporary temp tmp|terminal tty
upper uppercase|variable var|wait await|write save`, "\n") {
		for _, group := range strings.Split(line, "|") {
			names := strings.Fields(group)
			for _, n := range names {
				for _, other := range names {
					if other != n && !slices.Contains(alike[n], other) {
						alike[n] = append(alike[n], other)
					}
				}
			}
		}
	}
}

// maxTerms bounds the words of a question.
const maxTerms = 24

// question is a query, taken apart.
type question struct {
	text  string
	terms []string // without stop words
	stems []string // of the terms
	match string   // of prose
	// pieces matches symbols by pieces of three letters; "" for a question in words.
	pieces string
	// names are the words in lower case, with their punctuation: "sync.waitgroup"; written
	// as they were written.
	names, written []string
	// asked are the stems whose counts are wanted, as JSON: those of the terms, of words that mean
	// the same, and of neighbours written as one.
	asked string
	// weights are those of the terms, total their sum: see weigh.
	weights []float64
	total   float64
	// page is the manual page that the question only names, in lower case; "" for none.
	page string
}

func ask(text string) *question {
	q := &question{text: text}
	var all []string
	for _, field := range strings.Fields(text) {
		field = strings.Trim(field, "?!,;:\"'`()[]{}")
		if field == "" {
			continue
		}
		q.names, q.written = append(q.names, strings.ToLower(field)), append(q.written, field)
		all = append(all, words(field)...)
		for _, id := range identifiers(field) {
			if !slices.Contains(all, id) {
				all = append(all, id)
			}
		}
	}
	for _, w := range all {
		if !stopWords[w] && !slices.Contains(q.terms, w) && len(q.terms) < maxTerms {
			q.terms = append(q.terms, w)
		}
	}
	if len(q.terms) == 0 {
		q.terms = all[:min(len(all), maxTerms)]
	}
	var or []string
	asked := []string{""} // the number of all entries
	match := func(word string) {
		or, asked = append(or, quote(word)), append(asked, stem(word))
	}
	for _, t := range q.terms {
		q.stems = append(q.stems, stem(t))
		match(t)
		for _, a := range alike[t] {
			match(a)
		}
	}
	for i := 1; i < len(q.terms); i++ {
		match(q.terms[i-1] + q.terms[i])
	}
	q.match = strings.Join(or, " OR ")
	list, _ := json.Marshal(asked) // strings: it cannot fail
	q.asked = string(list)
	if len(q.names) > 0 && len(q.names) <= 2 {
		for _, n := range q.names {
			if utf8.RuneCountInString(n) >= 3 {
				if q.pieces != "" {
					q.pieces += " OR "
				}
				q.pieces += quote(n)
			}
		}
	}
	return q
}

// quote makes a string of FTS5's query language.
func quote(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

// brief is the first paragraph of a text.
func brief(text string) string {
	text = strings.TrimSpace(text)
	if i := strings.Index(text, "\n\n"); i >= 0 {
		text = text[:i]
	}
	return scan.Shorten(text, 700)
}

// lastElement is the last element of an import path that is no major version.
func lastElement(pkg string) string {
	base := path.Base(pkg)
	if len(base) > 1 && base[0] == 'v' && strings.Trim(base[1:], "0123456789") == "" && strings.Contains(pkg, "/") {
		base = path.Base(path.Dir(pkg))
	}
	return base
}
