package files

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// maxAlternatives bounds what the braces of one glob stand for: each may be tried for
// every path.
const maxAlternatives = 256

// glob is a pattern of paths, as ripgrep's -g has it: * and ? within a name, ** for any
// number of directories, {a,b} for alternatives, ! in front for all others. One without
// a slash is matched against the last name of a path.
type glob struct {
	not     bool
	deep    bool   // it has a slash: it matches whole paths
	pattern string // doublestar's; "" matches all paths
}

func newGlob(pattern string) (*glob, error) {
	rest, not := strings.CutPrefix(filepath.ToSlash(pattern), "!")
	g := &glob{not: not, deep: strings.Contains(rest, "/"), pattern: rest}
	switch {
	case pattern == "":
		return g, nil
	case alternatives(rest) > maxAlternatives:
		return nil, fmt.Errorf("glob %.100q stands for more than %d patterns", pattern, maxAlternatives)
	case !doublestar.ValidatePattern(rest):
		return nil, fmt.Errorf("glob %.100q: syntax error; a [ or { without its other half is written \\[ or \\{", pattern)
	case !g.deep:
		g.pattern = "**/" + rest
	default:
		g.pattern = strings.TrimPrefix(strings.TrimPrefix(rest, "./"), "/")
		if strings.HasSuffix(rest, "/") {
			g.pattern += "**"
		}
	}
	return g, nil
}

// match matches a relative path.
func (g *glob) match(rel string) bool {
	return g.pattern == "" || doublestar.MatchUnvalidated(g.pattern, filepath.ToSlash(rel)) != g.not
}

// alternatives is an upper bound of the patterns that the braces expand to.
func alternatives(pattern string) int {
	all := 1
	var open []int // the alternatives so far, of each open brace
	for _, c := range pattern {
		switch {
		case c == '{':
			open = append(open, 1)
		case len(open) == 0:
		case c == ',':
			open[len(open)-1]++
		case c == '}':
			all = min(all*open[len(open)-1], maxAlternatives+1)
			open = open[:len(open)-1]
		}
	}
	return all
}
