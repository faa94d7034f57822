package arch

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestTablesAreTrue: names in the tables exist, and every allowed import is used;
// otherwise the tables promise more than they check.
func TestTablesAreTrue(t *testing.T) {
	packages := map[string]goPackage{}
	for _, p := range load(t) {
		packages[local(p.ImportPath)] = p
	}
	exists := func(where, pattern string) {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(packages)), func(name string) bool { return matches(name, []string{pattern}) }) {
			t.Errorf("%s names %q, which is no package", where, pattern)
		}
	}
	for name, may := range allowed {
		exists("allowed", name)
		for _, pattern := range may {
			exists("allowed for "+name, pattern)
			used := func(p goPackage) bool {
				return slices.ContainsFunc(p.Imports, func(imp string) bool { return inModule(imp) && matches(local(imp), []string{pattern}) })
			}
			if pattern != "..." && !slices.ContainsFunc(below(packages, name), used) {
				t.Errorf("%s may import %s, and does not", name, pattern)
			}
		}
	}
	for _, name := range testOnly {
		exists("testOnly", name)
	}
	for _, name := range pure {
		exists("pure", name)
	}
	for _, b := range barred {
		for _, pattern := range append(slices.Clone(b.who), b.what...) {
			if inModulePattern(pattern) {
				exists("barred", pattern)
			}
		}
	}
}

// packageRow is a row of ARCHITECTURE.md's tables of packages.
var packageRow = regexp.MustCompile("(?m)^\\| `([a-z0-9_./-]+)` \\| (.*) \\|$")

// TestArchitectureNamesAll: ARCHITECTURE.md has one row for each package, with at most
// ten words, and no row without a package. The row of the module's root is main.go.
func TestArchitectureNamesAll(t *testing.T) {
	page, err := os.ReadFile("../../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]int{}
	for _, row := range packageRow.FindAllStringSubmatch(string(page), -1) {
		name := strings.TrimSuffix(row[1], "main.go")
		rows[name]++
		if words := strings.Fields(row[2]); len(words) > 10 {
			t.Errorf("ARCHITECTURE.md: the row of %s has %d words: at most ten", row[1], len(words))
		}
	}
	for _, p := range load(t) {
		name := local(p.ImportPath)
		if rows[name] != 1 {
			t.Errorf("ARCHITECTURE.md has %d rows for %q, want one: | `%s` | what it does |", rows[name], name, name)
		}
		delete(rows, name)
	}
	for name := range rows {
		t.Errorf("ARCHITECTURE.md has a row for %s, which is no package", name)
	}
}

// namedPath is a path below the repository's root, as pages name it.
var namedPath = regexp.MustCompile("`([a-z0-9_.-]+(?:/[a-zA-Z0-9_.-]+)+)`")

// TestPagesNameWhatExists: paths in the pages for contributors exist.
func TestPagesNameWhatExists(t *testing.T) {
	for _, name := range []string{"ARCHITECTURE.md", "CONTRIBUTING.md", "docs/decisions/README.md"} {
		page, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range namedPath.FindAllStringSubmatch(string(page), -1) {
			if _, err := os.Stat("../../" + m[1]); err != nil {
				t.Errorf("%s names %s, which does not exist", name, m[1])
			}
		}
	}
}

// below are the packages for which the entry of that name in allowed is the rule.
func below(packages map[string]goPackage, entry string) (list []goPackage) {
	for name, p := range packages {
		if name == entry || entry != "" && matches(name, []string{entry + "/..."}) {
			list = append(list, p)
		}
	}
	return list
}

// inModulePattern reports whether a pattern is one of this module: the others begin
// with the name of a host.
func inModulePattern(pattern string) bool {
	for i := range pattern {
		switch pattern[i] {
		case '.':
			return pattern == "..." // before the first slash
		case '/':
			return true
		}
	}
	return true
}
