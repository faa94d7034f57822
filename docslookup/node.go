package docslookup

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"ccdir/docslookup/scan"
	"ccdir/internal/disk/untrusted"
)

// maxNodePackages bounds the packages of one lock file that are looked at.
const maxNodePackages = 3000

// packageJSON are the members of a package.json that are read.
type packageJSON struct {
	Name                 string            `json:"name"`
	Version              string            `json:"version"`
	Description          string            `json:"description"`
	Dependencies         map[string]string `json:"dependencies"`
	DevDependencies      map[string]string `json:"devDependencies"`
	OptionalDependencies map[string]string `json:"optionalDependencies"`
	PeerDependencies     map[string]string `json:"peerDependencies"`
}

// parsePackage reads a package.json; fields of a wrong type are empty.
func parsePackage(data []byte) (p packageJSON) {
	var raw map[string]json.RawMessage
	if json.Unmarshal(data, &raw) != nil {
		return p
	}
	get := func(name string, to any) { _ = json.Unmarshal(raw[name], to) } // wrong type: empty
	get("name", &p.Name)
	get("version", &p.Version)
	get("description", &p.Description)
	get("dependencies", &p.Dependencies)
	get("devDependencies", &p.DevDependencies)
	get("optionalDependencies", &p.OptionalDependencies)
	get("peerDependencies", &p.PeerDependencies)
	return p
}

