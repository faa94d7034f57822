package scan

import (
	"cmp"
	"slices"
	"strings"
)

// export says that a package offers a name of another one as its own: "from .core import
// Command" in Python, "pub use" in Rust. The name "*" is all.
type export struct{ at, from, name, as string }

// maxExports bounds those of one module.
const maxExports = 20000

// apply renames entries to the shortest path by which programs reach them. A name that is
// offered at a path of the same length keeps its own, unless private holds for that.
func apply(entries []Entry, exports []export, sep string, private func(pkg string) bool) {
	depth := func(pkg string) int { return strings.Count(pkg, sep) }
	exports = exports[:min(len(exports), maxExports)]
	// What is deep is moved first, so that it can be moved on.
	slices.SortStableFunc(exports, func(a, b export) int { return cmp.Compare(depth(b.at), depth(a.at)) })
	top := func(symbol string) string { first, _, _ := strings.Cut(symbol, sep); return first }
	type key struct{ pkg, name string }
	at := map[string]map[string][]int{}
	put := func(k key, list ...int) {
		if at[k.pkg] == nil {
			at[k.pkg] = map[string][]int{}
		}
		at[k.pkg][k.name] = append(at[k.pkg][k.name], list...)
	}
	for i, e := range entries {
		if e.Kind != KindSection && e.Kind != KindPackage {
			put(key{e.Package, top(e.Symbol)}, i)
		}
	}
	move := func(x export, name, as string) {
		list := at[x.from][name]
		if len(list) == 0 {
			return
		}
		for _, i := range list {
			entries[i].Package = x.at
			if as != name {
				entries[i].Symbol = as + strings.TrimPrefix(entries[i].Symbol, name)
			}
		}
		delete(at[x.from], name)
		put(key{x.at, as}, list...)
	}
	for _, x := range exports {
		if depth(x.at) >= depth(x.from) && !private(x.from) || x.at == x.from {
			continue
		}
		if x.name != "*" {
			move(x, x.name, x.as)
			continue
		}
		names := make([]string, 0, len(at[x.from]))
		for name := range at[x.from] {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			if !strings.HasPrefix(name, "_") {
				move(x, name, name)
			}
		}
	}
}
