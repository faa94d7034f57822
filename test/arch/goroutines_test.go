package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// naked are the files of the daemon's process with goroutines, or groups of them, that are not
// internal/contain's, and why a panic there may end the daemon, or cannot be.
var naked = map[string]string{
	"internal/contain/contain.go": "it contains them",
	"daemon/journal/log.go":       "nothing is acknowledged without the one writer: the daemon ends, and the next one begins with what is on disk",
	"daemon/store/store.go":       "the same; what callers write is contained, write by write",
	"daemon/listen/server.go":     "counts calls of the HTTP server, whose handlers are contained",
	"daemon/tools/server.go":      "the same",
	"sandbox/proxy/proxy.go":      "hosts run it, which link little; what serves a connection recovers",
	"sessions/registry.go":        "counts ends of requests, which contained goroutines record",

	"internal/tune/timeslice/slice_linux.go": "hosts link it, which link little; it starts a program",

	"nodes/mux/mux.go":    linkAlone,
	"nodes/mux/stream.go": linkAlone,
	"nodes/link/ask.go":   linkAlone,
	"nodes/link/link.go":  linkAlone,
	"nodes/link/serve.go": linkAlone,
	"nodes/link/ssh.go":   linkAlone,
}

// linkAlone: the daemon links the package, but runs none of its goroutines.
const linkAlone = "links run it, processes of their own: one that ends is started again"

// TestPanicsAreContained: each goroutine of the daemon's process begins in internal/contain, so
// that a panic ends neither the daemon nor, with it, everybody's grids. Hosts are other processes.
func TestPanicsAreContained(t *testing.T) {
	packages := load(t)
	at := slices.IndexFunc(packages, func(p goPackage) bool { return local(p.ImportPath) == "daemon" })
	if at < 0 {
		t.Fatal("there is no package daemon")
	}
	found := map[string]bool{}
	for _, name := range append(packages[at].Deps, packages[at].ImportPath) {
		if !inModule(name) {
			continue
		}
		files, err := filepath.Glob(filepath.Join("../..", filepath.FromSlash(local(name)), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			file := local(name) + "/" + filepath.Base(path)
			for _, what := range nakedIn(t, path) {
				if found[file] = true; naked[file] == "" {
					t.Errorf("%s: use internal/contain", what)
				}
			}
		}
	}
	for file := range naked {
		if !found[file] {
			t.Errorf("naked names %s, which has no goroutine of its own", file)
		}
	}
}

// nakedIn lists the go statements and the uses of sync.WaitGroup in a file.
func nakedIn(t *testing.T, path string) (list []string) {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			list = append(list, set.Position(n.Pos()).String()+" starts a goroutine")
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && x.Name == "sync" && n.Sel.Name == "WaitGroup" {
				list = append(list, set.Position(n.Pos()).String()+" has a sync.WaitGroup")
			}
		}
		return true
	})
	return list
}