// nodeModules are the packages that package.json names and the lock file adds, as they
// are installed in node_modules. The installed version counts; one that differs from the lock
// file's is noted.
func (l *Library) nodeModules(ctx context.Context, dir string) (list []*module, notes []string) {
	at := above(dir, "package.json")
	if at == "" {
		return nil, nil
	}
	data, err := untrusted.Read(filepath.Join(at, "package.json"), maxManifest)
	if err != nil {
		return nil, []string{fmt.Sprintf("package.json cannot be read: %v", err)}
	}
	own := parsePackage(data)
	top := nodeTop(at)
	locked, lockFile := nodeLocked(top)
	direct := map[string]bool{}
	for _, names := range []map[string]string{own.Dependencies, own.DevDependencies, own.OptionalDependencies, own.PeerDependencies} {
		for name := range names {
			direct[name] = true
		}
	}
	all := make([]string, 0, len(direct)+len(locked))
	for name := range direct {
		all = append(all, name)
	}
	for name := range locked {
		if !direct[name] {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	for _, name := range slices.Clone(all) { // the types of a package, if somebody installed them
		if types := typesOf(name); !slices.Contains(all, types) {
			all = append(all, types)
		}
	}
	missing := 0
	kept := l.yarnKept(top)
	for _, name := range all[:min(len(all), maxNodePackages)] {
		if ctx.Err() != nil {
			break
		}
		m := nodePackage(name, at, top)
		if m == nil {
			m = kept.find(name, locked[name])
		}
		if m == nil {
			if direct[name] {
				missing++
			}
			continue
		}
		m.direct = direct[name] || direct[untyped(name)]
		if want := locked[name]; want != "" && want != m.version {
			m.note = fmt.Sprintf("%s: %s says %s, installed is %s", name, lockFile, want, m.version)
		}
		list = append(list, m)
	}
	if missing > 0 {
		note := fmt.Sprintf("%d packages of package.json are not installed in node_modules", missing)
		if kept != nil {
			note = fmt.Sprintf("%d packages of package.json are neither in node_modules nor among the archives of yarn (%s): `yarn install` fetches them", missing, strings.Join(kept.dirs, ", "))
		}
		notes = append(notes, note)
	}
	return list, notes
}

// nodeTop is the directory of the lock file and of node_modules: that of the workspace's root
// for a package of a workspace.
func nodeTop(at string) string {
	top := at
	for dir := at; ; dir = filepath.Dir(dir) {
		for _, n := range []string{"package-lock.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "node_modules"} {
			if _, err := os.Lstat(filepath.Join(dir, n)); err == nil {
				top = dir
			}
		}
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil || filepath.Dir(dir) == dir {
			return top
		}
	}
}

// typesOf is the package of types for one without its own; untyped is the opposite.
func typesOf(name string) string {
	if strings.HasPrefix(name, "@types/") {
		return name
	}
	return "@types/" + strings.ReplaceAll(strings.TrimPrefix(name, "@"), "/", "__")
}

func untyped(name string) string {
	plain, ok := strings.CutPrefix(name, "@types/")
	if scope, rest, found := strings.Cut(plain, "__"); ok && found {
		return "@" + scope + "/" + rest
	}
	return plain
}

// validNodeName reports whether a name may be a directory below node_modules.
func validNodeName(name string) bool {
	return name != "" && len(name) < 215 && filepath.IsLocal(name) && strings.Count(name, "/") <= 1 && !strings.ContainsAny(name, "\\\x00#") && !strings.HasPrefix(name, ".") &&
		(strings.Contains(name, "/") == strings.HasPrefix(name, "@"))
}

// nodePackage finds an installed package from the directory at up to top; nil: it is not
// there. A link (pnpm, workspaces) must lead to below top.
func nodePackage(name, at, top string) *module {
	if !validNodeName(name) {
		return nil
	}
	for dir := at; ; dir = filepath.Dir(dir) {
		real, err := filepath.EvalSymlinks(filepath.Join(dir, "node_modules", filepath.FromSlash(name)))
		if rel, relErr := filepath.Rel(top, real); err == nil && relErr == nil && filepath.IsLocal(rel) {
			data, err := untrusted.Read(filepath.Join(real, "package.json"), maxManifest)
			p := parsePackage(data)
			if err != nil || p.Version == "" || strings.ContainsAny(p.Version, "@# ") {
				return nil
			}
			return newNodeModule(name, p.Version, real)
		}
		if dir == top || filepath.Dir(dir) == dir {
			return nil
		}
	}
}

func newNodeModule(name, version, dir string) *module {
	m := &module{ecosystem: ecoNode, name: name, version: version, dir: dir, scan: scanNode, enter: nodeDirectory, want: nodeFile}
	if plain := untyped(name); plain != name {
		m.provides = []string{plain}
	}
	return m
}

func nodeDirectory(dir string) bool {
	switch base := path.Base(dir); base {
	case "node_modules", "test", "tests", "__tests__", "coverage", "vendor", "fixtures":
		return false
	default:
		return dir == "." || !strings.HasPrefix(base, ".")
	}
}

func nodeFile(name string) bool {
	if isTypes(name) {
		return true
	}
	return isDocument(name) && (!strings.Contains(name, "/") || strings.HasPrefix(name, "docs/") || strings.HasPrefix(name, "doc/")) || name == "package.json"
}

func isTypes(name string) bool {
	return strings.HasSuffix(name, ".d.ts") || strings.HasSuffix(name, ".d.mts") || strings.HasSuffix(name, ".d.cts")
}

// scanNode reads types and documents of a package. The same declaration in several files
// (for import and for require) is taken once.
func scanNode(ctx context.Context, m *module, t *tree) (entries []scan.Entry) {
	seen := map[string]bool{}
	for _, f := range t.walk(ctx, m) {
		if ctx.Err() != nil {
			return entries
		}
		text := t.text(f.name)
		var found []scan.Entry
		switch {
		case f.name == "package.json":
			if p := parsePackage(text); p.Description != "" {
				found = []scan.Entry{{Symbol: m.name, Kind: scan.KindPackage, Signature: "package " + m.name + "@" + m.version, Text: p.Description, File: f.name, Line: 1, Source: "metadata"}}
			}
		case isTypes(f.name):
			found = scan.TypeScript(f.name, text)
		default:
			found = scan.Markdown(f.name, text)
		}
		for _, e := range found {
			if e.Kind != scan.KindSection {
				e.Package = untyped(m.name)
				key := e.Symbol + "\x00" + e.Signature
				if seen[key] {
					continue
				}
				seen[key] = true
			}
			entries = append(entries, e)
		}
	}
	return entries
}
