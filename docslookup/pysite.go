package docslookup

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

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
