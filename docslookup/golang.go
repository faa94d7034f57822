package docslookup

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"ccdir/docslookup/scan"
	"ccdir/internal/contain"
	"ccdir/internal/disk/untrusted"
)

// goStd is the name of the standard library among modules.
const goStd = "std"

// maxManifest bounds go.mod, package.json and their like, in bytes.
const maxManifest = 4 << 20

// goModules are the modules that go.mod, go.work or vendor/modules.txt select. From Go 1.17
// on go.mod names every module that the packages of its module need, in the selected
// versions, so no go command has to run in a directory that an agent controls.
func (l *Library) goModules(_ context.Context, dir string) (list []*module, notes []string) {
	at := above(dir, "go.mod")
	work := above(dir, "go.work")
	if l.env("GOWORK") == "off" {
		work = ""
	}
	if at == "" && work == "" {
		return nil, nil
	}
	var wanted goMod
	for _, file := range l.goModFiles(at, work) {
		data, err := untrusted.Read(file, maxManifest)
		if err != nil {
			notes = append(notes, fmt.Sprintf("%s cannot be read: %v", file, err))
			continue
		}
		wanted.add(parseGoMod(data), filepath.Dir(file))
	}
	if std := l.goRoot(wanted); std != "" {
		list = append(list, goStdParts(std)...)
	} else {
		notes = append(notes, "no Go toolchain was found (GOROOT, PATH): its standard library is left out")
	}
	cache := l.goModCache()
	missing := 0
	for _, r := range wanted.requires {
		m := l.goInstalled(r, wanted.replaces, cache, filepath.Join(at, "vendor"))
		if m == nil {
			missing++
			continue
		}
		list = append(list, m)
	}
	if missing > 0 && missing == len(wanted.requires) {
		notes = append(notes, fmt.Sprintf("%d modules of go.mod are not in the module cache: `go mod download` fetches them", missing))
	}
	return list, notes
}

// goModFiles are the go.mod files that count, and the go.work file above them.
func (l *Library) goModFiles(at, work string) (files []string) {
	if work == "" {
		return []string{filepath.Join(at, "go.mod")}
	}
	file := filepath.Join(work, "go.work")
	files = append(files, file)
	data, err := untrusted.Read(file, maxManifest)
	if err != nil {
		return files
	}
	for _, use := range parseGoMod(data).uses {
		if filepath.IsLocal(use) {
			files = append(files, filepath.Join(work, use, "go.mod"))
		}
	}
	if at != "" && !slices.Contains(files, filepath.Join(at, "go.mod")) {
		files = append(files, filepath.Join(at, "go.mod"))
	}
	return files
}

// goInstalled finds a required module on this machine; nil: it is not installed.
func (l *Library) goInstalled(r goRequire, replaces []goReplace, cache, vendor string) *module {
	path, version, fixed := r.path, r.version, true
	dir := ""
	for _, p := range replaces {
		if p.path != r.path || p.version != "" && p.version != r.version {
			continue
		}
		if p.to.version != "" {
			path, version = p.to.path, p.to.version
			break
		}
		if !filepath.IsLocal(p.to.path) {
			return nil // outside the module: not ours to read
		}
		dir, fixed = inside(p.dir, filepath.Join(p.dir, p.to.path)), false
		if dir == "" {
			return nil
		}
	}
	if dir == "" {
		dir = filepath.Join(cache, filepath.FromSlash(escapeModule(path))+"@"+escapeModule(version))
	}
	if !isDir(dir) {
		if dir, fixed = inside(filepath.Dir(vendor), filepath.Join(vendor, filepath.FromSlash(r.path))), false; dir == "" {
			return nil
		}
	}
	return goModule(r.path, version, dir, !r.indirect, fixed)
}

func goModule(name, version, dir string, direct, fixed bool) *module {
	m := &module{ecosystem: ecoGo, name: name, version: version, dir: dir, direct: direct, fixed: fixed, scan: scanGo}
	m.enter = func(dir string) bool { return goDirectory(name, dir) }
	m.want = func(file string) bool { return goFile(file) || !strings.Contains(file, "/") && isDocument(file) }
	return m
}

