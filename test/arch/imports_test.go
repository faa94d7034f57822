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

// allowed lists, for each package of the module, which packages of the module
// it may import directly. A prefix ending in "/..." stands for a package and
// all below it. Packages of tests and tools are in testOnly.
var allowed = map[string][]string{
	"internal/tune/timer":      {},
	"internal/cells":           {},
	"api/hint":                 {},
	"internal/disk/atomicfile": {},
	"api":                      {},
	"internal/disk/paths":      {},
	"internal/proc":            {},
	"internal/noask":           {},
	"internal/onethread":       {},
	"internal/tune/ratelimit":  {},
	"wire/directline":          {},
	"internal/tune/timeslice":  {},
	"internal/stack":           {},
	"internal/tune/rawio":      {},
	"internal/text/redact":     {},
	"internal/disk/untrusted":  {},
	"internal/text/spelling":   {},
	"internal/text/textsafe":   {},
	"internal/text/tomltext":   {},
	"internal/gitstatus":       {"internal/text/textsafe"},
	"hooks/call":               {"api", "internal/disk/paths", "internal/proc"},
	"agents/demo":              {"api"},
	"wire":                     {"internal/cells", "internal/proc", "internal/tune/rawio"},
	"config":                   {"api", "internal/text/redact", "internal/text/spelling", "internal/text/tomltext", "internal/keymap"},
	"wire/ancestry":            {"wire", "internal/disk/paths", "internal/proc"},
	"internal/keymap":          {"internal/text/spelling"},
	"daemon/store":             {"api/hint", "api", "internal/disk/atomicfile"},
	"daemon/journal":           {"api"},
	"daemon/journal/overflow":  {"api", "internal/disk/atomicfile"},
	"agents":                   {"api", "config", "internal/disk/paths", "internal/disk/untrusted", "internal/text/textsafe"},
	"sessions/screen":          {"internal/cells"},
	"sessions/screen/vt":       {"sessions/screen", "internal/cells"},
	"sessions/screen/vt10x":    {"sessions/screen", "internal/cells"},
	"sessions/screen/render":   {"sessions/screen/...", "internal/cells"},
	"sessions/host":            {"sessions/screen/...", "internal/disk/atomicfile", "internal/cells", "wire", "internal/proc", "internal/tune/rawio", "internal/disk/paths", "wire/ancestry", "wire/directline", "internal/tune/timeslice"},
	"sessions":                 {"internal/tune/timer", "api/hint", "internal/disk/atomicfile", "wire", "internal/cells", "api", "config", "agents", "internal/tune/ratelimit", "internal/disk/paths", "internal/proc", "internal/disk/untrusted", "internal/text/textsafe"},
	"hooks":                    {"api", "agents"},
	"policy":                   {"internal/text/textsafe", "internal/text/tomltext"},
	"policy/enforce":           {"api", "internal/disk/atomicfile", "policy", "internal/disk/untrusted", "internal/text/textsafe"},
	"policy/approvals":         {"api"},
	"daemon/mailbox":           {"api"},
	"daemon/generations":       {"api", "internal/disk/atomicfile"},
	"agents/oneshot":           {"internal/disk/paths"},
	"mcpserver/bridge":         {"api", "internal/disk/paths", "internal/proc"},
	"orchestrator":             {"api/hint", "api"},
	"mcpserver":                {"api", "internal/text/redact", "mcpserver/..."},
	"mcpserver/files":          {"internal/gitstatus"},
	"mcpserver/diag":           {"internal/disk/untrusted"},
	"mcpserver/project":        {"internal/gitstatus", "internal/disk/untrusted"},
	"daemon":                   {"..."},
	"daemon/httpapi":           {"internal/tune/timer", "api/hint", "api", "daemon/journal", "internal/tune/ratelimit", "internal/proc", "wire", "internal/cells", "daemon/httpapi/openapi", "internal/text/textsafe"},
	"daemon/httpapi/openapi":   {},
	"client":                   {"api/hint", "api", "wire", "internal/disk/paths", "wire/ancestry", "internal/proc", "internal/text/textsafe", "wire/directline", "internal/tune/timeslice"},
	"tui":                      {"internal/tune/timer", "internal/cells", "api", "wire", "internal/keymap", "internal/proc", "internal/tune/rawio", "internal/disk/untrusted", "internal/stack", "internal/text/textsafe", "wire/directline", "internal/tune/timeslice", "tui/..."},
	"tui/pane":                 {"wire/directline", "internal/cells", "wire", "internal/stack", "internal/text/textsafe", "tui/widget/sgr"},
	"tui/paint":                {"internal/cells"},
	"tui/copymode":             {"internal/cells"},
	"tui/grid/tiling":          {"api", "tui/paint"},
	"tui/widget/edit":          {"internal/cells", "tui/paint"},
	"tui/prompt/history":       {},
	"tui/answer/request":       {"api", "internal/cells", "internal/text/textsafe", "tui/paint", "tui/widget/theme"},
	"tui/terminal/input":       {"internal/keymap"},
	"tui/attention/notify":     {"internal/text/textsafe"},
	"tui/terminal/tty":         {"internal/tune/rawio", "tui/terminal/input", "tui/paint"},
	"tui/widget/modal":         {"internal/cells", "internal/keymap", "internal/text/textsafe", "tui/paint", "tui/widget/sgr", "tui/widget/theme"},
	"tui/widget/listbox":       {"internal/cells", "internal/keymap", "tui/widget/modal", "tui/widget/edit", "tui/paint", "tui/widget/sgr", "tui/widget/theme", "tui/grid/tiling"},
	"tui/lists/sessionlist":    {"api", "internal/text/textsafe", "tui/widget/fuzzy"},
	"tui/widget/sgr":           {"internal/cells", "tui/paint"},
	"tui/widget/theme":         {"api", "internal/cells"},
	"tui/widget/fuzzy":         {},
	"tui/widget/format":        {},
	"cli":                      {"..."},
	"":                         {"cli", "internal/noask", "internal/onethread"},
	"daemon/process":           {"daemon", "client", "internal/disk/paths"},
	"cmd/ccdir-daemon":         {"daemon/process", "api", "internal/text/textsafe"},
	"cmd/ccdir-shim":           {"api", "hooks/call", "mcpserver/bridge", "agents/demo", "agents/oneshot", "wire", "sessions/host"},
}

