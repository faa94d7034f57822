package project

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"ccdir/internal/disk/untrusted"
	"ccdir/internal/text/tomltext"
)

// goMain matches the package clause of a program, behind comments.
var goMain = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^package main\b`) })

// maxHead bounds the part of a source file that is searched for its package clause.
const maxHead = 16 << 10

// head is the beginning of a file below the project.
func (p *Project) head(name string) []byte {
	f, _, err := untrusted.Open(filepath.Join(p.Dir, name))
	if err != nil {
		return nil
	}
	defer f.Close()
	data, _ := io.ReadAll(io.LimitReader(f, maxHead)) // what can be read
	return data
}

// about fills in name, version, package manager, demanded toolchains and entry points.
func (p *Project) about(info *Info) {
	for _, kind := range p.Kinds {
		switch kind {
		case "go":
			p.aboutGo(info)
		case "node":
			p.aboutNode(info)
		case "python":
			p.aboutPython(info)
		case "rust":
			p.aboutRust(info)
		}
	}
	if info.Name == "" {
		info.Name = filepath.Base(p.Dir)
	}
	info.EntryPoints = info.EntryPoints[:min(len(info.EntryPoints), maxListed)]
}

func (i *Info) called(name, version string) {
	i.Name, i.Version = cmp.Or(i.Name, name), cmp.Or(i.Version, version)
}

func (i *Info) wants(what, version string) {
	if version = strings.TrimSpace(version); version != "" {
		i.Toolchain = append(i.Toolchain, "asks for "+what+" "+version)
	}
}

func (p *Project) aboutGo(info *Info) {
	mod := p.read("go.mod")
	if m := goModuleLine().FindSubmatch(mod); m != nil {
		info.called(string(m[1]), "")
	}
	for _, name := range []string{"go", "toolchain"} {
		for l := range bytes.Lines(mod) {
			if f := bytes.Fields(l); len(f) == 2 && string(f[0]) == name {
				info.wants(name, string(f[1]))
			}
		}
	}
}

func (p *Project) aboutNode(info *Info) {
	raw := map[string]json.RawMessage{}
	_ = json.Unmarshal(p.read("package.json"), &raw) // what can be read of it
	text := func(name string) (s string) {
		_ = json.Unmarshal(raw[name], &s)
		return s
	}
	info.called(text("name"), text("version"))
	info.PackageManager = cmp.Or(info.PackageManager, text("packageManager"), p.npm())
	var engines, bins map[string]string
	_ = json.Unmarshal(raw["engines"], &engines)
	for _, name := range slices.Sorted(maps.Keys(engines)) {
		info.wants(name, engines[name])
	}
	for _, file := range []string{".nvmrc", ".node-version"} {
		info.wants("node", string(p.read(file)))
	}
	if main := text("main"); main != "" {
		info.EntryPoints = append(info.EntryPoints, main)
	}
	if bin := text("bin"); bin != "" {
		info.EntryPoints = append(info.EntryPoints, bin)
	}
	_ = json.Unmarshal(raw["bin"], &bins)
	for _, name := range slices.Sorted(maps.Keys(bins)) {
		info.EntryPoints = append(info.EntryPoints, name+" = "+bins[name])
	}
}

func (p *Project) aboutPython(info *Info) {
	var doc struct {
		Project struct {
			Name, Version string
			Python        string            `toml:"requires-python"`
			Scripts       map[string]string `toml:"scripts"`
		} `toml:"project"`
		Tool struct {
			Poetry struct {
				Name, Version string
				Scripts       map[string]any
			}
		}
	}
	_ = tomltext.Unmarshal(string(p.read("pyproject.toml")), &doc) // what can be read of it
	info.called(cmp.Or(doc.Project.Name, doc.Tool.Poetry.Name), cmp.Or(doc.Project.Version, doc.Tool.Poetry.Version))
	info.wants("python", cmp.Or(doc.Project.Python, string(p.read(".python-version"))))
	for _, name := range slices.Sorted(maps.Keys(doc.Project.Scripts)) {
		info.EntryPoints = append(info.EntryPoints, name+" = "+doc.Project.Scripts[name])
	}
	manager := "pip"
	for _, lock := range [][2]string{{"uv.lock", "uv"}, {"poetry.lock", "poetry"}, {"pdm.lock", "pdm"}, {"Pipfile", "pipenv"}} {
		if p.has(lock[0]) {
			manager = lock[1]
			break
		}
	}
	info.PackageManager = cmp.Or(info.PackageManager, manager)
	for _, file := range []string{"__main__.py", "main.py", "manage.py", "app.py"} {
		if p.has(file) {
			info.EntryPoints = append(info.EntryPoints, file)
		}
	}
}

func (p *Project) aboutRust(info *Info) {
	var doc struct {
		Package struct {
			Name    string
			Version any
			Rust    any `toml:"rust-version"`
		}
		Bin []struct{ Name string }
	}
	_ = tomltext.Unmarshal(string(p.read("Cargo.toml")), &doc) // what can be read of it
	version, _ := doc.Package.Version.(string)                 // or inherited
	info.called(doc.Package.Name, version)
	rust, _ := doc.Package.Rust.(string)
	info.wants("rust", rust)
	var chain struct{ Toolchain struct{ Channel string } }
	_ = tomltext.Unmarshal(string(p.read("rust-toolchain.toml")), &chain)
	info.wants("rust", cmp.Or(chain.Toolchain.Channel, string(p.read("rust-toolchain"))))
	info.PackageManager = cmp.Or(info.PackageManager, "cargo")
	for _, b := range doc.Bin {
		info.EntryPoints = append(info.EntryPoints, b.Name)
	}
	if p.has("src/main.rs") {
		info.EntryPoints = append(info.EntryPoints, "src/main.rs")
	}
	list, _ := os.ReadDir(filepath.Join(p.Dir, "src", "bin")) // often there is none
	for _, e := range list {
		info.EntryPoints = append(info.EntryPoints, path.Join("src/bin", e.Name()))
	}
}

// Versions are the commands that print the versions of the installed toolchains, by what they
// are called. They install nothing.
func (p *Project) Versions() (list [][]string) {
	for _, kind := range p.Kinds {
		switch kind {
		case "go":
			list = append(list, []string{"env", "GOTOOLCHAIN=local", "go", "version"})
		case "node":
			list = append(list, []string{"node", "--version"})
		case "python":
			list = append(list, []string{p.venv("python", "python3"), "--version"})
		case "rust":
			list = append(list, []string{"env", "RUSTUP_AUTO_INSTALL=0", "cargo", "--version"})
		}
	}
	return list
}