// goStdParts are the folders of the standard library, each with an index of its own, so that
// a question about one does not wait for the others.
func goStdParts(root string) (parts []*module) {
	src, version := filepath.Join(root, "src"), goVersion(root)
	list, _ := os.ReadDir(src) // it was there a moment ago
	for _, e := range list {
		if name := e.Name(); e.IsDir() && goDirectory(goStd, name) {
			m := goModule(goStd+"/"+name, version, src, true, true)
			m.roots, m.provides = []string{name}, []string{goStd}
			parts = append(parts, m)
		}
	}
	return parts
}

func isDir(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// escapeModule writes a path as the module cache does: "!" and a lower-case letter for an
// upper-case one.
func escapeModule(path string) string {
	var b strings.Builder
	for _, r := range path {
		if unicode.IsUpper(r) {
			b.WriteByte('!')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// goModCache is the module cache: GOMODCACHE, or pkg/mod in the first GOPATH.
func (l *Library) goModCache() string {
	for _, dir := range []string{l.env("GOMODCACHE"), l.goEnvFile("GOMODCACHE")} {
		if filepath.IsAbs(dir) {
			return dir
		}
	}
	for _, list := range []string{l.env("GOPATH"), l.goEnvFile("GOPATH")} {
		if first, _, _ := strings.Cut(list, string(filepath.ListSeparator)); filepath.IsAbs(first) {
			return filepath.Join(first, "pkg", "mod")
		}
	}
	return filepath.Join(l.env("HOME"), "go", "pkg", "mod")
}

// goEnvFile is a variable in the file that `go env -w` writes.
func (l *Library) goEnvFile(name string) string {
	base := l.env("XDG_CONFIG_HOME")
	if runtime.GOOS == "darwin" {
		base = filepath.Join(l.env("HOME"), "Library", "Application Support")
	} else if base == "" {
		base = filepath.Join(l.env("HOME"), ".config")
	}
	data, _ := untrusted.Read(filepath.Join(base, "go", "env"), 1<<20)
	for line := range strings.Lines(string(data)) {
		if v, ok := strings.CutPrefix(strings.TrimSpace(line), name+"="); ok {
			return v
		}
	}
	return ""
}

// goRoot is the toolchain that builds the work tree: the one that go.mod asks for, if it was
// downloaded into the module cache, else the installed one.
func (l *Library) goRoot(wanted goMod) string {
	installed := l.goInstalledRoot()
	need := strings.TrimPrefix(wanted.toolchain, "go")
	if need == "" || need == "default" || goNewer(wanted.goVersion, need) {
		need = wanted.goVersion
	}
	if need != "" && (installed == "" || goNewer(need, strings.TrimPrefix(goVersion(installed), "go"))) {
		dir := filepath.Join(l.goModCache(), "golang.org", "toolchain@v0.0.1-go"+need+"."+runtime.GOOS+"-"+runtime.GOARCH)
		if isDir(filepath.Join(dir, "src")) {
			return dir
		}
	}
	return installed
}

func (l *Library) goInstalledRoot() string {
	candidates := []string{l.env("GOROOT"), l.goEnvFile("GOROOT")}
	for _, dir := range filepath.SplitList(l.env("PATH")) {
		if real, err := filepath.EvalSymlinks(filepath.Join(dir, "go")); err == nil && filepath.IsAbs(dir) {
			candidates = append(candidates, filepath.Dir(filepath.Dir(real)))
		}
	}
	candidates = append(candidates, "/usr/local/go", "/usr/lib/go", "/opt/homebrew/opt/go/libexec", "/usr/local/opt/go/libexec")
	for _, dir := range candidates {
		if dir != "" && isDir(filepath.Join(dir, "src", "fmt")) {
			return dir
		}
	}
	return ""
}

// goVersion is the version of a toolchain, from its file VERSION.
func goVersion(root string) string {
	data, _ := untrusted.Read(filepath.Join(root, "VERSION"), 1<<10)
	line, _, _ := bytes.Cut(data, []byte("\n"))
	if version := strings.TrimSpace(string(line)); version != "" && !strings.ContainsAny(version, "@#") {
		return version
	}
	return "devel"
}

// goNewer compares versions such as 1.26 and 1.26.3.
func goNewer(a, b string) bool {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(x), len(y)) {
		n, m := 0, 0
		if i < len(x) {
			n, _ = strconv.Atoi(x[i])
		}
		if i < len(y) {
			m, _ = strconv.Atoi(y[i])
		}
		if n != m {
			return n > m
		}
	}
	return false
}

// isStdPath reports whether a name is an import path of the standard library, which lies in
// src.
func isStdPath(src, name string) bool {
	return name != "" && filepath.IsLocal(name) && !strings.HasPrefix(name, "cmd") && goDirectory(goStd, name) && isDir(filepath.Join(src, filepath.FromSlash(name)))
}

// goDirectory reports whether a directory of a module may have importable packages.
func goDirectory(module, dir string) bool {
	for part := range strings.SplitSeq(dir, "/") {
		if part == "testdata" || part == "internal" || part == "vendor" || part == "node_modules" || part != "." && strings.HasPrefix(part, ".") || strings.HasPrefix(part, "_") {
			return false
		}
	}
	return module != goStd || dir != "cmd" && dir != "builtin/internal"
}

// goFile selects the sources of packages, and of tests those that hold examples.
func goFile(name string) bool {
	base := path.Base(name)
	return strings.HasSuffix(base, ".go") && !strings.HasPrefix(base, ".") && !strings.HasPrefix(base, "_") &&
		(!strings.HasSuffix(base, "_test.go") || strings.HasPrefix(base, "example"))
}

// scanGo reads the packages of a module by go/doc, some at a time, in a fixed order.
func scanGo(ctx context.Context, m *module, t *tree) []scan.Entry {
	files := t.walk(ctx, m)
	byDir := map[string][]string{}
	var documents []found
	for _, f := range files {
		if goFile(f.name) {
			byDir[path.Dir(f.name)] = append(byDir[path.Dir(f.name)], f.name)
		} else {
			documents = append(documents, f)
		}
	}
	var dirs []string
	for dir, names := range byDir {
		// A directory with its own go.mod is another module.
		if m.std() || !nestedModule(t, dir) {
			dirs = append(dirs, dir)
		}
		slices.Sort(names)
	}
	slices.Sort(dirs)
	type source struct {
		at    int
		texts map[string][]byte
	}
	results := make([][]scan.Entry, len(dirs))
	work := make(chan source)
	var wg contain.Group
	for range min(4, runtime.NumCPU()) {
		wg.Go(func() {
			for s := range work {
				pkg := m.name
				if m.std() {
					pkg = dirs[s.at]
				} else if dirs[s.at] != "." {
					pkg = m.name + "/" + dirs[s.at]
				}
				contain.Run(nil, func() { results[s.at] = scan.GoPackage(pkg, s.texts) })
			}
		})
	}
	for i, dir := range dirs {
		if ctx.Err() != nil {
			break
		}
		texts := map[string][]byte{}
		for _, name := range byDir[dir] {
			if text := t.text(name); text != nil && scan.GoBuilds(name, text) {
				texts[name] = text
			}
		}
		work <- source{i, texts}
	}
	close(work)
	wg.Wait()
	entries := slices.Concat(results...)
	for _, f := range documents {
		entries = append(entries, scan.Markdown(f.name, t.text(f.name))...)
	}
	return entries
}

func nestedModule(t *tree, dir string) bool {
	for ; dir != "." && dir != "/"; dir = path.Dir(dir) {
		if t.has(path.Join(dir, "go.mod")) {
			return true
		}
	}
	return false
}
