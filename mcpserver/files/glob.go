package files

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"
)

// maxAlternatives bounds what the braces of one glob stand for.
const maxAlternatives = 256

// glob is a pattern of paths, as ripgrep's -g has it: * and ? within a name, ** for any
// number of directories, {a,b} for alternatives, ! in front for all others. One without
// a slash is matched against the last name of a path.
type glob struct {
	not  bool
	deep bool       // it is about directories below
	alts [][]string // by alternative, the names between slashes; nil: all paths
}

func newGlob(pattern string) (*glob, error) {
	g := &glob{}
	if pattern == "" {
		return g, nil
	}
	rest, not := strings.CutPrefix(pattern, "!")
	g.not, g.deep = not, strings.Contains(rest, "/")
	alts := braces(filepath.ToSlash(rest))
	if len(alts) > maxAlternatives {
		return nil, fmt.Errorf("glob %.100q stands for more than %d patterns", pattern, maxAlternatives)
	}
	for _, alt := range alts {
		anywhere := !strings.Contains(alt, "/")
		alt = strings.TrimPrefix(strings.TrimPrefix(alt, "./"), "/")
		if strings.HasSuffix(alt, "/") {
			alt += "**"
		}
		parts := strings.Split(alt, "/")
		if anywhere {
			parts = append([]string{"**"}, parts...)
		}
		for _, p := range parts {
			if _, err := path.Match(p, ""); err != nil {
				return nil, fmt.Errorf("glob %.100q: %w", pattern, err)
			}
		}
		g.alts = append(g.alts, parts)
	}
	return g, nil
}

// match matches a relative path.
func (g *glob) match(rel string) bool {
	if len(g.alts) == 0 {
		return true
	}
	names := strings.Split(filepath.ToSlash(rel), "/")
	for _, parts := range g.alts {
		if matchNames(parts, names) {
			return !g.not
		}
	}
	return g.not
}

// matchNames matches the names of a path. at[i] says whether the parts so far match
// the first i names, so that many ** cost no more than their number.
func matchNames(parts, names []string) bool {
	at := make([]bool, len(names)+1)
	at[0] = true
	for _, p := range parts {
		next := make([]bool, len(names)+1)
		reached := false
		for i := range at {
			if reached = reached || at[i]; p == "**" {
				next[i] = reached
			} else if at[i] && i < len(names) {
				next[i+1], _ = path.Match(p, names[i])
			}
		}
		at = next
	}
	return at[len(names)]
}

// braces writes out {a,b}; a brace without its other half is a character. It stops
// soon after maxAlternatives.
func braces(p string) []string {
	open := strings.IndexByte(p, '{')
	if open < 0 {
		return []string{p}
	}
	depth, from := 0, open+1
	var alts []string
	for i := open; i < len(p); i++ {
		switch p[i] {
		case '{':
			depth++
		case ',':
			if depth == 1 {
				alts, from = append(alts, p[from:i]), i+1
			}
		case '}':
			if depth--; depth > 0 {
				continue
			}
			var all []string
			for _, alt := range append(alts, p[from:i]) {
				for _, rest := range braces(alt + p[i+1:]) {
					all = append(all, p[:open]+rest)
				}
				if len(all) > maxAlternatives {
					break
				}
			}
			return all
		}
	}
	return []string{p}
}
