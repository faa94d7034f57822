package scan

import (
	"slices"
	"strings"
)

// Bounds of what classes have from others.
const (
	maxInherited = 10000 // entries of one package
	maxAncestors = 40    // of one class
)

// pyKin is a class with what it is derived from.
type pyKin struct {
	pkg, symbol string
	bases       []string // as they are written
	// imported are the names that the class's module takes from others, with where from.
	imported map[string]string
}

// baseNames are the classes in the header of a class: "class A(b.C, Generic[T], metaclass=M)".
func baseNames(header string) (names []string) {
	_, list, ok := strings.Cut(header, "(")
	if !ok {
		return nil
	}
	depth, start := 0, 0
	for i, c := range list {
		switch c {
		case '[', '(', '{':
			depth++
			continue
		case ']', '}':
			depth--
			continue
		case ')':
			depth--
		case ',':
		default:
			continue
		}
		if depth > 0 || depth == 0 && c == ')' {
			continue
		}
		name, _, _ := strings.Cut(list[start:i], "[")
		if name = strings.TrimSpace(name); name != "" && !strings.ContainsAny(name, "=(*") && len(names) < maxAncestors {
			names = append(names, name)
		}
		start = i + 1
		if depth < 0 {
			break
		}
	}
	return names
}

// inherit adds to each class what it has from classes of the same package, by name: documented
// methods and attributes, and the documentation of those that it defines without any.
func inherit(entries []Entry, kin []pyKin) []Entry {
	h := heritage{kin: kin, named: map[string][]int{}, members: map[string][]int{}, own: map[string]int{}}
	for i, k := range kin {
		name := lastPart(k.symbol)
		h.named[name] = append(h.named[name], i)
	}
	for i, e := range entries {
		if cut := strings.LastIndexByte(e.Symbol, '.'); cut > 0 && (e.Kind == KindMethod || e.Kind == KindField) {
			class := e.Package + "\x00" + e.Symbol[:cut]
			h.members[class] = append(h.members[class], i)
			h.own[class+"."+e.Symbol[cut+1:]] = i
		}
	}
	added := 0
	for i, k := range kin {
		class := k.pkg + "\x00" + k.symbol
		for _, a := range h.ancestors(i) {
			from := kin[a]
			for _, m := range h.members[from.pkg+"\x00"+from.symbol] {
				e := entries[m]
				name := lastPart(e.Symbol)
				if e.Text == "" || strings.HasPrefix(name, "_") {
					continue
				}
				if at, ok := h.own[class+"."+name]; ok {
					if entries[at].Text == "" {
						entries[at].Text = e.Text
					}
					continue
				}
				if added == maxInherited {
					return entries
				}
				added++
				h.own[class+"."+name] = len(entries)
				e.Package, e.Symbol, e.Kind = k.pkg, k.symbol+"."+name, KindInherited
				entries = append(entries, e)
			}
		}
	}
	return entries
}

// heritage finds the classes that a class is derived from.
type heritage struct {
	kin     []pyKin
	named   map[string][]int // classes by the last part of their names
	members map[string][]int // entries by class
	own     map[string]int   // entries by class and name
}

// ancestors are the classes that one is derived from, the nearest first.
func (h *heritage) ancestors(class int) (list []int) {
	seen := []int{class}
	for at := 0; at < len(seen) && len(seen) <= maxAncestors; at++ {
		for _, base := range h.kin[seen[at]].bases {
			if i := h.find(h.kin[seen[at]], base); i >= 0 && !slices.Contains(seen, i) {
				seen = append(seen, i)
			}
		}
	}
	return seen[1:]
}

// find is the class of a name in a module: one of the module itself, or one that it imports; -1:
// none. A name that comes by way of another module of the package must be the only one.
func (h *heritage) find(in pyKin, base string) int {
	for _, i := range h.named[lastPart(base)] {
		if c := h.kin[i]; c.pkg == in.pkg && c.symbol == base {
			return i
		}
	}
	first, rest, _ := strings.Cut(base, ".")
	whole := in.imported[first]
	if whole == "" {
		return -1
	}
	if rest != "" {
		whole += "." + rest
	}
	all := h.named[lastPart(whole)]
	for _, i := range all {
		if c := h.kin[i]; c.pkg+"."+c.symbol == whole {
			return i
		}
	}
	if len(all) == 1 && firstPart(h.kin[all[0]].pkg) == firstPart(whole) {
		return all[0]
	}
	return -1
}

func firstPart(name string) string { first, _, _ := strings.Cut(name, "."); return first }

func lastPart(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }
