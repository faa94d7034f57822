package docslookup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"ccdir/api"
	"ccdir/docslookup/scan"
	"ccdir/internal/text/spelling"
)

// Ecosystems.
const (
	ecoGo      = "go"
	ecoNode    = "node"
	ecoPython  = "python"
	ecoRust    = "rust"
	ecoMan     = "man"
	ecoProject = "project"
)

var ecosystems = []string{ecoGo, ecoNode, ecoPython, ecoRust, ecoMan, ecoProject}

// module is one package of an ecosystem, as it is installed for a work tree.
type module struct {
	ecosystem, name, version string
	dir                      string // absolute
	// archive is the zip file that has the package, in the directory of its name in
	// node_modules; "": dir is one.
	archive string
	// direct: the work tree names it itself.
	direct bool
	// fixed: the package manager keeps this version's content unchanged in a cache of the
	// user. That of others is hashed.
	fixed bool
	// roots are the directories and files in dir where reading begins; nil: dir itself.
	roots []string
	// info is the file of metadata, if that is not found by its name alone.
	info string
	// enter and want select the directories and files that scan reads.
	enter, want func(name string) bool
	scan        func(ctx context.Context, m *module, t *tree) []scan.Entry
	// provides: what besides the name a question may call it.
	provides []string
	// note is a remark for answers that use the module.
	note string
}

// modules are what the work tree around the directory of a question uses, what is most likely
// asked first, with notes of what could not be read.
func (l *Library) modules(ctx context.Context, in api.DocsQuestion) (list []*module, notes []string) {
	for _, e := range []struct {
		name string
		find func(ctx context.Context, dir string) ([]*module, []string)
	}{{ecoProject, l.projectModules}, {ecoGo, l.goModules}, {ecoNode, l.nodeModules}, {ecoPython, l.pythonModules}, {ecoRust, l.rustModules}} {
		if in.Ecosystem == "" || in.Ecosystem == e.name {
			found, said := e.find(ctx, in.Dir)
			list, notes = append(list, found...), append(notes, said...)
		}
	}
	list = append(list, l.manModules(in)...)
	slices.SortStableFunc(list, func(a, b *module) int {
		switch {
		case a.direct == b.direct:
			return 0
		case a.direct:
			return -1
		}
		return 1
	})
	return list, notes
}

// inside is a directory without symbolic links, if it is in top; "": it leads out. A policy
// is asked about real paths.
func inside(top, dir string) string {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return ""
	}
	if top, err = filepath.EvalSymlinks(top); err != nil {
		return ""
	}
	if rel, err := filepath.Rel(top, real); err != nil || !filepath.IsLocal(rel) || !isDir(real) {
		return ""
	}
	return real
}

// above returns the nearest directory at or above dir that has one of the files, within
// the repository of dir; "": none.
func above(dir string, names ...string) string {
	for at := dir; ; at = filepath.Dir(at) {
		for _, n := range names {
			if _, err := os.Lstat(filepath.Join(at, n)); err == nil {
				return at
			}
		}
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil || filepath.Dir(at) == at {
			return ""
		}
	}
}

// pick selects the modules that a package's name means, and the import path in them, "" for
// all. A version other than the installed one is refused.
func pick(list []*module, name string) (picked []*module, pkg string, err error) {
	name, version := splitVersion(name)
	var others []string
	for _, m := range list {
		p, ok := m.named(name)
		if !ok {
			continue
		}
		if version != "" && !sameVersion(m.version, version) {
			others = append(others, m.name+"@"+m.version+" ("+m.ecosystem+")")
			continue
		}
		if len(picked) > 0 && pkg != p {
			continue // a longer name of another module
		}
		picked, pkg = append(picked, m), p
	}
	switch {
	case len(picked) > 0:
		return picked, pkg, nil
	case len(others) > 0:
		return nil, "", api.Errorf(api.CodeNotFound, "%s@%s is not what this work tree uses: installed is %s; ask without the version, or install the other one first", name, version, strings.Join(others, ", "))
	}
	var names []string
	for _, m := range list {
		names = append(names, m.name)
		names = append(names, lastElement(m.name))
	}
	hint := ""
	best := 1 + len(name)/4
	for _, n := range names {
		if d := spelling.Distance(name, n); d <= best {
			best, hint = d-1, "; did you mean "+n+"?"
		}
	}
	return nil, "", api.Errorf(api.CodeNotFound, "this work tree uses no package %q that is installed%s", name, hint)
}

