package redact

import (
	"math"
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// rule recognises secrets by their form, or by the command around them.
type rule struct {
	id string
	// keywords: the rule is tried on texts that contain one of them, in any case; none
	// is every text.
	keywords []string
	// pattern matches the secret in group, 0 for the whole match.
	pattern string
	group   int
	// entropy is the least Shannon entropy of a secret, in bits per character.
	entropy float64
	// check, if set, has to accept the secret.
	check func(secret string) bool
}

const quotedOrWord = `("[^"]*"|'[^']*'|[^\s;|&]+)`

// ownRules are for commands and files, besides gitleaks' rules.
var ownRules = []rule{
	{id: "aws-secret-key", pattern: `(?:^|[^A-Za-z0-9/+_.-])([A-Za-z0-9/+]{40})(?:$|[^A-Za-z0-9/+=_.-])`, group: 1, entropy: 4.2, check: mixed},
	{id: "azure-sas", keywords: []string{"sig="}, pattern: `(?i)(?:^|[?&;"'\s])sig=([^&\s"';|]{16,})`, group: 1},
	{id: "azure-cli", keywords: []string{"az "}, pattern: `\baz\s[^;|&\n]*?\s-p[\s=]+` + quotedOrWord, group: 1},
	{id: "netrc", keywords: []string{"password"}, pattern: `(?i)\blogin\s+[^\s:;,]+\s+password\s+` + quotedOrWord, group: 1},
	{id: "htpasswd", keywords: []string{"htpasswd"}, pattern: `\bhtpasswd\b[^;|&\n]*\s-[a-zA-Z]*b[a-zA-Z]*\s[^;|&\n]*\s` + quotedOrWord, group: 1},
	{id: "connection-string", keywords: []string{"pwd"}, pattern: `(?i)\bpwd\s*=\s*([^/$~.\s;"'&|][^;\s"'&|]*)`, group: 1},
	{id: "piped", keywords: []string{"sudo", "--with-token", "--password-stdin", "--stdin", "chpasswd"}, group: 1,
		pattern: `\b(?:echo|printf)\s+(?:-[a-zA-Z]+\s+)*(?:["']?%s(?:\\n)?["']?\s+)?("[^"]*"|'[^']*'|[^\s;|&]+)\s*\|[^;|&\n]*(?:\bsudo\s[^;|&\n]*-[a-zA-Z]*S\b|--with-token\b|--password-stdin\b|--stdin\b|\bchpasswd\b)`},
	{id: "here-string", keywords: []string{"<<<"}, group: 1,
		pattern: `(?:\bsudo\s[^;|&\n]*-[a-zA-Z]*S\b|--with-token\b|--password-stdin\b|--stdin\b|\bchpasswd\b)[^;|&\n]*<<<\s*` + quotedOrWord},
}

// compiled has the expressions of rules that were tried, by pattern.
var compiled sync.Map

func (r *rule) expression() *regexp.Regexp {
	if re, ok := compiled.Load(r.pattern); ok {
		return re.(*regexp.Regexp)
	}
	re := regexp.MustCompile(r.pattern)
	compiled.Store(r.pattern, re)
	return re
}

// byRules replaces the secrets that rules recognise.
func byRules(s string) string {
	lower := strings.ToLower(s)
	for _, rules := range [][]rule{ownRules, gitleaksRules} {
		for i := range rules {
			if r := &rules[i]; r.concerns(lower) {
				s = r.replace(s)
			}
		}
	}
	return s
}

// concerns reports whether a text in lower case has one of the keywords.
func (r *rule) concerns(lower string) bool {
	for _, k := range r.keywords {
		if strings.Contains(lower, k) {
			return true
		}
	}
	return len(r.keywords) == 0
}

func (r *rule) replace(s string) string {
	var b strings.Builder
	at := 0
	for _, m := range r.expression().FindAllStringSubmatchIndex(s, -1) {
		start, end := m[2*r.group], m[2*r.group+1]
		if start < 0 || entropy(s[start:end]) < r.entropy || r.check != nil && !r.check(s[start:end]) {
			continue
		}
		b.WriteString(s[at:start] + Mark)
		at = end
	}
	return b.String() + s[at:]
}

// entropy is the Shannon entropy of a text in bits per byte.
func entropy(s string) (bits float64) {
	var counts [256]int
	for i := range len(s) {
		counts[s[i]]++
	}
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(s))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}

// mixed reports whether a text has upper and lower case and digits, and is no path.
func mixed(s string) bool {
	return strings.ContainsFunc(s, unicode.IsUpper) && strings.ContainsFunc(s, unicode.IsLower) && strings.ContainsFunc(s, unicode.IsDigit) &&
		strings.Count(s, "/") < 4
}