// testOnly are packages that exist for tests, benchmarks and tools: they may
// import anything, and nothing else may import them.
var testOnly = []string{"test/arch", "test/fakeapi", "internal/cells/widthgen", "daemon/httpapi/openapi/source", "sessions/screen/vt/vtdiff", "test/realcli", "test/drill", "test/faults", "test/tmux", "test/programs", "test/programs/mortal", "test/vconsole", "cmd/ccdir-bench", "cmd/ccdir-fakeapi"}

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
		who:  []string{"", "cli"},
		what: []string{"daemon/...", "daemon/process", "daemon/store", "mcpserver", "modernc.org/sqlite", "github.com/mark3labs/mcp-go/server"},
		why:  "the command line must start at once: what only the daemon needs is in ccdir-daemon",
	},
	{
		who:  []string{"sessions/...", "hooks", "orchestrator", "mcpserver/...", "daemon/...", "daemon/store", "daemon/journal"},
		what: []string{"charm.land/bubbletea/...", "charm.land/lipgloss/...", "charm.land/bubbles/..."},
		why:  "a server package must not reach the terminal interface's libraries",
	},
	{
		who:  []string{"sessions/...", "hooks", "orchestrator", "mcpserver/...", "daemon/journal", "agents"},
		what: []string{"daemon/store", "modernc.org/sqlite"},
		why:  "only the composition root knows the store",
	},
}

// pure are packages that make values of values: they open, run and ask nothing.
var pure = []string{"internal/cells", "internal/keymap", "tui/copymode", "tui/widget/modal", "tui/widget/edit", "tui/widget/fuzzy", "tui/terminal/input", "tui/widget/listbox", "tui/paint", "tui/answer/request", "tui/lists/sessionlist", "tui/widget/sgr", "tui/widget/theme", "tui/grid/tiling", "tui/widget/format"}

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
			if slices.Contains(testOnly, dep) && dep != "test/drill" {
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

// TestPure: what is pure imports nothing that reaches out of the process.
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
