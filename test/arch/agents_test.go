package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ccdir/agents/claude"
	"ccdir/agents/codex"
	"ccdir/agents/gemini"
)

// playAgents are the folders that speak to an agent in its own words, or in its place: its
// adapter, the demo agent, the hook process and the user's settings, and the tools and tests
// that run the real CLI.
var playAgents = []string{"agents/claude", "agents/codex", "agents/gemini", "agents/opencode", "agents/demo", "hooks", "test", "cmd/ccdir-bench"}

// opaque are folders whose tests pass or show the name of some hook and give it no meaning.
var opaque = []string{"tui", "client"}

// plainWords are hooks whose names are words of English: only a literal that is the name
// counts.
var plainWords = []string{claude.HookStop, claude.HookNotification, claude.HookElicitation, codex.HookInterrupt}

// hookNames are the values of the constants Hook… of all adapters.
func hookNames(t *testing.T) (names []string) {
	files, err := filepath.Glob(filepath.Join("..", "..", "agents", "*", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 || !strings.HasPrefix(spec.Names[0].Name, "Hook") {
				return true
			}
			if lit, ok := spec.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
				names = append(names, strings.Trim(lit.Value, `"`))
			}
			return true
		})
	}
	for _, one := range []string{claude.HookPreToolUse, codex.HookInterrupt, gemini.HookAfterAgent} {
		if !slices.Contains(names, one) {
			t.Fatalf("%s is not found among the hooks of the adapters: %q", one, names)
		}
	}
	return names
}

// TestCoreKnowsNoHook: what an agent reports has a kind (api.EventKind). Its hooks are named where
// it is adapted, and nowhere else: not in literals, not in comments. Tests that play an agent
// take the names from its adapter.
func TestCoreKnowsNoHook(t *testing.T) {
	names := hookNames(t)
	compound := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return slices.Contains(plainWords, n) })
	word := regexp.MustCompile(`\b(` + strings.Join(compound, "|") + `)\b`)
	within := func(path string, folders []string) bool {
		return slices.ContainsFunc(folders, func(f string) bool { return strings.HasPrefix(path, f+"/") })
	}
	eachSource(t, func(local string, set *token.FileSet, file *ast.File) {
		isTest := strings.HasSuffix(local, "_test.go")
		if within(local, playAgents) || isTest && within(local, opaque) {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			if slices.Contains(names, text) || !isTest && word.MatchString(text) {
				t.Errorf("%s:%d names a hook of an agent: %.60s", local, set.Position(lit.Pos()).Line, lit.Value)
			}
			return true
		})
		for _, group := range file.Comments {
			if name := word.FindString(group.Text()); name != "" && !isTest {
				t.Errorf("%s:%d: a comment names a hook of an agent: %s", local, set.Position(group.Pos()).Line, name)
			}
		}
	})
}

// eachSource calls f with each file of Go of the repository, and its path below the root.
func eachSource(t *testing.T, f func(local string, set *token.FileSet, file *ast.File)) {
	t.Helper()
	root, files := filepath.Join("..", ".."), 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		local, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		local = filepath.ToSlash(local)
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && local != ".") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(local, ".go") {
			return nil
		}
		files++
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		f(local, set, file)
		return nil
	})
	if err != nil || files < 300 {
		t.Fatalf("%d files, %v", files, err)
	}
}
