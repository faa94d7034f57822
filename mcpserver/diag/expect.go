package diag

import (
	"regexp"
	"strings"
	"sync"
)

// maxValue bounds an expected or actual value, in bytes.
const maxValue = 500

// comparisons are the ways in which test libraries write what they compared. The groups e
// and g are what was expected, and what was there.
var comparisons = sync.OnceValue(func() (list []*regexp.Regexp) {
	for _, expr := range []string{
		// Jest, Vitest: Expected: 2 / Received: 1.
		`(?m)^\s*Expected(?: \w+)?:\s+(?P<e>.+)\n\s*Received(?: \w+)?:\s+(?P<g>.+)$`,
		// testify: expected: 2 / actual  : 1.
		`(?m)^\s*expected\s*:\s+(?P<e>.+)\n\s*actual\s*:\s+(?P<g>.+)$`,
		// Rust: left: 1 / right: 2 (and with backquotes before 1.73).
		"(?m)^\\s*left:\\s+`?(?P<g>.+?)`?,?\\n\\s*right:\\s+`?(?P<e>.+?)`?$",
		// Chai, Vitest: expected 1 to be 2, to equal 2, to deeply equal { … }.
		`(?m)expected (?P<g>.+?) to (?:be|equal|deeply equal|strictly equal|deep equal|eql) (?P<e>.+?)(?: // .*)?$`,
		// Node's assert: 1 !== 2 alone on a line.
		`(?m)(?:^|:)\s*(?P<g>[^:\s][^:\n]*?) !== (?P<e>\S.*?)$`,
		// pytest: assert 1 == 2.
		`(?m)^(?:E\s+)?(?:\w+Error: )?assert (?P<g>.+?) == (?P<e>.+)$`,
		// unittest: AssertionError: 1 != 2, also with a message behind.
		`(?m)AssertionError: (?P<g>.+?) != (?P<e>.+?)(?: : .*)?$`,
		// JUnit, AssertJ: expected: <2> but was: <1>.
		`(?i)expected:?\s*<?(?P<e>[^>\n]+?)>? but (?:was|got):?\s*<?(?P<g>[^>\n]+?)>?(?:\n|$)`,
		// Go's idioms: got 1, want 2; F() = 1; want 2; want 2, got 1.
		`(?m)(?:^|\s)(?:got|=) (?P<g>\S.*?)[,;] (?:want|wanted|expected) (?P<e>\S.*?)$`,
		`(?m)(?:^|\s)(?:want|wanted|expected) (?P<e>\S.*?)[,;] got (?P<g>\S.*?)$`,
	} {
		list = append(list, regexp.MustCompile(expr))
	}
	return list
})

// compared finds what a failed test expected and what it got, in its message or else in its
// output; "" for both if it does not say.
func compared(texts ...string) (expected, got string) {
	for _, text := range texts {
		if len(text) > maxOutput {
			text = text[len(text)-maxOutput:]
		}
		for _, re := range comparisons() {
			if m := re.FindStringSubmatch(text); m != nil {
				return value(m[re.SubexpIndex("e")]), value(m[re.SubexpIndex("g")])
			}
		}
	}
	return "", ""
}

func value(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > maxValue {
		s = strings.ToValidUTF8(s[:maxValue], "") + "…"
	}
	return s
}
