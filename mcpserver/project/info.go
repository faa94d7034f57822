package project

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
)

// Limits of Info.
const (
	maxFiles        = 20_000 // entries looked at
	maxListed       = 200    // of each list
	gitTime         = 5 * time.Second
	maxManifestDeps = 500
)

// Dependency is one direct dependency as the manifest names it.
type Dependency struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Git is the state of the repository that the project is in.
type Git struct {
	Branch string `json:"branch"`
	Commit string `json:"commit"`
	// Changed counts the files with changes, untracked ones included.
	Changed int `json:"changed"`
	Ahead   int `json:"ahead"`
	Behind  int `json:"behind"`
}

// Info describes a project.
type Info struct {
	Path         string            `json:"path"`
	BuildSystem  string            `json:"build_system"`
	BuildSystems []string          `json:"build_systems"`
	Languages    map[string]int    `json:"languages" jsonschema:"number of source files by language"`
	Packages     []string          `json:"packages" jsonschema:"packages, modules or crates"`
	Dependencies []Dependency      `json:"dependencies"`
	TestFiles    []string          `json:"test_files"`
	Scripts      map[string]string `json:"scripts" jsonschema:"scripts and targets by name"`
	Commands     map[string]string `json:"commands" jsonschema:"what compile, test, format, lint and type_check run"`
	Projects     []Nested          `json:"projects" jsonschema:"further projects below this directory"`
	Git          *Git              `json:"git,omitempty"`
	Truncated    bool              `json:"truncated"`
}

var languages = map[string]string{".go": "Go", ".ts": "TypeScript", ".tsx": "TypeScript", ".js": "JavaScript", ".jsx": "JavaScript", ".mjs": "JavaScript", ".cjs": "JavaScript",
	".py": "Python", ".rs": "Rust", ".ex": "Elixir", ".exs": "Elixir", ".java": "Java", ".kt": "Kotlin", ".c": "C", ".h": "C", ".cc": "C++", ".cpp": "C++", ".hpp": "C++",
	".rb": "Ruby", ".php": "PHP", ".cs": "C#", ".swift": "Swift", ".scala": "Scala", ".sh": "Shell", ".lua": "Lua", ".zig": "Zig", ".hs": "Haskell", ".erl": "Erlang", ".clj": "Clojure", ".sql": "SQL", ".html": "HTML", ".css": "CSS"}

// skipped directories hold what others made.
var skipped = []string{".git", "node_modules", "target", "vendor", ".venv", "venv", "__pycache__", "_build", "deps", "build", "dist", ".gradle", ".idea", ".mypy_cache", ".ruff_cache", ".tox"}

// Describe gathers the Info. It starts git at most, for at most 5 s.
func (p *Project) Describe(ctx context.Context) *Info {
	info := &Info{Path: p.Dir, BuildSystem: p.Kind, BuildSystems: append([]string{}, p.Kinds...), Languages: map[string]int{}, Packages: []string{},
		Dependencies: []Dependency{}, TestFiles: []string{}, Scripts: map[string]string{}, Commands: map[string]string{}, Projects: p.Below()}
	p.walk(ctx, info)
	p.manifests(info)
	for name, s := range p.scripts() {
		info.Scripts[name] = s
	}
	for _, kind := range p.Kinds {
		if slices.Contains([]string{"make", "just", "task"}, kind) {
			for _, t := range p.targets(kind) {
				info.Scripts[t] = kind + " " + t
			}
		}
	}
	for _, a := range Actions {
		if c, err := p.Command(a, TestOptions{}, false); err == nil {
			info.Commands[a] = strings.Join(c.Argv, " ")
			for _, next := range c.Then {
				info.Commands[a] += " && " + strings.Join(next.Argv, " ")
			}
		}
	}
	info.Git = gitState(ctx, p.Dir)
	return info
}

func (p *Project) walk(ctx context.Context, info *Info) {
	n, dirs := 0, map[string]bool{}
	_ = filepath.WalkDir(p.Dir, func(path string, d fs.DirEntry, err error) error {
		if n++; n > maxFiles || ctx.Err() != nil {
			info.Truncated = true
			return filepath.SkipAll
		}
		if err != nil {
			return nil // unreadable: passed over
		}
		name := d.Name()
		if d.IsDir() {
			if path != p.Dir && slices.Contains(skipped, name) {
				return filepath.SkipDir
			}
			return nil
		}
		lang := languages[filepath.Ext(name)]
		if lang == "" || !d.Type().IsRegular() {
			return nil
		}
		info.Languages[lang]++
		rel, _ := filepath.Rel(p.Dir, path)
		if isTest(rel) {
			if len(info.TestFiles) < maxListed {
				info.TestFiles = append(info.TestFiles, rel)
			} else {
				info.Truncated = true
			}
		}
		if lang == "Go" {
			dirs[filepath.Dir(rel)] = true
		}
		return nil
	})
	if p.Kind == "go" {
		for d := range dirs {
			info.Packages = append(info.Packages, d)
		}
		slices.Sort(info.Packages)
		if len(info.Packages) > maxListed {
			info.Packages, info.Truncated = info.Packages[:maxListed], true
		}
	}
}

func isTest(rel string) bool {
	name := filepath.Base(rel)
	stem := strings.TrimSuffix(name, filepath.Ext(name))
	return strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, ".test") || strings.HasSuffix(stem, ".spec") || strings.HasPrefix(name, "test_") ||
		filepath.Ext(name) == ".java" && strings.HasSuffix(stem, "Test") || filepath.Ext(name) == ".rs" && strings.HasPrefix(rel, "tests/")
}

