package project

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestDetect(t *testing.T) {
	for _, c := range []struct {
		file, text, kind, action, argv string
	}{
		{"go.mod", "module m\n", "go", Test, "go test -json -run X ./sub"},
		{"Cargo.toml", "[package]\nname='x'\n", "rust", Compile, "cargo build --all-targets --message-format=json"},
		{"mix.exs", "", "elixir", Test, "mix test sub"},
		{"pom.xml", "<project/>", "maven", Test, "mvn -B -q test -Dtest=X"},
		{"build.gradle.kts", "", "gradle", Compile, "gradle --console=plain -q testClasses"},
		{"package.json", `{"scripts":{"build":"tsc -b"}}`, "node", Compile, "npm run --silent build"},
		{"tsconfig.json", "{}", "node", TypeCheck, "tsc --noEmit --pretty false"},
		{"requirements.txt", "pytest\n", "python", Test, "python3 -m pytest -q --color=no --junitxml={report} -k X sub"},
		{"a.py", "", "python", Test, "python3 -m unittest -k X sub"},
		{"test_a.py", "def test_x():\n    pass\n", "python", Test, "python3 -m pytest -q --color=no --junitxml={report} -k X sub"},
		{"test_a.py", "class T(unittest.TestCase):\n    def test_x(self):\n        pass\n", "python", Test, "python3 -m unittest -k X sub"},
		{"CMakeLists.txt", "", "cmake", Compile, "cmake -S . -B build"},
		{"Makefile", "lint:\n\techo\n", "make", Lint, "make lint"},
		{"justfile", "test arg='x':\n  echo\n", "just", Test, "just test"},
		{"Taskfile.yml", "tasks:\n  test:\n    cmds: []\n", "task", Test, "task test"},
	} {
		t.Run(c.file, func(t *testing.T) {
			p, err := Detect(tree(t, map[string]string{c.file: c.text}))
			if err != nil || p.Kind != c.kind {
				t.Fatalf("kind %q, %v", p.Kind, err)
			}
			got, err := p.Command(c.action, TestOptions{Name: "X", Path: "sub"}, false)
			if err != nil || strings.Join(got.Argv, " ") != c.argv {
				t.Errorf("%v, %v; want %s", got.Argv, err, c.argv)
			}
		})
	}
}

