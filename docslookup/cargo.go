package docslookup

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"ccdir/docslookup/scan"
	"ccdir/internal/disk/untrusted"
)

// cargoManifest is what is read of a Cargo.toml.
type cargoManifest struct {
	Package struct {
		Name        string `toml:"name"`
		Version     any    `toml:"version"` // or inherited
		Description any    `toml:"description"`
	} `toml:"package"`
	Lib struct {
		Name string `toml:"name"`
		Path string `toml:"path"`
	} `toml:"lib"`
	Dependencies map[string]any `toml:"dependencies"`
	Dev          map[string]any `toml:"dev-dependencies"`
	Build        map[string]any `toml:"build-dependencies"`
	Workspace    struct {
		Dependencies map[string]any `toml:"dependencies"`
	} `toml:"workspace"`
}

// rustModules are the crates of Cargo.lock as Cargo unpacked them (registry/src) or as they are
// vendored, and the standard library if its sources are installed.
func (l *Library) rustModules(ctx context.Context, dir string) (list []*module, notes []string) {
	at := above(dir, "Cargo.toml")
	if at == "" {
		return nil, nil
	}
	list = l.rustStd()
	top := above(dir, "Cargo.lock")
	data, err := untrusted.Read(filepath.Join(top, "Cargo.lock"), 32<<20)
	if top == "" || err != nil {
		return list, []string{"there is no Cargo.lock that can be read: `cargo generate-lockfile` makes it"}
	}
	direct := map[string]bool{}
	for _, file := range []string{filepath.Join(at, "Cargo.toml"), filepath.Join(top, "Cargo.toml")} {
		text, _ := untrusted.Read(file, maxManifest)
		var m cargoManifest
		_ = toml.Unmarshal(text, &m) // what can be read of it
		for _, names := range []map[string]any{m.Dependencies, m.Dev, m.Build, m.Workspace.Dependencies} {
			for name, d := range names {
				if t, ok := d.(map[string]any); ok {
					if renamed, ok := t["package"].(string); ok {
						name = renamed
					}
				}
				direct[name] = true
			}
		}
	}
	caches := l.cargoSources()
	missing, crates := 0, 0
	for _, p := range lockedPackages(data) {
		if p.Source == nil || ctx.Err() != nil { // of this workspace
			continue
		}
		crates++
		if m := crate(p.Name, p.Version, caches, filepath.Join(top, "vendor")); m != nil {
			m.direct = direct[p.Name]
			list = append(list, m)
		} else {
			missing++
		}
	}
	if missing > 0 && missing == crates {
		notes = append(notes, fmt.Sprintf("%d crates of Cargo.lock are not unpacked here: `cargo fetch` fetches them", missing))
	}
	return list, notes
}

// cargoSources are the directories into which Cargo unpacks crates.
func (l *Library) cargoSources() []string {
	home := l.env("CARGO_HOME")
	if !filepath.IsAbs(home) {
		home = filepath.Join(l.env("HOME"), ".cargo")
	}
	dirs, _ := filepath.Glob(filepath.Join(globPath(home), "registry", "src", "*")) // fails for bad patterns only
	return append(dirs, "/usr/share/cargo/registry")
}

// crate finds an unpacked crate; nil: it is not on this machine.
func crate(name, version string, caches []string, vendor string) *module {
	if !validCrate(name) || version == "" || strings.ContainsAny(version, "@#/\\ \x00") {
		return nil
	}
	var candidates []string
	for _, c := range caches {
		candidates = append(candidates, filepath.Join(c, name+"-"+version))
	}
	fixed := len(candidates)
	candidates = append(candidates, filepath.Join(vendor, name+"-"+version), filepath.Join(vendor, name))
	for i, dir := range candidates {
		if i >= fixed {
			dir = inside(filepath.Dir(vendor), dir)
		}
		if !isDir(dir) {
			continue
		}
		text, _ := untrusted.Read(filepath.Join(dir, "Cargo.toml"), maxManifest)
		var manifest cargoManifest
		_ = toml.Unmarshal(text, &manifest) // what can be read of it
		if v, ok := manifest.Package.Version.(string); ok && v != version {
			continue
		}
		lib := manifest.Lib.Name
		if lib == "" || !validCrate(lib) {
			lib = strings.ReplaceAll(name, "-", "_")
		}
		m := &module{ecosystem: ecoRust, name: name, version: version, dir: dir, fixed: i < fixed, scan: scanRust, enter: rustDirectory, want: rustFile, provides: []string{lib}}
		if manifest.Lib.Path != "" && filepath.IsLocal(manifest.Lib.Path) {
			m.info = path.Clean(filepath.ToSlash(manifest.Lib.Path))
		}
		return m
	}
	return nil
}

