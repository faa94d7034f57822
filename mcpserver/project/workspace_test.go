package project

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func detect(t *testing.T, dir string) *Project {
	t.Helper()
	p, err := Detect(dir)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func argv(t *testing.T, p *Project, action string, o TestOptions) string {
	t.Helper()
	c, err := p.Command(action, o, false)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(c.Argv, " ")
}

// TestWorkspaces: of several projects that belong together all are meant, and what one of
// them is built with may lie above it.
func TestWorkspaces(t *testing.T) {
	dir := tree(t, map[string]string{"go.work": "go 1.26\n\nuse (\n\t./a // first\n\t\"./b/c\"\n\t../out\n)\nuse ./d\n",
		"a/go.mod": "module m/a\n\nrequire x.y/z v1.0.0\n", "b/c/go.mod": "module m/c\n", "d/go.mod": "module m/a/d\n"})
	p := detect(t, dir)
	if got := argv(t, p, Compile, TestOptions{}); got != "go build -o /dev/null ./a/... ./b/c/... ./d/..." {
		t.Error(got)
	}
	if got := argv(t, p, Test, TestOptions{Path: "a"}); got != "go test -json ./a" {
		t.Error(got)
	}
	of := p.GoPackageDir()
	for pkg, want := range map[string]string{"m/a": "a", "m/a/x": "a/x", "m/a/d/y": "d/y", "m/c": "b/c", "m/ab": "", "fmt": ""} {
		if got := of(pkg); got != want {
			t.Errorf("%s is in %q, want %q", pkg, got, want)
		}
	}
	if i := p.Describe(t.Context()); len(i.Dependencies) != 1 || i.Dependencies[0].Name != "x.y/z" {
		t.Errorf("dependencies %+v", i.Dependencies)
	}
	dir = tree(t, map[string]string{"Cargo.toml": "[workspace]\nmembers=['x']\n", "x/Cargo.toml": "[package]\nname='x'\n", "x/tests/it.rs": ""})
	if got := argv(t, detect(t, dir), Compile, TestOptions{}); !strings.Contains(got, "--workspace") {
		t.Error(got)
	}
	if got := argv(t, detect(t, filepath.Join(dir, "x")), Test, TestOptions{Path: "tests/it.rs"}); got != "cargo test --message-format=json --test it --no-fail-fast" {
		t.Error(got)
	}
	dir = tree(t, map[string]string{".git/HEAD": "", "pnpm-lock.yaml": "", "node_modules/.bin/tsc": "", "packages/a/package.json": `{"scripts":{"build":"x","test":"jest --ci"}}`,
		"packages/a/tsconfig.json": "{}", "node_modules/.bin/eslint": "", "packages/a/node_modules/.bin/eslint": ""})
	p = detect(t, filepath.Join(dir, "packages/a"))
	for action, want := range map[string]string{Compile: "pnpm run --silent build", TypeCheck: filepath.Join(dir, "node_modules/.bin/tsc") + " --noEmit --pretty false",
		Lint: "./node_modules/.bin/eslint --format json --output-file {report} .", Test: "pnpm run --silent test --json --outputFile={report} -t X --bail=2 a.test.js"} {
		if got := argv(t, p, action, TestOptions{Name: "X", MaxFailures: 2, Path: "a.test.js"}); got != want {
			t.Errorf("%s: %s, want %s", action, got, want)
		}
	}
}

// TestScripts: a script gets arguments only if they reach the program that takes them.
func TestScripts(t *testing.T) {
	for script, want := range map[string]string{
		"jest":                      "npm run --silent test -- --json --outputFile={report}",
		"react-scripts test":        "npm run --silent test -- --json --outputFile={report}",
		"mocha --recursive":         "npm run --silent test -- --reporter xunit --reporter-option output={report}",
		"eslint . && jest":          "npm run --silent test",
		"tap test/*.js":             "npm run --silent test",
		"vitest run":                "vitest run --reporter=default --reporter=junit --outputFile.junit={report}",
		"node --test --enable-x a/": "node --test --test-reporter=spec --test-reporter-destination=stdout --test-reporter=junit --test-reporter-destination={report}",
	} {
		p := detect(t, tree(t, map[string]string{"package.json": `{"scripts":{"test":"` + script + `"}}`}))
		if got := argv(t, p, Test, TestOptions{}); got != want {
			t.Errorf("%s: %s, want %s", script, got, want)
		}
	}
}

// TestNodeRunners: Bun runs its own tests; what yarn's Plug'n'Play keeps as archives is found by yarn.
func TestNodeRunners(t *testing.T) {
	const junit = " --test --test-reporter=spec --test-reporter-destination=stdout --test-reporter=junit --test-reporter-destination={report} --test-name-pattern X"
	for _, c := range []struct {
		files, script, action, want string
	}{
		{"bun.lock", "bun test --coverage", Test, "bun test --reporter=junit --reporter-outfile={report} -t X --bail=2"},
		{"bun.lock", "", Test, "bun test --reporter=junit --reporter-outfile={report} -t X --bail=2"},
		{"bun.lock", "jest", Test, "bun run --silent test --json --outputFile={report} -t X --bail=2"},
		{"yarn.lock .pnp.cjs", "vitest", Test, "yarn run vitest run --reporter=default --reporter=junit --outputFile.junit={report} -t X --bail=2"},
		{"yarn.lock .pnp.cjs", "", Test, "yarn node" + junit},
		{"yarn.lock .pnp.cjs", "", Lint, "yarn run eslint --format json --output-file {report} ."},
		{"yarn.lock .pnp.cjs tsconfig.json", "", TypeCheck, "yarn run tsc --noEmit --pretty false"},
		{"yarn.lock", "", Test, "node" + junit},
	} {
		files := map[string]string{"package.json": `{"scripts":{}}`}
		if c.script != "" {
			files["package.json"] = `{"scripts":{"test":"` + c.script + `"}}`
		}
		for name := range strings.FieldsSeq(c.files) {
			files[name] = ""
		}
		if got := argv(t, detect(t, tree(t, files)), c.action, TestOptions{Name: "X", MaxFailures: 2}); got != c.want {
			t.Errorf("%s, %q: %s, want %s", c.files, c.script, got, c.want)
		}
	}
}

// TestUnused: an option that a project's test command doesn't take is named, so that
// nobody believes that it held.
func TestUnused(t *testing.T) {
	all := TestOptions{Path: "x", Name: "y", Tags: []string{"t"}, Seed: "1", MaxFailures: 3}
	for file, want := range map[string]string{"go.mod": "max_failures", "mix.exs": "name", "pom.xml": "path tags seed max_failures", "pytest.ini": "", "Cargo.toml": "path seed max_failures",
		"justfile": "path name tags seed max_failures"} {
		files := map[string]string{file: ""}
		switch file {
		case "pytest.ini":
			files["setup.py"], want = "", "seed"
		case "justfile":
			files[file] = "test:\n  true\n"
		}
		c, err := detect(t, tree(t, files)).Command(Test, all, false)
		if got := strings.Join(c.Unused, " "); err != nil || got != want {
			t.Errorf("%s: %q, want %q, %v", file, got, want, err)
		}
	}
	p := detect(t, tree(t, map[string]string{".ccdir.toml": "[commands.test]\nrun=['t','{path}{name}','{seed}']\n"}))
	c, err := p.Command(Test, TestOptions{Path: "{name}", Name: "{path}", Seed: "{name}", Tags: []string{"x"}}, false)
	if err != nil || !slices.Equal(c.Argv, []string{"t", "{name}{path}", "{name}"}) || !slices.Equal(c.Unused, []string{"tags"}) {
		t.Errorf("%+v, %v", c, err)
	}
	for _, o := range []TestOptions{{Tags: []string{"a", "--evil"}}, {Seed: "-x"}, {Path: "-x"}, {Name: "-x"}} {
		if _, err := p.Command(Test, o, false); err == nil {
			t.Errorf("%+v was taken", o)
		}
	}
}

// TestNested: where there is no project, those below are named.
func TestNested(t *testing.T) {
	p := detect(t, tree(t, map[string]string{"backend/go.mod": "module m\n", "web/app/package.json": "{}", "node_modules/x/package.json": "{}", "a/b/c/d/go.mod": ""}))
	_, err := p.Command(Test, TestOptions{}, false)
	if err == nil || !strings.Contains(err.Error(), "below it there are backend (go), web/app (node), to be named as project_path") {
		t.Error(err)
	}
	if i := p.Describe(t.Context()); len(i.Projects) != 2 || i.Projects[1].Path != "web/app" {
		t.Errorf("%+v", i.Projects)
	}
}