// splitVersion takes NAME@VERSION apart; a scoped npm name begins with @.
func splitVersion(s string) (name, version string) {
	if i := strings.LastIndexByte(s, '@'); i > 0 {
		return s[:i], s[i+1:]
	}
	return s, ""
}

// sameVersion compares without a prefix "v", "go" or "=", and takes "18" for any 18.x.
func sameVersion(installed, asked string) bool {
	clean := func(v string) string { return strings.TrimLeft(v, "vgo=^~ ") }
	a, b := clean(installed), clean(asked)
	return a == b || strings.HasPrefix(a, b+".")
}

// named reports whether a question's name means the module, and which import path of it;
// "" is all of it.
func (m *module) named(name string) (pkg string, ok bool) {
	switch {
	case strings.EqualFold(name, m.name), slices.Contains(m.provides, name):
		return "", true
	case m.std():
		return name, m.fixed && isStdPath(m.dir, name) && (name == m.roots[0] || strings.HasPrefix(name, m.roots[0]+"/"))
	case m.ecosystem == ecoGo && strings.HasPrefix(name, m.name+"/"):
		return name, true
	case m.ecosystem == ecoPython && normalized(name) == normalized(m.name):
		return "", true
	case m.ecosystem == ecoPython || m.ecosystem == ecoRust:
		for _, p := range append([]string{m.name}, m.provides...) {
			if strings.HasPrefix(name, p+m.separator()) {
				return name, true
			}
		}
		return "", false
	}
	// The last elements of a name: cobra, spf13/cobra.
	short := m.name
	if e := lastElement(m.name); !strings.HasSuffix(short, e) {
		short = short[:strings.LastIndexByte(short, '/')] // the major version
	}
	return "", strings.HasSuffix(strings.ToLower(short), "/"+strings.ToLower(name))
}

// std reports whether the module is a part of Go's standard library.
func (m *module) std() bool { return m.ecosystem == ecoGo && strings.HasPrefix(m.name, goStd+"/") }

// separator is between the parts of a name.
func (m *module) separator() string {
	if m.ecosystem == ecoRust {
		return "::"
	}
	return "."
}

// base is the last element of the path by which programs import a package of the module.
func (m *module) base(pkg string) string {
	switch m.ecosystem {
	case ecoPython, ecoRust:
		if i := strings.LastIndex(pkg, m.separator()); i >= 0 {
			return pkg[i+len(m.separator()):]
		}
		return pkg
	}
	return lastElement(pkg)
}

// id names an entry of the module.
func (m *module) id(n int64) string {
	return fmt.Sprintf("%s:%s@%s#%d", m.ecosystem, m.name, m.version, n)
}

var idForm = regexp.MustCompile(`^([a-z]+):(.+)@([^@#]*)#([0-9]{1,9})$`)

var unsafeInName = regexp.MustCompile(`[^a-zA-Z0-9._-]+`)

// path is the module's index file.
func (l *Library) path(ctx context.Context, m *module) (string, error) {
	content := ""
	if !m.fixed {
		var err error
		if content, err = l.fingerprint(ctx, m); err != nil {
			return "", err
		}
	}
	h := sha256.Sum256(fmt.Appendf(nil, "%d\x00%s\x00%s\x00%s\x00%s", schemaVersion, m.ecosystem, m.name, m.version, content))
	name := strings.Trim(unsafeInName.ReplaceAllString(m.name+"@"+m.version, "_"), "_.")
	return filepath.Join(l.o.Dir, m.ecosystem, shortName(name)+"-"+hex.EncodeToString(h[:8])+".db"), nil
}

func shortName(s string) string { return s[max(0, len(s)-80):] }
