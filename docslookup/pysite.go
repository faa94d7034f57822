package docslookup

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net/textproto"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"ccdir/internal/disk/untrusted"
)

// pyStd is the name of Python's standard library among modules.
const pyStd = "python"

// maxDistributions bounds the packages of one environment.
const maxDistributions = 1500

// pythonFiles tell that a directory is a Python project.
var pythonFiles = []string{"pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile", ".venv", "venv"}

// pythonModules are the packages in the environment of the project: .venv or venv in it, else
// the installation of the first python3 in PATH. They are read, never imported.
func (l *Library) pythonModules(ctx context.Context, dir string) (list []*module, notes []string) {
	at := above(dir, pythonFiles...)
	if at == "" {
		return nil, nil
	}
	sites, std, version := l.pythonSites(at)
	direct := pythonWants(at)
	locked := pythonLocked(at)
	seen := map[string]bool{}
	for _, site := range sites {
		names, err := os.ReadDir(site)
		if err != nil {
			notes = append(notes, fmt.Sprintf("%s cannot be read: %v", site, err))
			continue
		}
		for _, n := range names {
			if ctx.Err() != nil || len(list) == maxDistributions {
				break
			}
			m := l.distribution(site, n.Name())
			if m == nil || seen[normalized(m.name)] {
				continue
			}
			key := normalized(m.name)
			seen[key] = true
			m.direct = direct[key]
			if want := locked[key]; want != "" && want != m.version {
				m.note = fmt.Sprintf("%s: the lock file says %s, installed is %s", m.name, want, m.version)
			}
			list = append(list, m)
		}
	}
	missing := 0
	for name := range direct {
		if !seen[name] {
			missing++
		}
	}
	switch {
	case len(sites) == 0:
		notes = append(notes, "no Python environment was found (.venv, venv, python3 in PATH)")
	case missing > 0:
		notes = append(notes, fmt.Sprintf("%d packages that the project names are not installed in %s", missing, sites[0]))
	}
	if std != "" {
		m := &module{ecosystem: ecoPython, name: pyStd, version: version, dir: std, direct: true, scan: scanPython, want: pythonFile}
		m.enter = func(name string) bool { return pythonDirectory(name) && !pyStdSkips[name] }
		m.provides = pyStdNames(std)
		list = append(list, m)
	}
	return list, notes
}

// pyStdSkips are directories of an installation that are no library for programs.
var pyStdSkips = map[string]bool{"site-packages": true, "dist-packages": true, "idlelib": true, "lib2to3": true, "turtledemo": true, "ensurepip": true,
	"lib-dynload": true, "pydoc_data": true, "distutils": true}

// pyStdNames are the import names of the standard library.
func pyStdNames(dir string) (names []string) {
	list, _ := os.ReadDir(dir) // unreadable: no names
	for _, e := range list {
		name := strings.TrimSuffix(e.Name(), ".py")
		if !strings.HasPrefix(name, "_") && (e.IsDir() && pythonDirectory(name) && !pyStdSkips[name] || name != e.Name()) {
			names = append(names, name)
		}
	}
	return names
}

// pythonSites returns the directories of installed packages, and the standard library with its
// version.
func (l *Library) pythonSites(at string) (sites []string, std, version string) {
	for _, name := range []string{".venv", "venv", "env"} {
		env := filepath.Join(at, name)
		config, err := untrusted.Read(filepath.Join(env, "pyvenv.cfg"), 64<<10)
		if err != nil || !isDir(env) {
			continue
		}
		settings := iniValues(config)
		for _, dir := range pythonLibraries(env) {
			if dir = inside(at, dir); dir != "" {
				sites = append(sites, dir)
			}
		}
		home := settings["home"]
		if !filepath.IsAbs(home) {
			return sites, "", ""
		}
		prefix := filepath.Dir(home)
		std, version = pythonStd(prefix, settings["version"]+settings["version_info"])
		if strings.EqualFold(settings["include-system-site-packages"], "true") {
			sites = append(sites, pythonLibraries(prefix)...)
		}
		return sites, std, version
	}
	prefix := l.pythonPrefix(at)
	if prefix == "" {
		return nil, "", ""
	}
	std, version = pythonStd(prefix, "")
	return pythonLibraries(prefix), std, version
}