func validCrate(name string) bool {
	return name != "" && len(name) <= 64 && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
}

// rustStd are std, core and alloc of the toolchain with sources, the last one by name.
func (l *Library) rustStd() (list []*module) {
	home := l.env("RUSTUP_HOME")
	if !filepath.IsAbs(home) {
		home = filepath.Join(l.env("HOME"), ".rustup")
	}
	found, _ := filepath.Glob(filepath.Join(globPath(home), "toolchains", "*", "lib", "rustlib", "src", "rust", "library"))
	if len(found) == 0 {
		return nil
	}
	slices.Sort(found)
	library := found[len(found)-1]
	version, err := filepath.Rel(filepath.Join(home, "toolchains"), library)
	if version, _, _ = strings.Cut(filepath.ToSlash(version), "/"); err != nil || strings.ContainsAny(version, "@#") {
		return nil
	}
	for _, name := range []string{"std", "core", "alloc"} {
		if dir := filepath.Join(library, name); isDir(dir) {
			list = append(list, &module{ecosystem: ecoRust, name: name, version: version, dir: dir, direct: true, fixed: true, scan: scanRust, enter: rustDirectory, want: rustFile})
		}
	}
	return list
}

func rustDirectory(dir string) bool {
	switch base := path.Base(dir); base {
	case "tests", "benches", "examples", "target", "bin", "testdata":
		return false
	default:
		return dir == "." || !strings.HasPrefix(base, ".")
	}
}

func rustFile(name string) bool {
	return strings.HasSuffix(name, ".rs") && name != "build.rs" && path.Base(name) != "main.rs" || isDocument(name) && !strings.Contains(name, "/") || name == "Cargo.toml"
}

// scanRust reads a crate's public items and documents.
func scanRust(ctx context.Context, m *module, t *tree) (entries []scan.Entry) {
	lib := strings.ReplaceAll(m.name, "-", "_")
	if len(m.provides) > 0 {
		lib = m.provides[0]
	}
	root := "src/lib.rs"
	if m.info != "" {
		root = m.info
	}
	c := scan.NewCrate(lib)
	var documents []scan.Entry
	for _, f := range t.walk(ctx, m) {
		if ctx.Err() != nil {
			break
		}
		text := t.text(f.name)
		switch {
		case text == nil:
		case f.name == "Cargo.toml":
			var manifest cargoManifest
			_ = toml.Unmarshal(text, &manifest) // what can be read of it
			if d, ok := manifest.Package.Description.(string); ok {
				documents = append(documents, scan.Entry{Package: lib, Symbol: m.name, Kind: scan.KindPackage, Signature: "crate " + m.name + " " + m.version, Text: d, File: f.name, Line: 1, Source: "metadata"})
			}
		case !strings.HasSuffix(f.name, ".rs"):
			documents = append(documents, scan.Markdown(f.name, text)...)
		case f.name == root:
			c.Source(lib, f.name, text)
		default:
			if rel, ok := strings.CutPrefix(f.name, path.Dir(root)+"/"); ok || path.Dir(root) == "." {
				if !ok {
					rel = f.name
				}
				rel = strings.TrimSuffix(strings.TrimSuffix(rel, ".rs"), "/mod")
				c.Source(lib+"::"+strings.ReplaceAll(rel, "/", "::"), f.name, text)
			}
		}
	}
	return append(documents, c.Entries()...)
}
