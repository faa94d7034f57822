package glob

import "strings"

// Wild stands for a piece of text that is unknown until the command runs. A command with a
// real NUL is refused, so Wild has no other meaning.
const Wild = "\x00"

// AnyDepth is a path segment that stands for any number of segments.
const AnyDepth = Wild + Wild

// Match reports whether pattern certainly matches s. "*" in pattern is any text; Wild in s is
// matched by "*" only.
func Match(pattern, s string) bool {
	star, mark := -1, 0
	p, i := 0, 0
	for i < len(s) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, i
			p++
		case p < len(pattern) && pattern[p] == s[i] && s[i] != Wild[0]:
			p++
			i++
		case star >= 0:
			mark++
			p, i = star+1, mark
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

// MayMatch reports whether pattern can match some text that s may turn out to be. "*" in
// pattern is any text; with classes "?" and "[…]" are one character; Wild in s is any text.
func MayMatch(pattern, s string, classes bool) bool {
	if strings.IndexByte(s, Wild[0]) < 0 && !(classes && strings.ContainsAny(pattern, "?[\\")) {
		return Match(pattern, s)
	}
	if len(pattern)*len(s) > 1<<20 {
		return true
	}
	// reach[j]: pattern[:i] and s[:j] can be the same text.
	units := globUnits(pattern, classes)
	reach := make([]bool, len(s)+1)
	next := make([]bool, len(s)+1)
	closeWild := func(r []bool) {
		for j := range len(s) {
			if r[j] && s[j] == Wild[0] {
				r[j+1] = true
			}
		}
	}
	reach[0] = true
	closeWild(reach)
	for _, u := range units {
		clear(next)
		if u == '*' {
			seen := false
			for j := range next {
				seen = seen || reach[j]
				next[j] = seen
			}
		} else {
			for j := range len(s) {
				if !reach[j] {
					continue
				}
				switch {
				case s[j] == Wild[0]:
					next[j] = true // the unknown text may continue
				case u == '?' || u&0xff == int(s[j]):
					next[j+1] = true
				}
			}
		}
		closeWild(next)
		reach, next = next, reach
	}
	return reach[len(s)]
}

// globUnits splits a pattern into units: a byte as itself, '*' for any text, '?' for any one
// byte. An escaped "*" or "?" counts as any one byte; a literal "?" of a command has bit 8
// set.
func globUnits(pattern string, classes bool) []int {
	var out []int
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		switch {
		case c == '*':
			out = append(out, '*')
		case classes && c == '\\' && i+1 < len(pattern):
			i++
			out = append(out, '?')
		case classes && c == '[':
			if end := strings.IndexByte(pattern[i+1:], ']'); end >= 0 {
				i += end + 1
			}
			out = append(out, '?')
		case c == '?' && !classes:
			out = append(out, 256+'?')
		default:
			out = append(out, int(c))
		}
	}
	return out
}

// FromNames converts a pattern of file names (.gitignore style) to a path: whatever the
// pattern leaves open becomes Wild.
func FromNames(s string) string {
	segs := strings.Split(s, "/")
	for i, seg := range segs {
		if seg == "**" {
			segs[i] = AnyDepth
			continue
		}
		var b strings.Builder
		for _, u := range nameUnits(seg) {
			b.WriteString(u)
		}
		segs[i] = b.String()
	}
	return strings.Join(segs, "/")
}

// nameUnits returns the bytes of one segment of a name pattern, Wild for its special
// characters.
func nameUnits(seg string) []string {
	var out []string
	for i := 0; i < len(seg); i++ {
		if strings.IndexByte("*?[]{}!\\,", seg[i]) >= 0 {
			if len(out) == 0 || out[len(out)-1] != Wild {
				out = append(out, Wild)
			}
			if seg[i] == '[' {
				if end := strings.IndexByte(seg[i:], ']'); end > 0 {
					i += end
				}
			}
			continue
		}
		out = append(out, seg[i:i+1])
	}
	return out
}
