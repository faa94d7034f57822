package policy

import (
	"errors"
	"path"
	"slices"
	"strings"

	"ccdir/policy/glob"
)

// pathRule is the argument of a Read or Edit rule: a pattern as in .gitignore.
type pathRule struct {
	from pathBase
	segs []string
	fold []string // segs without case
	// floating: it has no slash, so it matches at any depth.
	floating bool
	// dir: it ends with a slash, so it is about a directory.
	dir bool
	// head is fold's first segment if it is a plain name: most paths that a rule
	// isn't about are told by it.
	head string
}

// pathBase is where a pattern starts.
type pathBase uint8

const (
	fromProject pathBase = iota // ./x, x, and /x as in .gitignore
	fromSystem                  // //x
	fromHome                    // ~/x
)

func compilePath(arg string) (*pathRule, error) {
	r := &pathRule{dir: strings.HasSuffix(arg, "/")}
	s := arg
	switch {
	case strings.HasPrefix(s, "!"):
		return nil, errors.New("a pattern can't be negated: write a rule with another effect")
	case strings.HasPrefix(s, "//"):
		r.from, s = fromSystem, s[2:]
	case s == "~" || strings.HasPrefix(s, "~/"):
		r.from, s = fromHome, strings.TrimPrefix(s[1:], "/")
	case strings.HasPrefix(s, "~"):
		return nil, errors.New("only ~/ is known, not the home of another user")
	default:
		trimmed := strings.TrimSuffix(s, "/")
		r.floating = !strings.Contains(trimmed, "/") && trimmed != "." && trimmed != ".."
		s = strings.TrimPrefix(s, "/")
	}
	for _, seg := range strings.Split(s, "/") {
		if seg == "" || seg == "." {
			continue
		}
		if seg == ".." && len(r.segs) > 0 {
			return nil, errors.New(`".." is understood only at the beginning`)
		}
		if _, err := path.Match(seg, ""); err != nil {
			return nil, errors.New("the brackets in the pattern are not closed")
		}
		if seg == "**" && len(r.segs) > 0 && r.segs[len(r.segs)-1] == "**" {
			continue
		}
		r.segs = append(r.segs, seg)
		r.fold = append(r.fold, glob.Fold(seg))
	}
	if len(r.segs) > 64 {
		return nil, errors.New("the pattern is too deep")
	}
	if len(r.fold) > 0 && r.fold[0] != ".." && !strings.ContainsAny(r.fold[0], "*?[\\") {
		r.head = r.fold[0]
	}
	return r, nil
}

// segments splits an absolute path.
func segments(p string) []string {
	p = strings.Trim(p, "/")
	if p == "" {
		return nil
	}
	return strings.Split(p, "/")
}

// place is an absolute path in the forms that rules need.
type place struct {
	path string   // cleaned
	segs []string // of path
	fold []string
	wild bool // some of it isn't known
}

func newPlace(p string) place {
	out := place{path: p, segs: segments(p), wild: strings.Contains(p, glob.Wild)}
	out.fold = out.segs
	if lower := glob.Fold(p); lower != p {
		out.fold = segments(lower)
	}
	return out
}

// spot is the surroundings that patterns start from.
type spot struct {
	root, home, realRoot, realHome place
	// rooted: realRoot is known.
	rooted bool
	// apart: real places differ from the plain ones.
	apart bool
}

// allows reports whether the path surely is what the pattern says.
func (r *pathRule) allows(s *spot, p place) bool {
	switch r.from {
	case fromSystem:
		return allowSegs(r.segs, p.segs)
	case fromHome:
		return r.allowsBelow(s.home, p) || r.allowsBelow(s.realHome, p)
	}
	return r.allowsBelow(s.root, p) || r.allowsBelow(s.realRoot, p)
}

func (r *pathRule) allowsBelow(base, p place) bool {
	if len(r.segs) > 0 && r.segs[0] == ".." { // ../x: beside the project
		return len(base.segs) > 0 && len(p.segs) >= len(base.segs)-1 && hasPrefix(p.segs, base.segs[:len(base.segs)-1]) &&
			allowSegs(r.segs[1:], p.segs[len(base.segs)-1:])
	}
	if !hasPrefix(p.segs, base.segs) {
		return false
	}
	rest := p.segs[len(base.segs):]
	if !r.floating {
		return allowSegs(r.segs, rest)
	}
	for i := range len(rest) + 1 {
		if allowSegs(r.segs, rest[i:]) {
			return true
		}
	}
	return false
}

func hasPrefix(s, prefix []string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := len(prefix) - 1; i >= 0; i-- { // the last differ soonest
		if s[i] != prefix[i] {
			return false
		}
	}
	return true
}

// allowSegs matches segments: "**" is any number of them; a pattern that ends
// with a plain name covers what is below it.
func allowSegs(pattern, segs []string) bool {
	below := len(pattern) > 0 && !strings.ContainsAny(pattern[len(pattern)-1], "*?[\\")
	return matchSegs(pattern, segs, below, func(p, s string) bool {
		if p == s {
			return true
		}
		ok, err := path.Match(p, s)
		return ok && err == nil
	})
}

