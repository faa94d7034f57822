package mcpserver

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ccdir/api"
)

// watched is a session whose linter is a shell script, in a git work tree.
type watched struct {
	t        *testing.T
	s        *Server
	c        *client
	dir, out string // out is a directory outside of the work tree
	id       string
}

// newWatched makes one; the script has OUT for its out. The watch is not begun.
func newWatched(t *testing.T, script string) *watched {
	t.Helper()
	out := t.TempDir()
	dir := grow(t, map[string]string{".gitignore": "ignored\n", "a.txt": "one\n", "b.txt": "one\n",
		".ccdir.toml": "[commands.lint]\nrun = ['sh', '-c', '''" + strings.ReplaceAll(script, "OUT", out) + "''']\ndecoder = 'gcc'\n"})
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "all"}} {
		if text, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git: %s", text)
		}
	}
	s := New(Options{LogDir: t.TempDir()})
	s.runs.lookEvery = 10 * time.Millisecond
	t.Cleanup(s.Close)
	return &watched{t: t, s: s, dir: dir, out: out, c: connect(t, s, Caller{Session: "s1", Role: api.RoleDev, Dir: dir, Env: environ()})}
}

// begin begins the watch and returns the first result.
func (w *watched) begin() Result {
	w.t.Helper()
	res := result(w.t, w.c.call("lint", map[string]any{"watch": true}))
	w.id = res.Watch
	if w.id == "" || !strings.Contains(res.Summary, "run_output "+w.id) {
		w.t.Fatalf("no watch: %+v", res)
	}
	return res
}

func (w *watched) write(name, text string) {
	w.t.Helper()
	tmp := filepath.Join(w.out, "tmp") // at once, as half a file would be one more change
	if err := os.WriteFile(tmp, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Rename(tmp, filepath.Join(w.dir, name)); err != nil {
		w.t.Fatal(err)
	}
}

// output is run_output, which waits for a result of the files as they are.
func (w *watched) output() RunResult {
	w.t.Helper()
	return ran(w.t, w.c.call("run_output", map[string]any{"id": w.id, "wait_seconds": 300}))
}

func (w *watched) run() *oneRun {
	w.t.Helper()
	run, err := w.s.runs.get("s1", w.id)
	if err != nil {
		w.t.Fatal(err)
	}
	return run
}

// looked waits for some looks at the files that begin from now on.
func (w *watched) looked() {
	w.t.Helper()
	looks := func() int {
		run := w.run().watch
		run.mu.Lock()
		defer run.mu.Unlock()
		return run.looks
	}
	for from, until := looks(), time.Now().Add(time.Minute); looks() < from+4; time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			w.t.Fatal("nobody looks")
		}
	}
}

// TestWatch: a change causes one run, what the run itself, git or a build writes none.
func TestWatch(t *testing.T) {
	w := newWatched(t, `echo x >> OUT/runs; date +%N > report; echo x >> ignored; if grep -q bad a.txt; then echo "a.txt:1:1: error: bad"; exit 1; fi`)
	if res := w.begin(); res.Status != "ok" {
		t.Errorf("first: %+v", res)
	}
	count := func(want int) {
		t.Helper()
		w.looked()
		data, err := os.ReadFile(filepath.Join(w.out, "runs"))
		if n := strings.Count(string(data), "x"); n != want || err != nil {
			t.Fatalf("%d runs, want %d: %+v, %v", n, want, w.output(), err)
		}
	}
	count(1)
	if got := w.output(); got.Status != "ok" || got.Runs != 1 || len(got.Changed) != 0 || !strings.Contains(got.Summary, "written by the run itself: report") {
		t.Errorf("after the first: %+v", got)
	}
	w.write("a.txt", "bad\n")
	got := w.output()
	if got.Status != "failed" || got.ExitCode != 1 || got.Runs != 2 || len(got.Changed) != 1 || got.Changed[0] != "a.txt" || len(got.Result.Errors) != 1 || got.Result.Errors[0].Message != "bad" {
		t.Errorf("after a change: %+v", got)
	}
	count(2)
	w.write("ignored", "")
	if text, err := exec.Command("git", "-C", w.dir, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qam", "more").CombinedOutput(); err != nil {
		t.Fatalf("git: %s", text)
	}
	count(2)
	w.write("new.txt", "")
	if err := os.Remove(filepath.Join(w.dir, "b.txt")); err != nil {
		t.Fatal(err)
	}
	if got = w.output(); strings.Join(got.Changed, " ") != "b.txt new.txt" && got.Runs != 4 { // two if it looked in between
		t.Errorf("after others: %+v", got)
	}
	// A project that cannot be read is a result, and mended by the next change.
	config, err := os.ReadFile(filepath.Join(w.dir, ".ccdir.toml"))
	if err != nil {
		t.Fatal(err)
	}
	w.write(".ccdir.toml", "nothing\n")
	if got = w.output(); got.Status != "error" || !strings.Contains(got.Summary, ".ccdir.toml") {
		t.Errorf("broken: %+v", got)
	}
	w.write(".ccdir.toml", string(config))
	if got = w.output(); got.Status != "failed" {
		t.Errorf("mended: %+v", got)
	}
}

