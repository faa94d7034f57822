// Package project detects the kind of project in a directory and the commands that build,
// test, format and check it.
//
// Detection reads file names and small manifests only; it starts no program and follows no
// link out of the directory. If a directory holds several kinds of project, the first in a
// fixed order wins; .ccdir.toml overrides any command, so any language works without code.
package project

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Actions that a project has commands for.
const (
	Compile   = "compile"
	Test      = "test"
	Format    = "format"
	Lint      = "lint"
	TypeCheck = "type_check"
)

// Actions lists them.
var Actions = []string{Compile, Test, Format, Lint, TypeCheck}

// Command is the command line of an action.
type Command struct {
	// Argv may contain "{report}", a placeholder for a file that the tool writes for
	// the decoder.
	Argv []string
	// Decoder is the name of a decoder of package diag.
	Decoder string
	// Reports are patterns, relative to the project, of report files that the
	// run writes; only files newer than its start count.
	Reports []string
	// Patterns and Errorformat are the user's own decoder, instead of Decoder.
	Patterns, Errorformat []string
	// Then are commands that follow if this one succeeds.
	Then []Command
	// Fix: Format rewrites files instead of only listing them.
	Fix bool
	// Unused are the options of a test run that the command does not take.
	Unused []string
	// Listing: standard output lists the unformatted files, and any output means that
	// the check failed (gofmt -l).
	Listing bool
}

// TestOptions select tests.
type TestOptions struct {
	Path string
	// Also are further paths, if Path is one.
	Also        []string
	Name        string
	Tags        []string
	Seed        string
	MaxFailures int
}

// Project is a detected project.
type Project struct {
	// Dir is its absolute directory.
	Dir string
	// Kind is the build system: go, node, python, rust, elixir, maven, gradle,
	// cmake, make, just, task, or "" for none.
	Kind string
	// Kinds are all that were detected, Kind first.
	Kinds     []string
	overrides map[string]override
}

// kinds in order of precedence, with the files that identify them.
var kinds = []struct {
	name  string
	files []string
}{
	{"go", []string{"go.mod", "go.work"}},
	{"rust", []string{"Cargo.toml"}},
	{"elixir", []string{"mix.exs"}},
	{"maven", []string{"pom.xml"}},
	{"gradle", []string{"build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"}},
	{"node", []string{"package.json", "tsconfig.json"}},
	{"python", []string{"pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile"}},
	{"cmake", []string{"CMakeLists.txt"}},
	{"make", []string{"GNUmakefile", "makefile", "Makefile"}},
	{"just", []string{"justfile", "Justfile", ".justfile"}},
	{"task", []string{"Taskfile.yml", "Taskfile.yaml", "taskfile.yml"}},
}

// Detect inspects a directory, which must be absolute. The error names the directory or
// a mistake in its .ccdir.toml.
func Detect(dir string) (*Project, error) {
	if !filepath.IsAbs(dir) {
		return nil, fmt.Errorf("project directory %q is not absolute", dir)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return nil, fmt.Errorf("project directory: %w", err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("project directory %s is a file", dir)
	}
	p := &Project{Dir: dir}
	p.detect()
	if len(p.Kinds) == 0 {
		if m, _ := filepath.Glob(filepath.Join(escapeGlob(dir), "*.py")); len(m) > 0 {
			p.Kinds = append(p.Kinds, "python")
		}
	}
	if len(p.Kinds) > 0 {
		p.Kind = p.Kinds[0]
	}
	p.overrides, err = readOverrides(filepath.Join(dir, ".ccdir.toml"))
	return p, err
}

// detect finds the kinds by their files.
func (p *Project) detect() {
	for _, k := range kinds {
		if slices.ContainsFunc(k.files, p.has) {
			p.Kinds = append(p.Kinds, k.name)
		}
	}
}

func (p *Project) has(name string) bool {
	info, err := os.Lstat(filepath.Join(p.Dir, name))
	return err == nil && !info.IsDir()
}

// ErrNoCommand: the project has no command for an action.
var ErrNoCommand = errors.New("no command")

// Command returns the command of an action. Each kind uses those of opts that its tools
// support; write is for the action Format. An error that is ErrNoCommand says what to
// write into .ccdir.toml.
func (p *Project) Command(action string, opts TestOptions, write bool) (Command, error) {
	if !slices.Contains(Actions, action) {
		return Command{}, fmt.Errorf("unknown action %q", action)
	}
	for _, given := range slices.Concat([]string{opts.Path, opts.Name, opts.Seed}, opts.Tags, opts.Also) {
		if strings.HasPrefix(given, "-") {
			return Command{}, errors.New("path, name, seed and tags must not begin with -")
		}
	}
	c, err := p.command(action, opts, write)
	if action == Test && err == nil {
		c.Unused = p.unused(opts, c)
	}
	return c, err
}

func (p *Project) command(action string, opts TestOptions, write bool) (Command, error) {
	key := action
	if action == Format && !write {
		key = "format_check"
	}
	if o, ok := p.overrides[key]; ok {
		return o.command(opts)
	}
	for _, kind := range p.Kinds {
		if c, ok := p.builtin(kind, action, opts, write); ok {
			return c, nil
		}
	}
	below := ""
	if len(p.Kinds) == 0 {
		for i, n := range p.Below() {
			if i == maxNamed {
				below += ", …"
				break
			}
			below += fmt.Sprintf("%s %s (%s)", map[bool]string{true: "", false: ","}[i == 0], n.Path, strings.Join(n.BuildSystems, ", "))
		}
	}
	if below != "" {
		below = "; below it there are" + below + ", to be named as project_path"
	}
	return Command{}, fmt.Errorf("%w for %s in %s (detected: %s)%s; set one in .ccdir.toml: [commands.%s] run = [\"PROGRAM\", \"ARG\"]",
		ErrNoCommand, action, p.Dir, orNone(p.Kinds), below, key)
}

// unused names the options without effect: without them the command is the same.
func (p *Project) unused(opts TestOptions, c Command) (names []string) {
	for _, o := range []struct {
		name  string
		given bool
		drop  func(*TestOptions)
	}{
		{"path", opts.Path != "", func(o *TestOptions) { o.Path = "" }},
		{"name", opts.Name != "", func(o *TestOptions) { o.Name = "" }},
		{"tags", len(opts.Tags) > 0, func(o *TestOptions) { o.Tags = nil }},
		{"seed", opts.Seed != "", func(o *TestOptions) { o.Seed = "" }},
		{"max_failures", opts.MaxFailures > 0, func(o *TestOptions) { o.MaxFailures = 0 }},
	} {
		without := opts
		o.drop(&without)
		if other, err := p.command(Test, without, false); o.given && err == nil && sameRun(c, other) {
			names = append(names, o.name)
		}
	}
	return names
}

func sameRun(a, b Command) bool {
	return slices.Equal(a.Argv, b.Argv) && slices.EqualFunc(a.Then, b.Then, sameRun)
}

func orNone(s []string) string {
	if len(s) == 0 {
		return "nothing"
	}
	return strings.Join(s, ", ")
}

func escapeGlob(s string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(s)
}
