package realcli

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"ccdir/agents"
	"ccdir/test/fakeapi"
	"ccdir/test/programs"
)

// Other is an agent CLI besides Claude Code, pinned in the folder of its kind below
// testdata/agents and driven by the package of that name below this one. Without the CLI
// (`make agents-test` installs it) its tests are skipped with a line that says so, unless
// CCDIR_REQUIRE_AGENTS=1.
type Other struct {
	// Name is what people call it, Kind its adapter's kind.
	Name, Kind string
	// Program is a pattern of filepath.Glob for its executable below node_modules, with one match.
	Program string
	// Args are its arguments as config.toml has them; "" for none.
	Args string
	// Home makes a throw-away home in which it talks to the API at apiURL.
	Home func(t testing.TB, apiURL string) Place
}

// CLI returns the absolute path of the program. It skips or fails the test when there is none.
func (o Other) CLI(t testing.TB) string {
	t.Helper()
	folder := filepath.Join("testdata", "agents", o.Kind)
	if found, _ := filepath.Glob(filepath.Join(Root(t), folder, "node_modules", o.Program)); len(found) == 1 {
		return found[0]
	}
	missing := o.Name + " is not installed in " + folder + ": `make agents-test` installs it"
	if os.Getenv("CCDIR_REQUIRE_AGENTS") == "1" {
		t.Fatal(missing)
	}
	t.Skip(missing)
	return ""
}

// Table is its table of config.toml.
func (o Other) Table(t testing.TB) string {
	t.Helper()
	table := "[agents." + o.Kind + "]\ncommand = " + strconv.Quote(o.CLI(t)) + "\n"
	if o.Args != "" {
		table += "args = " + o.Args + "\n"
	}
	return table
}

// otherTime bounds a test: on a machine with much to do opencode alone takes a minute to start.
const otherTime = 8 * time.Minute

// Patience is the line of config.toml that gives the CLIs time on a busy machine.
const Patience = "send_timeout = \"60s\"\n"

// Product installs ccdir with the CLI in a home of its own, whose API follows the script (nil:
// Echo). The test runs in parallel with others; the context ends long after what it should take.
func (o Other) Product(t *testing.T, script fakeapi.Script) (context.Context, *Product, *fakeapi.Server) {
	t.Helper()
	t.Parallel()
	table := o.Table(t)
	fake := fakeapi.New(script)
	t.Cleanup(fake.Close)
	ctx, cancel := context.WithTimeout(t.Context(), otherTime)
	t.Cleanup(cancel)
	return ctx, InstallAgent(t, o.Home(t, fake.URL()), o.Kind, Patience+table), fake
}

// Main runs the tests of a package that drives another CLI, perCPU of them at once for each
// processor; for its TestMain.
func Main(m *testing.M, perCPU int) {
	_ = os.Setenv("GORACE", "atexit_sleep_ms=0")
	programs.Parallel(perCPU * runtime.GOMAXPROCS(0))
	os.Exit(programs.Main(func(dir string) { programsDir = dir }, m.Run))
}

// Platform is the system and processor in the names of npm's packages.
func Platform() string {
	arch := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	return runtime.GOOS + "-" + arch
}

// NewPlace makes a throw-away home, whose folder of settings is config below HOME, with a project.
// The environment has nothing inherited but PATH and what the CLI needs anywhere.
func NewPlace(t testing.TB, config ...string) Place {
	t.Helper()
	dir := placeDir(t)
	p := Place{Home: filepath.Join(dir, "home"), CWD: filepath.Join(dir, "project")}
	p.Config = filepath.Join(append([]string{p.Home}, config...)...)
	tmp, git := filepath.Join(dir, "tmp"), filepath.Join(p.CWD, ".git")
	// The project is a repository of its own: CLIs keep answers, and look for settings, in
	// the directory of the repository around it, and /tmp may be in one.
	for _, d := range []string{p.Config, tmp, filepath.Join(git, "objects"), filepath.Join(git, "refs", "heads")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(git, "HEAD"), []byte("ref: refs/heads/main\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.Env = agents.TerminalEnv([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.Home, "SHELL=/bin/sh", "TMPDIR=" + tmp,
		// Hooks may be this test's own program: built with -race it would sleep for a second
		// before each exit, and CLIs wait for their hooks.
		"GORACE=atexit_sleep_ms=0"}, "test")
	return p
}

// placeDir makes a directory that goes with the test, though the daemon may still write to it: it
// makes a last snapshot of a work tree after its session has ended.
func placeDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "place")
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for end := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Millisecond) {
			err := os.RemoveAll(dir)
			if err == nil {
				return
			}
			if time.Now().After(end) {
				t.Errorf("its directory cannot be removed: %v", err)
				return
			}
		}
	})
	return dir
}

// Configure writes files of the folder of settings, by their names below it.
func (p Place) Configure(t testing.TB, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(p.Config, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
