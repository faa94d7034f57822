package project

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"ccdir/internal/gitstatus"
)

// Limits of Info.
const (
	maxFiles        = 20_000 // entries visited
	maxListed       = 200    // of each list
	maxManifestDeps = 500
)

// Dependency is one direct dependency as the manifest names it.
type Dependency struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Git is the state of the project's repository.
type Git struct {
	Branch string `json:"branch"`
	Commit string `json:"commit"`
	// Changed counts the files with changes, including untracked ones.
	Changed int `json:"changed"`
	Ahead   int `json:"ahead"`
	Behind  int `json:"behind"`
}

// Info describes a project.
type Info struct {
	Path string `json:"path"`
	// Name and Version are the project's own, as its manifest has them.
	Name           string            `json:"name"`
	Version        string            `json:"version"`
	PackageManager string            `json:"package_manager"`
	Toolchain      []string          `json:"toolchain" jsonschema:"versions that the project asks for, and those that are installed"`
	EntryPoints    []string          `json:"entry_points" jsonschema:"programs and main modules"`
	BuildSystem    string            `json:"build_system"`
	BuildSystems   []string          `json:"build_systems"`
	Languages      map[string]int    `json:"languages" jsonschema:"number of source files by language"`
	Packages       []string          `json:"packages" jsonschema:"packages, modules or crates"`
	Dependencies   []Dependency      `json:"dependencies"`
	TestFiles      []string          `json:"test_files"`
	Scripts        map[string]string `json:"scripts" jsonschema:"scripts and targets by name"`
	Commands       map[string]string `json:"commands" jsonschema:"what compile, test, format, lint and type_check run"`
	Projects       []Nested          `json:"projects" jsonschema:"further projects below this directory"`
	Git            *Git              `json:"git,omitempty"`
	Truncated      bool              `json:"truncated"`
}

var languages = map[string]string{".go": "Go", ".ts": "TypeScript", ".tsx": "TypeScript", ".js": "JavaScript", ".jsx": "JavaScript", ".mjs": "JavaScript", ".cjs": "JavaScript",
	".py": "Python", ".rs": "Rust", ".ex": "Elixir", ".exs": "Elixir", ".java": "Java", ".kt": "Kotlin", ".c": "C", ".h": "C", ".cc": "C++", ".cpp": "C++", ".hpp": "C++",
	".rb": "Ruby", ".php": "PHP", ".cs": "C#", ".swift": "Swift", ".scala": "Scala", ".sh": "Shell", ".lua": "Lua", ".zig": "Zig", ".hs": "Haskell", ".erl": "Erlang", ".clj": "Clojure", ".sql": "SQL", ".html": "HTML", ".css": "CSS"}

// skipped directories hold dependencies and build output.
var skipped = []string{".git", "node_modules", "target", "vendor", ".venv", "venv", "__pycache__", "_build", "deps", "build", "dist", ".gradle", ".idea", ".mypy_cache", ".ruff_cache", ".tox"}

// Describe collects the Info. It starts no program but git, for at most 5 s.
func (p *Project) Describe(ctx context.Context) *Info {
	info := &Info{Path: p.Dir, BuildSystem: p.Kind, BuildSystems: append([]string{}, p.Kinds...), Languages: map[string]int{}, Packages: []string{}, Toolchain: []string{}, EntryPoints: []string{},
		Dependencies: []Dependency{}, TestFiles: []string{}, Scripts: map[string]string{}, Commands: map[string]string{}, Projects: p.Below()}
	p.walk(ctx, info)
	p.readManifests(info)
	p.about(info)
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
			return nil // unreadable: skipped
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
		if dir := filepath.Dir(rel); lang == "Go" {
			if !dirs[dir] && !strings.HasSuffix(rel, "_test.go") && len(info.EntryPoints) < maxListed && goMain().Match(p.head(rel)) {
				info.EntryPoints = append(info.EntryPoints, dir)
			}
			dirs[dir] = true
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

// maxTestPaths bounds the paths of one run.
const maxTestPaths = 100

// TestPaths are the paths of the tests that belong to files: their packages in Go, else the
// files of tests among them. nil: none is known to.
func (p *Project) TestPaths(files []string) (paths []string) {
	for _, f := range files {
		at := f
		switch {
		case p.Kind == "go" && filepath.Ext(f) == ".go":
			if at = filepath.Dir(f); !p.hasGo(at) {
				continue // deleted
			}
		case p.Kind == "go" || !isTest(f) || !p.has(f):
			continue
		}
		if !slices.Contains(paths, at) && len(paths) < maxTestPaths {
			paths = append(paths, at)
		}
	}
	return paths
}

func (p *Project) hasGo(dir string) bool {
	names, _ := filepath.Glob(filepath.Join(p.Dir, dir, "*.go")) // a faulty name has none
	return len(names) > 0
}

// gitState is nil outside a repository or without git.
func gitState(ctx context.Context, dir string) *Git {
	s, err := gitstatus.Read(ctx, dir)
	if err != nil {
		return nil
	}
	return &Git{Branch: s.Branch, Commit: s.Commit, Changed: s.Changed + s.Untracked + s.Conflicts, Ahead: s.Ahead, Behind: s.Behind}
}
