package project

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

func cmd(decoder string, argv ...string) (Command, bool) {
	return Command{Argv: argv, Decoder: decoder}, true
}

var none = func() (Command, bool) { return Command{}, false }

// builtin is the default command of a kind of project.
func (p *Project) builtin(kind, action string, o TestOptions, write bool) (Command, bool) {
	switch kind {
	case "go":
		return p.goCommand(action, o, write)
	case "rust":
		return p.rustCommand(action, o, write)
	case "node":
		return p.nodeCommand(action, o, write)
	case "python":
		return p.pythonCommand(action, o, write)
	case "elixir":
		return elixirCommand(action, o, write)
	case "maven", "gradle":
		return p.javaCommand(kind, action, o)
	case "cmake":
		return p.cmakeCommand(action, o)
	case "make", "just", "task":
		return p.targetCommand(kind, action, write)
	}
	return none()
}

func (p *Project) goCommand(action string, o TestOptions, write bool) (Command, bool) {
	switch action {
	case Compile:
		// vet also compiles the tests, which build does not. Without -o, build would
		// leave the program of a single main package in the directory.
		c, ok := cmd("govet", append([]string{"go", "build", "-o", os.DevNull}, p.goPackages("")...)...)
		c.Then = []Command{{Argv: append([]string{"go", "vet"}, p.goPackages("")...), Decoder: "govet"}}
		return c, ok
	case Test:
		argv := []string{"go", "test", "-json"}
		if o.Name != "" {
			argv = append(argv, "-run", o.Name)
		}
		if len(o.Tags) > 0 {
			argv = append(argv, "-tags", strings.Join(o.Tags, ","))
		}
		if o.Seed != "" {
			argv = append(argv, "-shuffle", o.Seed)
		}
		if o.MaxFailures == 1 {
			argv = append(argv, "-failfast")
		}
		argv = append(argv, p.goPackages(o.Path)...)
		for _, path := range o.Also {
			argv = append(argv, p.goPackages(path)...)
		}
		return cmd("gotest", argv...)
	case Format:
		if write {
			return cmd("generic", "gofmt", "-l", "-w", ".")
		}
		c, ok := cmd("generic", "gofmt", "-l", ".")
		c.Listing = true
		return c, ok
	case Lint:
		if p.has(".golangci.yml") || p.has(".golangci.yaml") || p.has(".golangci.toml") {
			return cmd("generic", "golangci-lint", "run", "--color=never")
		}
	}
	return cmd("govet", append([]string{"go", "vet"}, p.goPackages("")...)...)
}

func (p *Project) rustCommand(action string, o TestOptions, write bool) (Command, bool) {
	// At the root of a workspace, run on all of it, not only on the root's own package.
	workspace := []string{"--message-format=json"}
	if bytes.Contains(p.read("Cargo.toml"), []byte("[workspace")) {
		workspace = append(workspace, "--workspace")
	}
	cargo := func(decoder string, argv ...string) (Command, bool) {
		return cmd(decoder, append(append([]string{"cargo"}, argv...), workspace...)...)
	}
	switch action {
	case Compile:
		return cargo("cargo", "build", "--all-targets")
	case TypeCheck:
		return cargo("cargo", "check", "--all-targets")
	case Lint:
		return cargo("cargo", "clippy", "--all-targets")
	case Format:
		if write {
			return cmd("generic", "cargo", "fmt", "--all")
		}
		c, ok := cmd("generic", "cargo", "fmt", "--all", "--", "--check", "-l")
		c.Listing = true
		return c, ok
	}
	argv := append([]string{"cargo", "test"}, workspace...)
	if name, ok := strings.CutSuffix(filepath.Base(o.Path), ".rs"); ok && filepath.Base(filepath.Dir(o.Path)) == "tests" {
		argv = append(argv, "--test", name) // an integration test is a file there
	}
	if o.MaxFailures != 1 {
		argv = append(argv, "--no-fail-fast")
	}
	if len(o.Tags) > 0 {
		argv = append(argv, "--features", strings.Join(o.Tags, ","))
	}
	if o.Name != "" {
		argv = append(argv, "--", o.Name)
	}
	return cmd("cargotest", argv...)
}

