package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// toolTables are the two files that name tools outside of adapters: ccdir's own names, and what
// the policy knows of those that have none.
var toolTables = []string{"api/tools.go", "policy/words.go"}

// notTools are texts that are the name of a tool too: labels of a dialog's fields, a program.
var notTools = map[string][]string{"tui/dialogs/newsession/newsession.go": {"Agent"}, "tui/lists/queue/form.go": {"Agent"}, "policy/shell/programs.go": {"apply_patch"}}

// nameOfTool matches a text that can only be meant as a name: the others (read, patch, replace)
// are words of English, of shells and of ccdir's own tools.
var nameOfTool = regexp.MustCompile(`^[A-Za-z]\w*$`)

func isPlain(name string) bool { return strings.ToLower(name) == name && !strings.Contains(name, "_") }

// toolNames are the names of tools in the tables, in the adapters' words, and in the lists of what
// each CLI offers.
func toolNames(t *testing.T) (names []string) {
	add := func(name string) {
		if nameOfTool.MatchString(name) && !isPlain(name) && !strings.HasPrefix(name, "mcp__") {
			names = append(names, name)
		}
	}
	literal := func(e ast.Expr) {
		if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			add(strings.Trim(lit.Value, `"`))
		}
	}
	files, err := filepath.Glob("../../agents/*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range toolTables {
		files = append(files, "../../"+table)
	}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec: // of constants: Tool…
				if len(n.Values) == 1 && strings.HasPrefix(n.Names[0].Name, "Tool") {
					literal(n.Values[0])
				}
			case *ast.CompositeLit:
				of, words := n.Type.(*ast.SelectorExpr)
				if words = words && of.Sel.Name == "Words"; !words && !slices.Contains(toolTables, strings.TrimPrefix(path, "../../")) {
					return true
				}
				for _, e := range n.Elts {
					if pair, ok := e.(*ast.KeyValueExpr); ok {
						literal(pair.Key)
					}
				}
			}
			return true
		})
	}
	lists, err := filepath.Glob("../../agents/*/testdata/tools.txt")
	if err != nil || len(lists) < 3 {
		t.Fatal(lists, err)
	}
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range strings.Fields(string(text)) {
			add(name)
		}
	}
	for _, one := range []string{"Bash", "Patch", "MultiEdit", "NotebookEdit", "Monitor", "TaskCreate", "apply_patch", "write_stdin", "spawn_agent", "run_shell_command"} {
		if !slices.Contains(names, one) {
			t.Fatalf("%s is not among the names of tools: %q", one, names)
		}
	}
	return names
}

// TestCoreNamesNoTool: what an agent calls its tools ends at its adapter. What ccdir gives a meaning
// has a constant in api, and no other package has the name of a tool in a literal, alone or
// as a rule about it.
func TestCoreNamesNoTool(t *testing.T) {
	names := toolNames(t)
	eachSource(t, func(local string, set *token.FileSet, file *ast.File) {
		within := func(folder string) bool { return strings.HasPrefix(local, folder+"/") }
		if strings.HasSuffix(local, "_test.go") || within("agents") || within("test") || slices.ContainsFunc(testOnly, within) || slices.Contains(toolTables, local) {
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
			name, _, _ := strings.Cut(text, "(")
			if slices.Contains(names, name) && !slices.Contains(notTools[local], text) {
				t.Errorf("%s:%d names a tool: %.60s; use a constant of api/tools.go, or put what is particular to one agent into its adapter", local, set.Position(lit.Pos()).Line, lit.Value)
			}
			return true
		})
	})
}