func (p *Project) manifests(info *Info) {
	add := func(name, version string) {
		if name != "" && len(info.Dependencies) < maxManifestDeps {
			info.Dependencies = append(info.Dependencies, Dependency{name, version})
		}
	}
	for _, kind := range p.Kinds {
		switch kind {
		case "go":
			goRequires(p.read("go.mod"), add)
			for _, dir := range p.goModules() {
				if dir != "." {
					goRequires(p.read(filepath.Join(dir, "go.mod")), add)
				}
			}
		case "node":
			var doc struct {
				Name            string            `json:"name"`
				Dependencies    map[string]string `json:"dependencies"`
				DevDependencies map[string]string `json:"devDependencies"`
			}
			if json.Unmarshal(p.read("package.json"), &doc) == nil {
				info.addPackage(doc.Name)
				addMap(doc.Dependencies, add)
				addMap(doc.DevDependencies, add)
			}
		case "rust":
			var doc struct {
				Package      struct{ Name string }
				Workspace    struct{ Members []string }
				Dependencies map[string]any
			}
			if _, err := toml.Decode(string(p.read("Cargo.toml")), &doc); err == nil {
				info.addPackage(doc.Package.Name)
				info.Packages = append(info.Packages, doc.Workspace.Members...)
				addMap(versions(doc.Dependencies), add)
			}
		case "python":
			p.pythonManifest(info, add)
		case "maven":
			var doc struct {
				ArtifactID   string   `xml:"artifactId"`
				Modules      []string `xml:"modules>module"`
				Dependencies []struct {
					Group    string `xml:"groupId"`
					Artifact string `xml:"artifactId"`
					Version  string `xml:"version"`
				} `xml:"dependencies>dependency"`
			}
			if xml.Unmarshal(p.read("pom.xml"), &doc) == nil {
				info.addPackage(doc.ArtifactID)
				info.Packages = append(info.Packages, doc.Modules...)
				for _, d := range doc.Dependencies {
					add(d.Group+":"+d.Artifact, d.Version)
				}
			}
		}
	}
}

func (i *Info) addPackage(name string) {
	if name != "" {
		i.Packages = append(i.Packages, name)
	}
}

func (p *Project) pythonManifest(info *Info, add func(name, version string)) {
	var doc struct {
		Project struct {
			Name         string
			Dependencies []string
		}
	}
	if _, err := toml.Decode(string(p.read("pyproject.toml")), &doc); err == nil {
		info.addPackage(doc.Project.Name)
	}
	reqs := doc.Project.Dependencies
	for l := range strings.Lines(string(p.read("requirements.txt"))) {
		if l = strings.TrimSpace(l); l != "" && l[0] != '#' && l[0] != '-' {
			reqs = append(reqs, l)
		}
	}
	for _, r := range reqs {
		end := strings.IndexAny(r, "<>=!~;[ ")
		if end < 0 {
			end = len(r)
		}
		add(r[:end], strings.TrimSpace(r[end:]))
	}
}

func versions(deps map[string]any) map[string]string {
	res := map[string]string{}
	for name, v := range deps {
		switch v := v.(type) {
		case string:
			res[name] = v
		case map[string]any:
			res[name], _ = v["version"].(string)
		}
	}
	return res
}

func addMap(m map[string]string, add func(name, version string)) {
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		add(n, m[n])
	}
}

// goRequires reads the direct requirements of a go.mod.
func goRequires(mod []byte, add func(name, version string)) {
	block := false
	for s := bufio.NewScanner(bytes.NewReader(mod)); s.Scan(); {
		l := strings.TrimSpace(s.Text())
		switch {
		case l == "require (":
			block = true
			continue
		case l == ")":
			block = false
		}
		rest, single := strings.CutPrefix(l, "require ")
		if !block && !single || strings.HasSuffix(rest, "// indirect") {
			continue
		}
		if f := strings.Fields(rest); len(f) >= 2 && !strings.HasPrefix(f[0], "//") {
			add(f[0], f[1])
		}
	}
}

// gitState is nil outside a repository or without git.
func gitState(ctx context.Context, dir string) *Git {
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	// core.fsmonitor names a program in the repository's own settings.
	c := exec.CommandContext(ctx, "git", "-C", dir, "-c", "core.fsmonitor=false", "--no-optional-locks", "status", "--porcelain=v2", "--branch")
	// What git says of its repository to hooks, in which the daemon may have been started,
	// is about another one.
	env := slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "GIT_") })
	c.Env = append(env, "LC_ALL=C")
	c.WaitDelay = time.Second
	out, err := c.Output()
	if err != nil {
		return nil
	}
	g := &Git{}
	for l := range strings.Lines(string(out)) {
		f := strings.Fields(l)
		switch {
		case len(f) < 2:
		case strings.HasPrefix(l, "# branch.oid "):
			g.Commit = f[2]
		case strings.HasPrefix(l, "# branch.head "):
			g.Branch = f[2]
		case strings.HasPrefix(l, "# branch.ab ") && len(f) == 4:
			g.Ahead, g.Behind = atoi(f[2]), atoi(f[3])
		case f[0] != "#":
			g.Changed++
		}
	}
	return g
}

func atoi(s string) int {
	n := 0
	for _, c := range strings.TrimLeft(s, "+-") {
		if c < '0' || c > '9' {
			return 0
		}
		n = n*10 + int(c-'0')
	}
	return n
}
