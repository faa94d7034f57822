package arch

import (
	"bytes"
	"maps"
	"os"
	"path"
	"slices"
	"testing"
)

// TestTablesAreTrue: what the tables name exists, and what a package may import of
// the module is what it imports; else they say less than they seem to.
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

// TestArchitectureNamesAll: ARCHITECTURE.md says what each package is for, by its own
// name or that of the one above it.
func TestArchitectureNamesAll(t *testing.T) {
	page, err := os.ReadFile("../../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range load(t) {
		name := local(p.ImportPath)
		if above := path.Dir(name); name == "" || above != "internal" && above != "." && bytes.Contains(page, []byte("`"+above)) {
			continue
		}
		if !bytes.Contains(page, []byte(name)) {
			t.Errorf("ARCHITECTURE.md does not say what %s is for", name)
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