// TestWatchDuringRun: an edit while the command runs is not missed; files that every run
// changes under new names end it.
func TestWatchDuringRun(t *testing.T) {
	w := newWatched(t, `if [ -e OUT/hold ]; then touch OUT/holds; while [ -e OUT/hold ]; do sleep 0.02; done; fi; if [ -e OUT/fresh ]; then date > fresh$$; fi; cat a.txt b.txt`)
	w.begin()
	hold := filepath.Join(w.out, "hold")
	if err := os.WriteFile(hold, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w.write("a.txt", "two\n")
	waitFor(t, filepath.Join(w.out, "holds"))
	if got := ran(t, w.c.call("run_output", map[string]any{"id": w.id})); got.Status != "running" || got.Runs != 1 || got.Result.Status != "ok" {
		t.Errorf("while it runs: %+v", got)
	}
	w.write("b.txt", "two\n")
	if err := os.Remove(hold); err != nil {
		t.Fatal(err)
	}
	if got := w.output(); got.Runs != 3 || got.Changed[0] != "b.txt" || !strings.Contains(got.Result.Output, "two\ntwo\n") {
		t.Errorf("%+v", got)
	}
	if err := os.WriteFile(filepath.Join(w.out, "fresh"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w.write("a.txt", "three\n")
	got := w.output()
	w.looked()
	if again := w.output(); got.Runs != 3+1+maxChain || again.Runs != got.Runs || !strings.Contains(got.Summary, "written by the run itself: fresh") {
		t.Errorf("%d runs, then %d: %s", got.Runs, again.Runs, got.Summary)
	}
}

// TestWatchEnds: run_stop, another watch of the same, the limit and the session's end end it.
func TestWatchEnds(t *testing.T) {
	w := newWatched(t, `true`)
	w.begin()
	first := w.run()
	w.begin()
	if first.running() || w.run() == first {
		t.Error("two watches of the same")
	}
	if got := ran(t, w.c.call("run_stop", map[string]any{"id": w.id})); got.Status != "cancelled" || got.Result.Status != "ok" || !strings.Contains(got.Summary, "stopped") {
		t.Errorf("stopped: %+v", got)
	}
	res := callResult{IsError: true}
	for w.s.runs.maxWatch = time.Second; res.IsError; w.s.runs.maxWatch *= 2 { // the first run may be slower
		res = w.c.call("lint", map[string]any{"watch": true})
	}
	w.id = result(t, res).Watch
	<-w.run().ended
	if got := w.output(); got.Status != "timeout" || got.Result.Status != "ok" || !strings.Contains(got.Summary, "ended by itself") {
		t.Errorf("limit: %+v", got)
	}
	w.s.runs.maxWatch = maxWatch
	w.begin()
	last := w.run()
	w.s.EndSession("s1")
	<-last.ended
	if res := w.c.call("lint", map[string]any{"watch": true}); !res.IsError || !strings.Contains(res.Content[0].Text, "has ended") {
		t.Errorf("after the end: %+v", res)
	}
}

// TestWatchRefused: guests, and folders outside of git, have none; format has no such option.
func TestWatchRefused(t *testing.T) {
	w := newWatched(t, `true`)
	guest := connect(t, w.s, Caller{Role: api.RoleGuest, Dir: w.dir, Env: environ()})
	if res := guest.call("lint", map[string]any{"watch": true}); !res.IsError {
		t.Errorf("guest: %+v", res)
	}
	if res := w.c.call("format", map[string]any{"watch": true}); !res.IsError {
		t.Errorf("format: %+v", res)
	}
	bare := connect(t, w.s, Caller{Session: "s2", Role: api.RoleDev, Dir: grow(t, map[string]string{"go.mod": "module m\n"}), Env: environ()})
	if res := bare.call("compile", map[string]any{"watch": true}); !res.IsError || !strings.Contains(res.Content[0].Text, "no git work tree") {
		t.Errorf("no git: %+v", res)
	}
}

// TestWatchGo: the same with real tests.
func TestWatchGo(t *testing.T) {
	w := newWatched(t, `true`)
	w.write("go.mod", "module m\n\ngo 1.26\n")
	w.write("a_test.go", "package m\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n")
	first := result(t, w.c.call("test", map[string]any{"watch": true, "name": "TestA"}))
	if w.id = first.Watch; first.Status != "ok" || first.Tests.Passed != 1 {
		t.Fatalf("%+v", first)
	}
	w.write("a_test.go", "package m\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { t.Error(\"no\") }\n")
	got := w.output()
	if got.Status != "failed" || got.Runs != 2 || len(got.Result.Tests.Failures) != 1 {
		t.Errorf("%+v", got)
	}
}