func TestOverrides(t *testing.T) {
	p, err := Detect(tree(t, map[string]string{"go.mod": "module m", ".ccdir.toml": "[commands.test]\nrun=['my test','--only={name}','--seed={seed}']\npatterns=['(?P<message>x)']\n"}))
	if err != nil {
		t.Fatal(err)
	}
	c, err := p.Command(Test, TestOptions{Name: "a b"}, false)
	if err != nil || len(c.Argv) != 2 || c.Argv[1] != "--only=a b" || c.Decoder != "" || len(c.Patterns) != 1 {
		t.Errorf("got %+v, %v", c, err)
	}
	if c, err = p.Command(Compile, TestOptions{}, false); err != nil || c.Argv[0] != "go" {
		t.Errorf("got %+v, %v", c, err)
	}
	for _, c := range []struct{ text, want string }{
		{"[commands.tset]\nrun=['x']\n", ":1: unknown table commands.tset; there are "},
		{"\n[commands.test]\n", ":2: commands.test: run = "},
		{"nonsense", ":1: "},
		{"[commands.test]\nrun='x'\n", ":2: "},
		{"[commands.test]\nrun=['x']\ndecoer='junit'\n", ":3: unknown key commands.test.decoer; a command has run, "},
	} {
		if _, err := Detect(tree(t, map[string]string{".ccdir.toml": c.text})); err == nil || !strings.Contains(err.Error(), ".ccdir.toml"+c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
}

func TestNoCommand(t *testing.T) {
	p, err := Detect(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Command(Compile, TestOptions{}, false); !errors.Is(err, ErrNoCommand) || !strings.Contains(err.Error(), "[commands.compile]") {
		t.Errorf("got %v", err)
	}
	if _, err := p.Command(Test, TestOptions{Name: "-exec=evil"}, false); err == nil || errors.Is(err, ErrNoCommand) {
		t.Errorf("an option as a name: %v", err)
	}
	if _, err := Detect("relative"); err == nil {
		t.Error("a relative directory was taken")
	}
}

func TestDescribe(t *testing.T) {
	p, err := Detect(tree(t, map[string]string{
		"go.mod": "module m\n\nrequire a.b/c v1.2.3\nrequire (\n\td.e/f v0.1.0\n\tg.h/i v0.2.0 // indirect\n)\n",
		"a.go":   "package m", "sub/b_test.go": "package sub", "node_modules/x/y.js": "", "Makefile": "build:\n\tgo build\n",
	}))
	if err != nil {
		t.Fatal(err)
	}
	i := p.Describe(t.Context())
	if i.Languages["Go"] != 2 || i.Languages["JavaScript"] != 0 || len(i.Packages) != 2 || len(i.TestFiles) != 1 || len(i.Dependencies) != 2 || i.Dependencies[1].Version != "v0.1.0" || i.Scripts["build"] != "make build" || i.Git != nil {
		t.Errorf("got %+v", i)
	}
}

// TestAbout: name, version, package manager, toolchains and entry points of each kind.
func TestAbout(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  Info
	}{
		"go": {map[string]string{"go.mod": "module example.org/app\n\ngo 1.26\ntoolchain go1.26.1\n", "cmd/app/main.go": "// Package main runs.\npackage main\n", "lib/a.go": "package lib\n"},
			Info{Name: "example.org/app", Toolchain: []string{"asks for go 1.26", "asks for toolchain go1.26.1"}, EntryPoints: []string{"cmd/app"}}},
		"node": {map[string]string{"package.json": `{"name":"app","version":"1.2.3","engines":{"node":">=20"},"main":"index.js","bin":{"app":"cli.js"}}`, "pnpm-lock.yaml": ""},
			Info{Name: "app", Version: "1.2.3", PackageManager: "pnpm", Toolchain: []string{"asks for node >=20"}, EntryPoints: []string{"index.js", "app = cli.js"}}},
		"python": {map[string]string{"pyproject.toml": "[project]\nname = 'app'\nversion = '2'\nrequires-python = '>=3.11'\n[project.scripts]\napp = 'app:main'\n", "uv.lock": "", "main.py": ""},
			Info{Name: "app", Version: "2", PackageManager: "uv", Toolchain: []string{"asks for python >=3.11"}, EntryPoints: []string{"app = app:main", "main.py"}}},
		"rust": {map[string]string{"Cargo.toml": "[package]\nname = 'app'\nversion = '0.1.0'\nrust-version = '1.75'\n", "src/main.rs": "", "src/bin/other.rs": ""},
			Info{Name: "app", Version: "0.1.0", PackageManager: "cargo", Toolchain: []string{"asks for rust 1.75"}, EntryPoints: []string{"src/main.rs", "src/bin/other.rs"}}},
	} {
		p, err := Detect(tree(t, c.files))
		if err != nil {
			t.Fatal(err)
		}
		i := p.Describe(t.Context())
		got := Info{Name: i.Name, Version: i.Version, PackageManager: i.PackageManager, Toolchain: i.Toolchain, EntryPoints: i.EntryPoints}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}

// TestTestPaths: the packages of changed files in Go, elsewhere the files of tests.
func TestTestPaths(t *testing.T) {
	p, err := Detect(tree(t, map[string]string{"go.mod": "module m\n", "a/x.go": "package a\n", "b/y.go": "package b\n"}))
	if err != nil {
		t.Fatal(err)
	}
	if got := p.TestPaths([]string{"a/x.go", "a/z.go", "gone/x.go", "README.md"}); !slices.Equal(got, []string{"a"}) {
		t.Errorf("got %v", got)
	}
	c, err := p.Command(Test, TestOptions{Path: "a", Also: []string{"b"}}, false)
	if err != nil || !slices.Equal(c.Argv[len(c.Argv)-2:], []string{"./a", "./b"}) {
		t.Errorf("got %v, %v", c.Argv, err)
	}
}

// TestPythonTools: the checkers that the project's files name.
func TestPythonTools(t *testing.T) {
	for name, c := range map[string]struct {
		files  map[string]string
		action string
		want   string
	}{
		"pyright": {map[string]string{"a.py": "", "pyrightconfig.json": "{}"}, TypeCheck, "pyright"},
		"mypy":    {map[string]string{"a.py": ""}, TypeCheck, "python3 -m mypy --no-color-output --show-column-numbers --no-pretty ."},
		"flake8":  {map[string]string{"a.py": "", "setup.cfg": "[flake8]\n"}, Lint, "python3 -m flake8"},
		"ruff":    {map[string]string{"a.py": ""}, Lint, "ruff check --output-format concise --quiet"},
	} {
		p, err := Detect(tree(t, c.files))
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Command(c.action, TestOptions{}, false)
		if err != nil || strings.Join(got.Argv, " ") != c.want {
			t.Errorf("%s: got %v, %v", name, got.Argv, err)
		}
	}
	if !regexp.MustCompile(pyrightLine).MatchString(`  /src/app.py:5:10 - error: Type "int" is not assignable to "str" (reportAssignmentType)`) {
		t.Error("a finding of pyright is not recognized")
	}
}
