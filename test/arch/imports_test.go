package arch

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// module is the path of this module; packages below are named without it.
const module = "ccdir"

// testOnly are packages that exist for tests, benchmarks and tools: they may
// import anything, and nothing else may import them.
var testOnly = []string{"test/arch", "test/fakeapi", "internal/cells/widthgen", "internal/gitstatus/traptest", "internal/text/redact/rulesgen", "usage/prices/gen", "daemon/httpapi/openapi/source", "sessions/screen/vt/vtdiff", "test/realcli", "test/realcli/codex", "test/realcli/gemini", "test/realcli/opencode", "test/drill", "test/faults", "test/tmux", "test/browser", "test/nodes", "test/programs", "test/service", "test/programs/mortal", "test/vconsole", "cmd/ccdir-bench", "cmd/ccdir-drill", "cmd/ccdir-fakeapi", "cmd/ccdir-man"}

// barred are imports from outside the module that a part of the tree must not
// reach, even through others.
var barred = []struct {
	who, what []string
	why       string
}{
	{
		who:  []string{"tui/...", "client"},
		what: []string{"sessions", "sessions/host", "sessions/screen/...", "hooks", "orchestrator", "mcpserver/...", "daemon/store", "daemon/..."},
		why:  "a client must not reach a server package",
	},
	{
		who:  []string{"", "cmd/ccdir-daemon", "cmd/ccdir-fleet", "cmd/ccdir-shim"},
		what: []string{"github.com/chromedp/...", "github.com/go-json-experiment/..."},
		why:  "a browser is driven by tests alone",
	},
	{
		who:  []string{"", "cli/..."},
		what: []string{"daemon/...", "daemon/process", "daemon/store", "mcpserver", "modernc.org/sqlite", "github.com/mark3labs/mcp-go/server"},
		why:  "the command line must start at once: what only the daemon needs is in ccdir-daemon",
	},
	{
		who:  []string{"sessions/...", "hooks", "orchestrator", "mcpserver/...", "daemon/...", "daemon/store", "daemon/journal"},
		what: []string{"charm.land/bubbletea/...", "charm.land/lipgloss/...", "charm.land/bubbles/..."},
		why:  "a server package must not reach the terminal interface's libraries",
	},
	{
		who:  []string{"", "cli/...", "client/...", "tui/...", "daemon/...", "cmd/ccdir-daemon", "cmd/ccdir-shim/...", "sessions/...", "orchestrator/..."},
		what: []string{"github.com/nats-io/...", "fleet/..."},
		why:  "one machine runs and links nothing of a fleet",
	},
	{
		who:  []string{"sessions/...", "hooks", "orchestrator", "mcpserver/...", "daemon/journal", "agents/..."},
		what: []string{"daemon/store", "modernc.org/sqlite"},
		why:  "only the composition root knows the store",
	},
}

// pure are packages that compute values from values, without I/O, clock or processes.
var pure = []string{"internal/cells", "internal/keymap", "sessions/state", "sessions/scrollback", "sessions/host/keyenc", "tui/copymode/core", "tui/widget/modal", "tui/widget/edit", "tui/widget/fuzzy", "tui/terminal/input", "tui/widget/listbox", "tui/widget/turns", "tui/paint", "tui/answer/request", "tui/lists/sessionlist", "tui/widget/sgr", "tui/widget/theme", "tui/grid/tiling", "tui/widget/format", "usage"}

// world are packages of the standard library, and below it, that reach out of the
// process.
var world = []string{"os/...", "io/fs", "io/ioutil", "net/...", "syscall", "golang.org/x/sys/...", "internal/tune/rawio"}

type goPackage struct {
	ImportPath string
	Imports    []string
	Deps       []string
}

func TestImports(t *testing.T) {
	packages := load(t)
	if len(packages) < 10 {
		t.Fatalf("go list found only %d packages", len(packages))
	}
	for _, p := range packages {
		name := local(p.ImportPath)
		if slices.Contains(testOnly, name) {
			continue
		}
		may, known := rule(name)
		if !known {
			t.Errorf("package %q has no rule: add it to allowed or testOnly", name)
			continue
		}
		for _, imp := range p.Imports {
			if !inModule(imp) {
				continue
			}
			dep := local(imp)
			if slices.Contains(testOnly, dep) {
				t.Errorf("%s imports %s, which is for tests only", name, dep)
			} else if !matches(dep, may) {
				t.Errorf("%s must not import %s", name, dep)
			}
		}
		for _, b := range barred {
			if !matches(name, b.who) {
				continue
			}
			for _, dep := range p.Deps {
				if d := local(dep); matches(d, b.what) && d != name {
					t.Errorf("%s reaches %s: %s", name, d, b.why)
				}
			}
		}
	}
}

// TestTopLevelSubjects: the four server subjects don't know one another.
func TestTopLevelSubjects(t *testing.T) {
	subjects := []string{"sessions", "hooks", "orchestrator", "mcpserver"}
	for _, p := range load(t) {
		name := local(p.ImportPath)
		root, _, _ := strings.Cut(name, "/")
		if !slices.Contains(subjects, root) {
			continue
		}
		for _, dep := range p.Deps {
			other, _, _ := strings.Cut(local(dep), "/")
			if inModule(dep) && other != root && slices.Contains(subjects, other) {
				t.Errorf("%s reaches %s: sessions, hooks, orchestrator and mcpserver don't import one another", name, local(dep))
			}
		}
	}
}

// TestPure: pure packages import nothing that reaches out of the process.
func TestPure(t *testing.T) {
	for _, p := range load(t) {
		name := local(p.ImportPath)
		if !slices.Contains(pure, name) {
			continue
		}
		for _, imp := range p.Imports {
			if matches(local(imp), world) {
				t.Errorf("%s imports %s: it is to make values of values", name, local(imp))
			}
		}
	}
}

func load(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-tags", "split", "-json=ImportPath,Imports,Deps", module+"/...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	var all []goPackage
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// rule finds what name may import: its own entry or that of the nearest parent.
func rule(name string) ([]string, bool) {
	if may, ok := allowed[name]; ok {
		return may, true
	}
	parents := slices.Sorted(maps.Keys(allowed))
	slices.Reverse(parents)
	for _, parent := range parents {
		if parent != "" && strings.HasPrefix(name, parent+"/") {
			return append(slices.Clone(allowed[parent]), parent+"/..."), true
		}
	}
	return nil, false
}

func inModule(path string) bool { return path == module || strings.HasPrefix(path, module+"/") }

func local(path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, module), "/")
}

func matches(name string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		if p == "..." {
			return true
		}
		if tree, ok := strings.CutSuffix(p, "/..."); ok {
			return name == tree || strings.HasPrefix(name, tree+"/")
		}
		return name == p
	})
}
