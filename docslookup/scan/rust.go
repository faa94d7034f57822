package scan

import (
	"slices"
	"strings"
)

// Crate collects the public items of one crate.
type Crate struct {
	lib     string
	entries []Entry
	exports []export
	// public tells of each declared module whether its parent shows it.
	public map[string]bool
	// impls are the entries of impl blocks: their type may be declared in another module.
	impls []int
}

// NewCrate collects those of the library of that name.
func NewCrate(lib string) *Crate { return &Crate{lib: lib, public: map[string]bool{lib: true}} }

// Source reads the items of one source file of a module.
func (c *Crate) Source(module, name string, text []byte) {
	s := rustSource{crate: c, text: text, name: name, line: 1}
	at := len(c.entries)
	c.entries = append(c.entries, Entry{Package: module, Symbol: module[strings.LastIndexByte(module, ':')+1:], Kind: KindPackage, Signature: "mod " + module, File: name, Line: 1, Source: "source"})
	s.items(rustScope{module: module, entry: at}, 0)
	if c.entries[at].Text == "" && module != c.lib && len(c.entries) == at+1 {
		c.entries = c.entries[:at]
	}
}

// Entries gives every item the shortest path by which programs reach it, and drops what none
// leads to.
func (c *Crate) Entries() []Entry {
	types := map[string][]string{}
	for _, e := range c.entries {
		if e.Kind == KindType {
			types[e.Symbol] = append(types[e.Symbol], e.Package)
		}
	}
	for _, i := range c.impls {
		e := &c.entries[i]
		name, _, _ := strings.Cut(e.Symbol, "::")
		if at := types[name]; len(at) == 1 && !slices.Contains(at, e.Package) {
			e.Package = at[0]
		}
	}
	apply(c.entries, c.exports, "::", c.hidden)
	kept := c.entries[:0]
	for _, e := range c.entries {
		if !c.hidden(e.Package) {
			kept = append(kept, e)
		}
	}
	return kept
}

// hidden reports whether a module or one above it is private.
func (c *Crate) hidden(module string) bool {
	for m := module; m != c.lib && m != ""; {
		if shown, declared := c.public[m]; declared && !shown {
			return true
		}
		i := strings.LastIndex(m, "::")
		if i < 0 {
			break
		}
		m = m[:i]
	}
	return false
}

// uses notes the names of "pub use".
func (s *rustSource) uses(module, tree string) {
	var expand func(prefix []string, tree string, depth int)
	expand = func(prefix []string, tree string, depth int) {
		tree = strings.TrimSpace(strings.TrimRight(strings.TrimSpace(tree), ";"))
		if open := strings.IndexByte(tree, '{'); open >= 0 && depth < 8 {
			inner := tree[open+1 : max(open+1, strings.LastIndexByte(tree, '}'))]
			prefix = append(slices.Clone(prefix), pathOf(tree[:open])...)
			level, from := 0, 0
			for i := 0; i <= len(inner); i++ {
				if i == len(inner) || inner[i] == ',' && level == 0 {
					expand(prefix, inner[from:i], depth+1)
					from = i + 1
				} else if inner[i] == '{' {
					level++
				} else if inner[i] == '}' {
					level--
				}
			}
			return
		}
		name, as, _ := strings.Cut(tree, " as ")
		path := append(slices.Clone(prefix), pathOf(name)...)
		if len(path) < 1 {
			return
		}
		last := path[len(path)-1]
		from := s.resolve(module, path[:len(path)-1])
		if as = strings.TrimSpace(as); as == "" {
			as = last
		}
		if last != "self" && as != "_" {
			s.crate.exports = append(s.crate.exports, export{module, from, last, as})
		}
	}
	expand(nil, tree, 0)
}

func pathOf(text string) (path []string) {
	for part := range strings.SplitSeq(text, "::") {
		if part = strings.TrimSpace(part); part != "" {
			path = append(path, part)
		}
	}
	return path
}

// resolve is the module that a path means; one that begins with a name is relative.
func (s *rustSource) resolve(module string, path []string) string {
	at := module
	for i, p := range path {
		switch {
		case i == 0 && (p == "crate" || p == "$crate" || p == s.crate.lib):
			at = s.crate.lib
		case p == "self":
		case p == "super":
			at = at[:max(strings.LastIndex(at, "::"), 0)]
		default:
			at += "::" + p
		}
	}
	return at
}