// matchSegs is the walk over segments: same compares two. With below the path
// may go on after the pattern's end.
func matchSegs(pattern, segs []string, below bool, same func(p, s string) bool) bool {
	star, mark := -1, 0
	i, j := 0, 0
	for {
		switch {
		case i < len(pattern) && pattern[i] == "**":
			star, mark = i, j
			i++
			continue
		case i == len(pattern) && (below || j == len(segs)):
			return true
		case i < len(pattern) && j < len(segs) && same(pattern[i], segs[j]):
			i++
			j++
			continue
		}
		if star < 0 || mark >= len(segs) {
			return false
		}
		mark++
		i, j = star+1, mark
	}
}

// catches reports whether the path may be what the pattern says, whatever the
// case of its letters; what is wild in it is any text.
func (r *pathRule) catches(s *spot, p *place) bool {
	switch r.from {
	case fromSystem:
		return catchSegs(r.fold, p.fold)
	case fromHome:
		return r.catchesBelow(&s.home, p) || s.apart && r.catchesBelow(&s.realHome, p)
	}
	if r.floating {
		for i := range len(p.fold) {
			if catchSegs(r.fold, p.fold[i:]) {
				return true
			}
		}
		return len(r.fold) == 0 || r.fold[0] == "**" || r.fold[0] == "*"
	}
	return r.catchesBelow(&s.root, p) || s.apart && r.catchesBelow(&s.realRoot, p)
}

func (r *pathRule) catchesBelow(base *place, p *place) bool {
	fold := base.fold
	if n := len(fold); r.head != "" && !p.wild && (len(p.fold) <= n || p.fold[n] != r.head) {
		return false
	}
	up := 0
	for up < len(r.fold) && r.fold[up] == ".." && up < len(fold) {
		up++
	}
	fold = fold[:len(fold)-up]
	for i, seg := range fold { // what is unknown may be the base
		if i >= len(p.fold) || p.fold[i] == glob.AnyDepth {
			return i < len(p.fold) && catchSegs(r.fold[up:], p.fold[i:])
		}
		if p.fold[i] != seg && !(strings.Contains(p.fold[i], glob.Wild) && mayMatchSeg(seg, p.fold[i])) {
			return false
		}
	}
	return catchSegs(r.fold[up:], p.fold[len(fold):])
}

// catchesLeaf is catches for a file of which only the name is known, or a pattern
// of it. A rule about all that is in a directory isn't caught by that.
func (r *pathRule) catchesLeaf(leaf string) certainty {
	switch {
	case len(r.fold) == 0 || r.endsOtherwise(leaf) || strings.Trim(r.fold[len(r.fold)-1], "*") == "":
		return no
	case r.floating && r.fold[0] == leaf:
		return surely
	}
	return perhaps
}

// endsOtherwise reports whether files of that name can't be what the pattern ends
// with.
func (r *pathRule) endsOtherwise(leaf string) bool {
	return len(r.fold) > 0 && !glob.MayMatch(r.fold[len(r.fold)-1], leaf, true)
}

// mayHoldMore reports whether the pattern may be the name of a directory, so that it
// is about files below with any name. Within a project a plain name with a dot, such
// as .env or key.pem, is taken for a file.
func (r *pathRule) mayHoldMore() bool {
	if r.dir || len(r.fold) == 0 {
		return true
	}
	last := r.fold[len(r.fold)-1]
	return !strings.ContainsAny(last, "*?[\\") && (r.from != fromProject || !strings.Contains(last, "."))
}

// catchSegs matches segments of which both sides may have unknown ones; a
// pattern covers what is below it.
func catchSegs(pattern, segs []string) bool {
	at := slices.Index(segs, glob.AnyDepth)
	if at < 0 {
		return matchSegs(pattern, segs, true, mayMatchSeg)
	}
	// What follows unknown directories may be anywhere below them.
	for n := range len(pattern) + 1 {
		if matchSegs(pattern[:n], segs[:at], false, mayMatchSeg) {
			for m := n; m <= len(pattern); m++ {
				if catchSegs(pattern[m:], segs[at+1:]) {
					return true
				}
			}
		}
	}
	return matchSegs(pattern, segs[:at], true, mayMatchSeg)
}

// mayMatchSeg compares one segment. A name with an unknown beginning isn't a
// hidden one, unless that is all of it.
func mayMatchSeg(pattern, seg string) bool {
	if pattern == seg {
		return true
	}
	if !strings.ContainsAny(pattern, "*?[\\") && strings.IndexByte(seg, glob.Wild[0]) < 0 {
		return false
	}
	if strings.HasPrefix(seg, glob.Wild) && strings.HasPrefix(pattern, ".") {
		return false
	}
	return glob.MayMatch(pattern, seg, true)
}