// read returns a small file of the project; nil if there is none.
func (p *Project) read(name string) []byte {
	root, err := os.OpenRoot(p.Dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	if info, err := root.Stat(name); err != nil || !info.Mode().IsRegular() || info.Size() > maxConfig {
		return nil
	}
	b, _ := root.ReadFile(name)
	return b
}

// venv is a program of the project's own virtual environment, if it has one.
func (p *Project) venv(name, otherwise string) string {
	for _, venv := range []string{".venv", "venv"} {
		if _, err := os.Stat(filepath.Join(p.Dir, venv, "bin", name)); err == nil {
			return filepath.Join(p.Dir, venv, "bin", name)
		}
	}
	return otherwise
}

// pyrightLine is a finding of pyright.
const pyrightLine = `^\s*(?P<file>\S.*?):(?P<line>\d+):(?P<column>\d+) - (?P<severity>error|warning|information): (?P<message>.*?)(?: \((?P<code>report\w+)\))?$`

func (p *Project) pythonCommand(action string, o TestOptions, write bool) (Command, bool) {
	py, ruff := p.venv("python", "python3"), p.venv("ruff", "ruff")
	switch action {
	case Compile:
		return cmd("python", py, "-m", "compileall", "-q", "-x", `(^|/)(\.venv|venv|node_modules|\.git)(/|$)`, ".")
	case TypeCheck:
		if p.has("pyrightconfig.json") || bytes.Contains(p.read("pyproject.toml"), []byte("[tool.pyright]")) {
			c, ok := cmd("generic", p.venv("pyright", p.bin("pyright")))
			c.Patterns = []string{pyrightLine}
			return c, ok
		}
		return cmd("mypy", py, "-m", "mypy", "--no-color-output", "--show-column-numbers", "--no-pretty", ".")
	case Lint:
		if p.has(".flake8") || bytes.Contains(p.read("setup.cfg"), []byte("[flake8]")) || bytes.Contains(p.read("tox.ini"), []byte("[flake8]")) {
			c, ok := cmd("generic", py, "-m", "flake8")
			c.Patterns = []string{`^(?P<file>[^:]+):(?P<line>\d+):(?P<column>\d+): (?P<code>[A-Z]+\d+) (?P<message>.*)$`}
			return c, ok
		}
		return cmd("ruff", ruff, "check", "--output-format", "concise", "--quiet")
	case Format:
		if write {
			return cmd("generic", ruff, "format", "--quiet")
		}
		return cmd("generic", ruff, "format", "--check")
	}
	if p.pytest(o.Path) {
		argv := []string{py, "-m", "pytest", "-q", "--color=no", "--junitxml={report}"}
		if o.Name != "" {
			argv = append(argv, "-k", o.Name)
		}
		if len(o.Tags) > 0 {
			argv = append(argv, "-m", strings.Join(o.Tags, " or "))
		}
		if o.MaxFailures > 0 {
			argv = append(argv, "--maxfail", strconv.Itoa(o.MaxFailures))
		}
		if o.Path != "" {
			argv = append(append(argv, o.Path), o.Also...)
		}
		return cmd("junit", argv...)
	}
	argv := []string{py, "-m", "unittest"}
	if o.MaxFailures == 1 {
		argv = append(argv, "-f")
	}
	if o.Name != "" {
		argv = append(argv, "-k", o.Name)
	}
	if o.Path != "" {
		argv = append(append(argv, o.Path), o.Also...)
	} else if o.Name != "" || o.MaxFailures == 1 {
		argv = append(argv, "discover")
	}
	return cmd("unittest", argv...)
}

// pytest reports whether the project's files name pytest, or tests are written for it.
func (p *Project) pytest(path string) bool {
	for _, name := range []string{"pyproject.toml", "setup.cfg", "tox.ini", "requirements.txt", "requirements-dev.txt", "Pipfile", "setup.py"} {
		if bytes.Contains(p.read(name), []byte("pytest")) {
			return true
		}
	}
	if p.has("pytest.ini") || p.has("conftest.py") || p.has("tests/conftest.py") {
		return true
	}
	for _, name := range append(p.pythonTests(), path) {
		if strings.HasSuffix(name, ".py") && pytestStyle().Match(p.read(name)) {
			return true
		}
	}
	return false
}

// pytestStyle matches tests that unittest does not run: functions outside of classes.
var pytestStyle = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(?:import pytest\b|from pytest\b|(?:async )?def test_)`)
})

// maxPythonTests bounds the files that are read to find out who runs them.
const maxPythonTests = 50

// pythonTests are files with tests, in the places where they usually are.
func (p *Project) pythonTests() (names []string) {
	for _, dir := range []string{".", "tests", "test"} {
		entries, err := os.ReadDir(filepath.Join(p.Dir, dir))
		if err != nil {
			continue
		}
		for _, e := range entries {
			name := e.Name()
			if (strings.HasPrefix(name, "test_") || strings.HasSuffix(name, "_test.py")) && len(names) < maxPythonTests {
				names = append(names, filepath.Join(dir, name))
			}
		}
	}
	return names
}

func elixirCommand(action string, o TestOptions, write bool) (Command, bool) {
	switch action {
	case Compile:
		return cmd("elixir", "mix", "compile", "--all-warnings")
	case Format:
		if write {
			return cmd("elixir", "mix", "format")
		}
		return cmd("elixir", "mix", "format", "--check-formatted")
	case Lint:
		return cmd("generic", "mix", "credo", "--format", "flycheck")
	case TypeCheck:
		return cmd("generic", "mix", "dialyzer", "--format", "short")
	}
	argv := []string{"mix", "test"}
	if o.Seed != "" {
		argv = append(argv, "--seed", o.Seed)
	}
	if o.MaxFailures > 0 {
		argv = append(argv, "--max-failures", strconv.Itoa(o.MaxFailures))
	}
	for _, tag := range o.Tags {
		argv = append(argv, "--only", tag)
	}
	if o.Path != "" {
		argv = append(argv, o.Path)
	}
	return cmd("elixir", argv...)
}

func (p *Project) javaCommand(kind, action string, o TestOptions) (Command, bool) {
	tool, wrapper, flags := "mvn", "./mvnw", []string{"-B", "-q"}
	tasks := map[string]string{Compile: "test-compile", TypeCheck: "test-compile", Test: "test"}
	reports := []string{"target/surefire-reports/*.xml", "*/target/surefire-reports/*.xml", "*/*/target/surefire-reports/*.xml"}
	filter := "-Dtest=" + o.Name
	if kind == "gradle" {
		tool, wrapper, flags = "gradle", "./gradlew", []string{"--console=plain", "-q"}
		tasks[Compile], tasks[TypeCheck], tasks[Lint] = "testClasses", "testClasses", "check"
		reports = []string{"build/test-results/*/*.xml", "*/build/test-results/*/*.xml", "*/*/build/test-results/*/*.xml"}
		filter = "--tests=" + o.Name
	}
	task, ok := tasks[action]
	if !ok {
		return none()
	}
	if p.has(strings.TrimPrefix(wrapper, "./")) {
		tool = wrapper
	}
	c := Command{Argv: append(append([]string{tool}, flags...), task), Decoder: "java"}
	if action == Test {
		c.Reports = reports
		if o.Name != "" {
			c.Argv = append(c.Argv, filter)
		}
	}
	return c, true
}

func (p *Project) cmakeCommand(action string, o TestOptions) (Command, bool) {
	configure := Command{Argv: []string{"cmake", "-S", ".", "-B", "build"}, Decoder: "cmake"}
	build := Command{Argv: []string{"cmake", "--build", "build"}, Decoder: "gcc"}
	switch action {
	case Compile, TypeCheck:
		configure.Then = []Command{build}
		return configure, true
	case Test:
		argv := []string{"ctest", "--test-dir", "build", "--output-on-failure", "--output-junit", "{report}"}
		if o.Name != "" {
			argv = append(argv, "-R", o.Name)
		}
		configure.Then = []Command{build, {Argv: argv, Decoder: "junit"}}
		return configure, true
	}
	return none()
}

// targetCommand runs the target of a Makefile, justfile or Taskfile that has an
// action's name.
func (p *Project) targetCommand(kind, action string, write bool) (Command, bool) {
	names := map[string][]string{Compile: {"build", "compile", "all"}, Test: {"test", "tests", "check"}, Lint: {"lint", "vet"},
		TypeCheck: {"typecheck", "type-check", "types"}, Format: {"fmt-check", "format-check", "check-format"}}[action]
	if action == Format && write {
		names = []string{"fmt", "format"}
	}
	have := p.targets(kind)
	for _, n := range names {
		for _, h := range have {
			if h == n {
				return cmd("gcc", kind, n)
			}
		}
	}
	if kind == "make" && (action == Compile || action == TypeCheck) {
		return cmd("gcc", "make")
	}
	return none()
}

// targets lists the targets of a Makefile, justfile or Taskfile by name.
func (p *Project) targets(kind string) []string {
	expr := map[string]string{"make": `(?m)^([A-Za-z0-9][\w.-]*)\s*:(?:[^=]|$)`, "just": `(?m)^@?([A-Za-z_][\w-]*)[^:\n]*:(?:[^=]|$)`, "task": `(?m)^  ([\w:-]+):\s*$`}[kind]
	re := regexp.MustCompile(expr)
	var names []string
	for _, k := range kinds {
		if k.name != kind {
			continue
		}
		for _, f := range k.files {
			for _, m := range re.FindAllSubmatch(p.read(f), 500) {
				names = append(names, string(m[1]))
			}
		}
	}
	return names
}
