package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

// active are the types of tui and tui/ui that change state, call the daemon, read or
// write. A view that names none of them cannot reach one, since neither a scene nor an
// Env holds one.
var active = []string{"model", "program", "layer", "outbox", "cmd", "reader", "router", "painter", "inbox", "Options", "Client", "Call", "Effect"}

// reads are the methods of a pane that a view may call; a pane's rows change
// independently of the scene.
var reads = []string{"HasPicture", "Generation"}

// clocks are functions of the package time that depend on when they are called.
var clocks = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "NewTimer", "NewTicker", "Tick"}

// TestViewsArePure: the views of the grid (tui/view_*.go, and view*.go in the folders
// of its components) compute a picture from a scene, or from a component and its Env.
// They name nothing that changes state, read no clock, and import neither packages that
// reach out of the process nor Bubble Tea.
func TestViewsArePure(t *testing.T) {
	var files []string
	for _, pattern := range []string{"view_*.go", "*/view*.go", "*/*/view*.go"} {
		more, err := filepath.Glob("../../tui/" + pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	views := 0
	for _, path := range files {
		name := filepath.Base(path)
		if matched, _ := filepath.Match("*_test.go", name); matched || filepath.Base(filepath.Dir(path)) == "pane" { // what a host is to send
			continue
		}
		views++
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, imp := range file.Imports {
			dep, err := strconv.Unquote(imp.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if dep = local(dep); matches(dep, world) || matches(dep, []string{"charm.land/bubbletea/...", "client", "wire", "tui/terminal", "tui/terminal/tty"}) {
				t.Errorf("%s imports %s: views make pictures of a scene, and do nothing else", name, dep)
			}
		}
		fields := map[*ast.Ident]bool{} // another thing of the same name
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				fields[n.Sel] = true
				if x, ok := n.X.(*ast.SelectorExpr); ok && x.Sel.Name == "pane" && !slices.Contains(reads, n.Sel.Name) {
					t.Errorf("%s uses pane.%s: views only read", name, n.Sel.Name)
				}
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "time" && slices.Contains(clocks, n.Sel.Name) {
					t.Errorf("%s asks time.%s: the scene says what time it is", name, n.Sel.Name)
				}
			case *ast.KeyValueExpr:
				if key, ok := n.Key.(*ast.Ident); ok {
					fields[key] = true
				}
			case *ast.Ident:
				if !fields[n] && slices.Contains(active, n.Name) {
					t.Errorf("%s names %s: views make pictures of a scene, and do nothing else", name, n.Name)
				}
			}
			return true
		})
	}
	if views < 5 {
		t.Fatalf("only %d views were found", views)
	}
}
