package policy

import (
	"errors"
	"path"
	"slices"
	"strings"

	"ccdir/policy/glob"
	"ccdir/policy/shell"
)

// pathPattern is the argument of a Read or Edit rule.
//
// The grammar is that of .gitignore, without negation:
//
//   - a leading "//" starts at the root, "~/" at the home directory; "./", "/" and no prefix
//     start at the project's directory;
//   - "*" matches within one segment, "?" one character, "[a-z]" one of a class, "\\"
//     escapes;
//   - "**" as a segment matches any number of segments;
//   - a pattern without a slash, except at its end, matches at any depth (anyDepth);
//   - leading ".." segments climb from the start; others are an error;
//   - a pattern whose last segment is a plain name covers everything below it. For deny and
//     ask every pattern does.
//
// allows and catches match a location with it; see the package comment for the two ways of
// matching.
type pathPattern struct {
	anchor   anchor
	segments []string
	folded   []string // segments without case, see glob.Fold
	// anyDepth: the pattern has no slash, so it matches at any depth.
	anyDepth bool
	// directory: the pattern ends with a slash, so it is about directories.
	directory bool
	// firstName is the first folded segment if it is a plain name, else "". It rules out most
	// paths at once.
	firstName string
}

// anchor is the directory that a pattern starts from.
type anchor uint8

const (
	atProject anchor = iota // ./x, x, and /x as in .gitignore
	atRoot                  // //x
	atHome                  // ~/x
)

func compilePath(arg string) (*pathPattern, error) {
	r := &pathPattern{directory: strings.HasSuffix(arg, "/")}
	s := arg
	switch {
	case strings.HasPrefix(s, "!"):
		return nil, errors.New("a pattern can't be negated: write a rule with another effect")
	case strings.HasPrefix(s, "//"):
		r.anchor, s = atRoot, s[2:]
	case s == "~" || strings.HasPrefix(s, "~/"):
		r.anchor, s = atHome, strings.TrimPrefix(s[1:], "/")
	case strings.HasPrefix(s, "~"):
		return nil, errors.New("only ~/ is known, not the home of another user")
	default:
		trimmed := strings.TrimSuffix(s, "/")
		r.anyDepth = !strings.Contains(trimmed, "/") && trimmed != "." && trimmed != ".."
		s = strings.TrimPrefix(s, "/")
	}
	for _, seg := range strings.Split(s, "/") {
		if seg == "" || seg == "." {
			continue
		}
		if seg == ".." && len(r.segments) > 0 {
			return nil, errors.New(`".." is understood only at the beginning`)
		}
		if _, err := path.Match(seg, ""); err != nil {
			return nil, errors.New("the brackets in the pattern are not closed")
		}
		if seg == "**" && len(r.segments) > 0 && r.segments[len(r.segments)-1] == "**" {
			continue
		}
		r.segments = append(r.segments, seg)
		r.folded = append(r.folded, glob.Fold(seg))
	}
	if len(r.segments) > 64 {
		return nil, errors.New("the pattern is too deep")
	}
	if len(r.folded) > 0 && r.folded[0] != ".." && !strings.ContainsAny(r.folded[0], "*?[\\") {
		r.firstName = r.folded[0]
	}
	return r, nil
}

// splitPath returns the segments of an absolute path.
func splitPath(p string) []string {
	p = strings.Trim(p, "/")
	if p == "" {
		return nil
	}
	return strings.Split(p, "/")
}

// location is an absolute path in the forms that patterns need.
type location struct {
	path     string   // cleaned
	segments []string // of path
	folded   []string
	unclear  bool // path contains glob.Wild
}

func newLocation(p string) location {
	out := location{path: p, segments: splitPath(p), unclear: strings.Contains(p, glob.Wild)}
	out.folded = out.segments
	if lower := glob.Fold(p); lower != p {
		out.folded = splitPath(lower)
	}
	return out
}

// name returns the last segment without case.
func (p *location) name() string {
	if len(p.folded) == 0 {
		return ""
	}
	return p.folded[len(p.folded)-1]
}

// anchors are the directories that patterns start from, as written and with links resolved.
type anchors struct {
	root, home, realRoot, realHome location
	// rootResolved: realRoot is known.
	rootResolved bool
	// linked: a resolved directory differs from the one as written.
	linked bool
}

// allows reports whether the pattern certainly matches the path.
func (r *pathPattern) allows(s *anchors, p location) bool {
	switch r.anchor {
	case atRoot:
		return allowSegs(r.segments, p.segments)
	case atHome:
		return r.allowsBelow(s.home, p) || r.allowsBelow(s.realHome, p)
	}
	return r.allowsBelow(s.root, p) || r.allowsBelow(s.realRoot, p)
}

func (r *pathPattern) allowsBelow(base, p location) bool {
	if len(r.segments) > 0 && r.segments[0] == ".." { // ../x: beside the project
		return len(base.segments) > 0 && len(p.segments) >= len(base.segments)-1 && hasPrefix(p.segments, base.segments[:len(base.segments)-1]) &&
			allowSegs(r.segments[1:], p.segments[len(base.segments)-1:])
	}
	if !hasPrefix(p.segments, base.segments) {
		return false
	}
	rest := p.segments[len(base.segments):]
	if !r.anyDepth {
		return allowSegs(r.segments, rest)
	}
	for i := range len(rest) + 1 {
		if allowSegs(r.segments, rest[i:]) {
			return true
		}
	}
	return false
}

func hasPrefix(s, prefix []string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := len(prefix) - 1; i >= 0; i-- { // the last ones differ soonest
		if s[i] != prefix[i] {
			return false
		}
	}
	return true
}