// iniValues are the lines NAME = VALUE of a file.
func iniValues(data []byte) map[string]string {
	values := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if name, value, ok := strings.Cut(line, "="); ok {
			values[strings.ToLower(strings.TrimSpace(name))] = strings.TrimSpace(value)
		}
	}
	return values
}

// pythonLibraries are the directories of packages below a prefix.
func pythonLibraries(prefix string) (dirs []string) {
	for _, pattern := range []string{"lib/python3*/site-packages", "lib/python3*/dist-packages", "local/lib/python3*/dist-packages", "Lib/site-packages"} {
		found, _ := filepath.Glob(filepath.Join(globPath(prefix), pattern)) // fails for bad patterns only
		slices.Sort(found)
		slices.Reverse(found) // the newest first
		for _, dir := range found {
			if isDir(dir) {
				dirs = append(dirs, dir)
			}
		}
	}
	return dirs
}

func globPath(path string) string {
	return strings.NewReplacer(`\`, `\\`, "[", `\[`, "*", `\*`, "?", `\?`).Replace(path)
}

var pythonVersion = regexp.MustCompile(`^3\.\d+(\.\d+)?[a-z0-9.+]*$`)

// pythonStd is the standard library below a prefix.
func pythonStd(prefix, version string) (dir, found string) {
	list, _ := filepath.Glob(filepath.Join(globPath(prefix), "lib/python3.*/os.py"))
	slices.SortFunc(list, func(a, b string) int {
		if goNewer(strings.TrimPrefix(path.Base(path.Dir(a)), "python"), strings.TrimPrefix(path.Base(path.Dir(b)), "python")) {
			return -1
		}
		return 1
	})
	for _, file := range list {
		dir := filepath.Dir(file)
		short := strings.TrimPrefix(filepath.Base(dir), "python")
		if version == "" {
			version = filepath.Base(prefix) // pyenv's directory
		}
		if !pythonVersion.MatchString(version) {
			version = short
		}
		if real, err := filepath.EvalSymlinks(dir); err == nil && strings.HasPrefix(version+".", short+".") {
			return real, version
		}
	}
	return "", ""
}

// pythonPrefix is the installation of the first python3 in PATH; what pyenv puts there is a
// script that chooses by files.
func (l *Library) pythonPrefix(at string) string {
	for _, dir := range filepath.SplitList(l.env("PATH")) {
		real, err := filepath.EvalSymlinks(filepath.Join(dir, "python3"))
		if err != nil || !filepath.IsAbs(dir) {
			continue
		}
		if filepath.Base(filepath.Dir(real)) != "shims" {
			return filepath.Dir(filepath.Dir(real))
		}
		root := filepath.Dir(filepath.Dir(real))
		for _, file := range []string{filepath.Join(at, ".python-version"), filepath.Join(root, "version")} {
			data, _ := untrusted.Read(file, 1<<10)
			for _, name := range strings.Fields(string(data)) {
				if prefix := filepath.Join(root, "versions", name); pythonVersion.MatchString(name) && isDir(prefix) {
					return prefix
				}
			}
		}
	}
	return ""
}

// normalized is a distribution's name as package indexes compare it.
func normalized(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '-' || r == '_' || r == '.' }), "-")
}

// requirement is the name at the beginning of a requirement such as requests[socks]>=2.
var requirement = regexp.MustCompile(`^\s*([A-Za-z0-9][A-Za-z0-9._-]*)`)

// pythonWants are the normalized names of the packages that the project names itself.
func pythonWants(at string) map[string]bool {
	wants := map[string]bool{}
	add := func(list ...string) {
		for _, r := range list {
			if found := requirement.FindStringSubmatch(r); found != nil && found[1] != "python" {
				wants[normalized(found[1])] = true
			}
		}
	}
	files, _ := filepath.Glob(filepath.Join(globPath(at), "requirements*.txt"))
	for _, file := range files[:min(len(files), 20)] {
		data, _ := untrusted.Read(file, maxManifest)
		for line := range strings.Lines(string(data)) {
			if line, _, _ = strings.Cut(line, "#"); !strings.HasPrefix(line, "-") {
				add(line)
			}
		}
	}
	data, _ := untrusted.Read(filepath.Join(at, "pyproject.toml"), maxManifest)
	var p struct {
		Project struct {
			Dependencies []string            `toml:"dependencies"`
			Optional     map[string][]string `toml:"optional-dependencies"`
		} `toml:"project"`
		Groups map[string][]any `toml:"dependency-groups"`
		Tool   struct {
			Poetry struct {
				Dependencies map[string]any `toml:"dependencies"`
				Dev          map[string]any `toml:"dev-dependencies"`
				Group        map[string]struct {
					Dependencies map[string]any `toml:"dependencies"`
				} `toml:"group"`
			} `toml:"poetry"`
		} `toml:"tool"`
	}
	_ = toml.Unmarshal(data, &p) // what can be read of it
	add(p.Project.Dependencies...)
	for _, list := range p.Project.Optional {
		add(list...)
	}
	for _, list := range p.Groups {
		for _, r := range list {
			if s, ok := r.(string); ok {
				add(s)
			}
		}
	}
	for name := range p.Tool.Poetry.Dependencies {
		add(name)
	}
	for name := range p.Tool.Poetry.Dev {
		add(name)
	}
	for _, g := range p.Tool.Poetry.Group {
		for name := range g.Dependencies {
			add(name)
		}
	}
	return wants
}

// pythonLocked are the versions of uv.lock or poetry.lock by normalized name.
func pythonLocked(at string) map[string]string {
	versions := map[string]string{}
	for _, name := range []string{"uv.lock", "poetry.lock"} {
		data, err := untrusted.Read(filepath.Join(at, name), 32<<20)
		if err != nil {
			continue
		}
		for _, p := range lockedPackages(data) {
			versions[normalized(p.Name)] = p.Version
		}
	}
	return versions
}

// lockedPackage is an entry of Cargo.lock, uv.lock or poetry.lock.
type lockedPackage struct {
	Name         string   `toml:"name"`
	Version      string   `toml:"version"`
	Source       any      `toml:"source"`
	Dependencies []string `toml:"-"`
}

// lockedPackages reads the entries [[package]] of a lock file in TOML.
func lockedPackages(data []byte) []lockedPackage {
	var lock struct {
		Package []lockedPackage `toml:"package"`
	}
	_ = toml.Unmarshal(data, &lock) // what can be read of it
	return lock.Package[:min(len(lock.Package), 20000)]
}

// knownDistribution is a distribution as it was when its directory of metadata had a time.
type knownDistribution struct {
	mtime time.Time
	m     *module // nil: none
}

// maxKnown bounds the distributions that are remembered.
const maxKnown = 10000

// distribution is readDistribution, which is asked again only after an installation.
func (l *Library) distribution(site, info string) *module {
	if !strings.HasSuffix(info, "-info") {
		return nil
	}
	at := filepath.Join(site, info)
	stat, err := os.Lstat(at)
	if err != nil {
		return nil // gone meanwhile
	}
	l.mu.Lock()
	known, ok := l.dists[at]
	l.mu.Unlock()
	if !ok || !known.mtime.Equal(stat.ModTime()) || l.recheck == 0 {
		known = knownDistribution{stat.ModTime(), readDistribution(site, info)}
		l.mu.Lock()
		if len(l.dists) >= maxKnown {
			clear(l.dists)
		}
		l.dists[at] = known
		l.mu.Unlock()
	}
	if known.m == nil {
		return nil
	}
	m := *known.m
	return &m
}

// readDistribution is an installed package by its directory of metadata; nil: it is none.
func readDistribution(site, info string) *module {
	stem, ok := strings.CutSuffix(info, ".dist-info")
	file := "METADATA"
	if !ok {
		if stem, ok = strings.CutSuffix(info, ".egg-info"); !ok {
			return nil
		}
		file = "PKG-INFO"
	}
	root, err := os.OpenRoot(site)
	if err != nil {
		return nil
	}
	defer func() { _ = root.Close() }()
	data, err := untrusted.ReadIn(root, path.Join(info, file), maxManifest)
	if err != nil {
		return nil
	}
	head := metadata(data)
	name, version := head.Get("Name"), head.Get("Version")
	if name == "" || version == "" || strings.ContainsAny(name+version, "@#/\\ \x00") || !strings.HasPrefix(normalized(stem), normalized(name)) {
		return nil
	}
	tops := topLevels(root, info)
	m := &module{ecosystem: ecoPython, name: name, version: version, dir: site, scan: scanPython, want: pythonFile, enter: pythonDirectory, info: path.Join(info, file)}
	m.roots = append([]string{m.info}, tops...)
	for _, t := range tops {
		if t = strings.ReplaceAll(strings.TrimSuffix(strings.TrimSuffix(t, ".py"), ".pyi"), "/", "."); !slices.Contains(m.provides, t) {
			m.provides = append(m.provides, t)
		}
	}
	return m
}

// metadata reads the headers of METADATA.
func metadata(data []byte) textproto.MIMEHeader {
	// A faulty line ends the headers; those before count.
	head, _ := textproto.NewReader(bufio.NewReader(bytes.NewReader(data))).ReadMIMEHeader()
	return head
}

// topLevels are the packages and modules of a distribution, by its list of files.
func topLevels(root *os.Root, info string) (tops []string) {
	record, err := untrusted.ReadIn(root, path.Join(info, "RECORD"), 16<<20)
	if err != nil {
		data, _ := untrusted.ReadIn(root, path.Join(info, "top_level.txt"), 64<<10) // egg-info
		for _, name := range strings.Fields(string(data)) {
			for _, n := range []string{name, name + ".py"} {
				if _, err := root.Lstat(n); err == nil && filepath.IsLocal(n) && len(tops) < 50 {
					tops = append(tops, n)
				}
			}
		}
		return tops
	}
	files := map[string]bool{}
	var sources []string
	for line := range strings.Lines(string(record)) {
		name, _, _ := strings.Cut(line, ",")
		name = strings.Trim(strings.TrimSpace(name), `"`)
		if pythonFile(name) && filepath.IsLocal(name) {
			files[name] = true
			sources = append(sources, name)
		}
	}
	for _, name := range sources {
		parts := strings.Split(name, "/")
		top := parts[0]
		for i := 1; i < len(parts)-1 && i < 4 && !files[top+"/__init__.py"] && !files[top+"/__init__.pyi"]; i++ {
			top += "/" + parts[i] // a namespace that several distributions share
		}
		if !slices.Contains(tops, top) && !strings.HasSuffix(parts[0], "-info") && len(tops) < 200 {
			tops = append(tops, top)
		}
	}
	return tops
}

func pythonDirectory(dir string) bool {
	switch base := path.Base(dir); base {
	case "__pycache__", "tests", "test", "_vendor", "vendored", "third_party":
		return false
	default:
		return !strings.HasPrefix(base, ".") || dir == "."
	}
}

func pythonFile(name string) bool {
	return strings.HasSuffix(name, ".py") || strings.HasSuffix(name, ".pyi") || path.Base(name) == "METADATA" || path.Base(name) == "PKG-INFO"
}
