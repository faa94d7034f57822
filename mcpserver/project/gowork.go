package project

import (
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

var (
	goModuleLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^module\s+"?([^\s"]+)`) })
	goUseBlock   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^use\s*\(([^)]*)\)|^use\s+([^(\s]\S*)`) })
)

// goModules lists the directories of the modules of this project: those of a go.work,
// else the one of the go.mod. They are relative; those outside are left out.
func (p *Project) goModules() []string {
	if !p.has("go.work") {
		return []string{"."}
	}
	var dirs []string
	for _, m := range goUseBlock().FindAllSubmatch(p.read("go.work"), 1000) {
		for line := range strings.Lines(string(m[1]) + "\n" + string(m[2])) {
			line, _, _ = strings.Cut(line, "//")
			dir := strings.Trim(strings.TrimSpace(line), `"`)
			if dir == "" {
				continue
			}
			if dir = filepath.Clean(dir); filepath.IsLocal(dir) && p.has(filepath.Join(dir, "go.mod")) {
				dirs = append(dirs, dir)
			}
		}
	}
	if len(dirs) == 0 {
		return []string{"."}
	}
	return dirs
}

// goPackages are the package patterns for the go command: "./..." covers one module
// only.
func (p *Project) goPackages(path string) []string {
	if path == "" {
		var all []string
		for _, dir := range p.goModules() {
			all = append(all, strings.TrimSuffix("./"+filepath.ToSlash(dir), "/.")+"/...")
		}
		return all
	}
	path = strings.TrimSuffix(path, "/")
	if strings.HasSuffix(path, ".go") {
		path = filepath.Dir(path)
	}
	if path == "." || filepath.IsAbs(path) || strings.HasPrefix(path, "./") || strings.HasPrefix(path, "../") {
		return []string{path}
	}
	return []string{"./" + path}
}

// GoPackageDir maps packages of the modules here to their directories, relative to Dir;
// nil if there is no module.
func (p *Project) GoPackageDir() func(pkg string) string {
	modules := map[string]string{}
	for _, dir := range p.goModules() {
		if m := goModuleLine().FindSubmatch(p.read(filepath.Join(dir, "go.mod"))); m != nil {
			modules[string(m[1])] = dir
		}
	}
	if len(modules) == 0 {
		return nil
	}
	return func(pkg string) string {
		best, dir := "", ""
		for module, at := range modules {
			rest, ok := strings.CutPrefix(pkg, module)
			if ok && (rest == "" || rest[0] == '/') && len(module) > len(best) {
				best, dir = module, filepath.Join(at, rest)
			}
		}
		if dir == "." {
			return ""
		}
		return dir
	}
}
