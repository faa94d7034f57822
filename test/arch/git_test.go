package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// gitDoor is the only package that runs git, gitActs are the only files that run it with a
// repository's own settings, which name programs.
const gitDoor = "internal/gitstatus"

var gitActs = []string{"worktrees/git.go"}

// gitWords are the functions that are given "git" as a word and do not run it; the folder
// policy/shell, which reads command lines, is full of them.
var gitWords = map[string]string{
	"cli/doctor/ccdir.go one":                      "the name of a check",
	"daemon/repositories/pullrequest.go permitGit": "a rule is asked about",
	"daemon/repositories/worktrees.go permitGit":   "a rule is asked about",
	"daemon/repositories/wayout.go permits":        "a rule is asked about",
	"daemon/tools/policy.go return":                "a rule is asked about",
	"daemon/tools/policy.go []string":              "a rule is asked about",
	"worktrees/facts.go Join":                      "a folder of settings",
	"config/tools.go []string":                     "the name of a tool",
	"internal/keymap/grid.go Beside":               "the name of a tool",
	"internal/keymap/brief.go Beside":              "the name of a tool",
	"tui/floating/floating.go literal":             "the name of a tool",
}

// TestGitDoor: nothing but internal/gitstatus runs git, and nothing but what changes a
// repository runs it with the repository's settings.
func TestGitDoor(t *testing.T) {
	used := map[string]bool{}
	files := 0
	for name, file := range productFiles(t) {
		files++
		dir := path.Dir(name)
		if dir != gitDoor && dir != "policy/shell" {
			for _, use := range gitLiterals(file) {
				if key := name + " " + use; gitWords[key] != "" {
					used[key] = true
				} else {
					t.Errorf("%s: %q may run git: take internal/gitstatus (Run, Looking, a Look), or add the word to gitWords", name, use)
				}
			}
		}
		if dir != gitDoor && !slices.Contains(gitActs, name) && calls(file, "gitstatus", "Acting") {
			t.Errorf("%s runs git with the settings of the repository: take Run, Looking or a Look, or add it to gitActs", name)
		}
	}
	if files < 500 {
		t.Errorf("only %d files of the product were found", files)
	}
	for key := range gitWords {
		if !used[key] {
			t.Errorf("gitWords has %q, which is not there", key)
		}
	}
}

// TestGitLiterals: the ways to run git that the test before finds.
func TestGitLiterals(t *testing.T) {
	for body, want := range map[string]string{
		`exec.Command("git", "status")`:                  "Command",
		`exec.CommandContext(ctx, "/usr/bin/git")`:       "CommandContext",
		`exec.LookPath("git")`:                           "LookPath",
		`agents.FindExecutable("git", dir, env)`:         "FindExecutable",
		`run([]string{"git", "log"})`:                    "[]string",
		`run(append([]string{"git"}, args...)...)`:       "[]string",
		`exec.Command("sh", "-c", "cd x && git status")`: "Command",
		`exec.Command("env", "X=y", "git", "status")`:    "Command",
		`name := "git"`:                                  ":=",
		`const name = "git"`:                             "=",
		`exec.Command(cmp.Or(name, "git"))`:              "Or",
		`cmd.Path = "git"`:                               "=",
		`exec.Cmd{Path: "/bin/git"}`:                     "Path",
		`exec.Command("digit", "legit")`:                 "",
		`fmt.Errorf("git says: %w", err)`:                "",
		`exec.Command("gh", "pr", "view")`:               "",
		`filepath.Join(dir, ".git")`:                     "",
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\nfunc f() {\n"+body+"\n}", 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(gitLiterals(file), " "); got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}

// productFiles are the parsed Go files of the product, by path, without those for tests only.
func productFiles(t *testing.T) map[string]*ast.File {
	t.Helper()
	root := filepath.Join("..", "..")
	files := map[string]*ast.File{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		switch {
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && rel != "." || slices.Contains(testOnly, rel)):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go"):
			return nil
		}
		files[rel], err = parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// gitLiterals are the places where a file has git as a program, by what takes it: a
// function, a type, a field, a sign.
func gitLiterals(file *ast.File) (places []string) {
	var around []ast.Node
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil {
			around = around[:len(around)-1]
			return true
		}
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			text, err := strconv.Unquote(lit.Value)
			place := taker(around)
			line := strings.Contains(" "+text+" ", " git ") && (place == "Command" || place == "CommandContext")
			if err == nil && (text == "git" || strings.HasSuffix(text, "/git") && !strings.HasPrefix(text, ".") || line) && !slices.Contains(places, place) {
				places = append(places, place)
			}
		}
		around = append(around, n)
		return true
	})
	return places
}

// taker names what takes a value: the innermost call, literal, field or assignment around it.
func taker(around []ast.Node) string {
	for _, n := range slices.Backward(around) {
		switch n := n.(type) {
		case *ast.CallExpr:
			switch f := n.Fun.(type) {
			case *ast.SelectorExpr:
				return f.Sel.Name
			case *ast.Ident:
				return f.Name
			}
			return "call"
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok {
				return key.Name
			}
		case *ast.CompositeLit:
			if a, ok := n.Type.(*ast.ArrayType); ok {
				if elt, ok := a.Elt.(*ast.Ident); ok {
					return "[]" + elt.Name
				}
			}
			return "literal"
		case *ast.AssignStmt:
			return n.Tok.String()
		case *ast.ValueSpec:
			return "="
		case *ast.ReturnStmt:
			return "return"
		}
	}
	return "value"
}

// calls reports whether a file takes a function of a package.
func calls(file *ast.File, pkg, function string) (found bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == function {
			if id, ok := s.X.(*ast.Ident); ok && id.Name == pkg {
				found = true
			}
		}
		return true
	})
	return found
}