// allowSegs matches segments for allow rules: "**" is any number of them, and a last segment
// without special characters covers everything below.
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

// matchSegs matches segments with same as the comparison of two. With below, the path may go
// on after the end of the pattern.
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

// catches reports whether the pattern may match the path, ignoring case. glob.Wild in the
// path is any text.
func (r *pathPattern) catches(s *anchors, p *location) bool {
	switch r.anchor {
	case atRoot:
		return catchSegs(r.folded, p.folded)
	case atHome:
		return r.catchesBelow(&s.home, p) || s.linked && r.catchesBelow(&s.realHome, p)
	}
	if r.anyDepth {
		for i := range len(p.folded) {
			if catchSegs(r.folded, p.folded[i:]) {
				return true
			}
		}
		return len(r.folded) == 0 || r.folded[0] == "**" || r.folded[0] == "*"
	}
	return r.catchesBelow(&s.root, p) || s.linked && r.catchesBelow(&s.realRoot, p)
}

func (r *pathPattern) catchesBelow(base *location, p *location) bool {
	fold := base.folded
	if n := len(fold); r.firstName != "" && !p.unclear && (len(p.folded) <= n || p.folded[n] != r.firstName) {
		return false
	}
	up := 0
	for up < len(r.folded) && r.folded[up] == ".." && up < len(fold) {
		up++
	}
	fold = fold[:len(fold)-up]
	for i, seg := range fold { // an unknown segment may be part of the base
		if i >= len(p.folded) || p.folded[i] == glob.AnyDepth {
			return i < len(p.folded) && catchSegs(r.folded[up:], p.folded[i:])
		}
		if p.folded[i] != seg && !(strings.Contains(p.folded[i], glob.Wild) && mayMatchSeg(seg, p.folded[i])) {
			return false
		}
	}
	return catchSegs(r.folded[up:], p.folded[len(fold):])
}

// concerns reports whether the pattern may match a file that a command uses, at one of the
// places, or one below.
func (r *pathPattern) concerns(s *anchors, p *shell.Part, places []location) bool {
	if p.File.Below || p.File.Alias || p.File.NamePattern != "" {
		return true // reachesBelow looks closer
	}
	for i := range places {
		segs := places[i].segments
		if p.Possible && r.anyDepth && len(segs) > 0 && segs[len(segs)-1] == glob.Wild {
			continue // all that is in some directory: its name says nothing of such files
		}
		if r.catchesFile(s, p, &places[i]) {
			return true
		}
	}
	return false
}

// catchesFile is catches for a file of a command at one of its places.
func (r *pathPattern) catchesFile(s *anchors, p *shell.Part, place *location) bool {
	return r.catches(s, place) && !(p.File.Inside && r.catches(s, &s.root)) && !(p.File.Names && r.ofFiles())
}

// ofFiles reports whether the pattern is taken for one of files, such as .env or *.pem: who
// only looks at names sees nothing of them.
func (r *pathPattern) ofFiles() bool {
	return !r.mayHoldMore() && strings.Contains(r.folded[len(r.folded)-1], ".")
}

// catchesLeaf is catches for a file of which only the name, or a pattern of it, is known. A
// rule about everything in a directory is not caught by a name alone.
func (r *pathPattern) catchesLeaf(leaf string) certainty {
	switch {
	case len(r.folded) == 0 || r.endsOtherwise(leaf) || strings.Trim(r.folded[len(r.folded)-1], "*") == "":
		return no
	case r.anyDepth && r.folded[0] == leaf:
		return surely
	}
	return perhaps
}

// isVague reports whether a pattern of names says so little that what it names is like the files of a whole tree: a rule
// about names at any depth could be about one of them (*.go about .env.go), no more. It is not allowed, and not
// asked about.
func (r *pathPattern) isVague(leaf string) bool {
	if !r.anyDepth || len(r.folded) == 0 || !strings.Contains(leaf, glob.Wild) {
		return false
	}
	last := r.folded[len(r.folded)-1]
	return strings.Trim(leaf, glob.Wild) == "" || strings.HasPrefix(leaf, glob.Wild) && strings.ContainsAny(last, "*?[\\") && !glob.Match(last, leaf)
}

// vague is isVague for the name at the end of a place, or if the rule could only be about one of the unknown directories
// before it.
func (r *pathPattern) vague(place *location) bool {
	leaf := place.name()
	return r.isVague(leaf) || r.anyDepth && slices.Contains(place.folded, glob.AnyDepth) && r.endsOtherwise(leaf)
}

// endsOtherwise reports whether files of that name cannot match the last segment of the
// pattern.
func (r *pathPattern) endsOtherwise(leaf string) bool {
	return len(r.folded) > 0 && !glob.MayMatch(r.folded[len(r.folded)-1], leaf, true)
}

// mayHoldMore reports whether the pattern may name a directory, which covers files of any
// name below. In a project a plain name with a dot, such as .env or key.pem, is taken for a
// file.
func (r *pathPattern) mayHoldMore() bool {
	if r.directory || len(r.folded) == 0 {
		return true
	}
	last := r.folded[len(r.folded)-1]
	return !strings.ContainsAny(last, "*?[\\") && (r.anchor != atProject || !strings.Contains(last, "."))
}

// catchSegs matches segments for deny and ask rules. Both sides may have unknown segments; a
// pattern covers everything below.
func catchSegs(pattern, segs []string) bool {
	at := slices.Index(segs, glob.AnyDepth)
	if at < 0 {
		return matchSegs(pattern, segs, true, mayMatchSeg)
	}
	// The segments behind unknown directories may lie anywhere below them.
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

// mayMatchSeg compares one segment. A name that begins with unknown text is not taken for a
// hidden file unless all of it is unknown.
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
