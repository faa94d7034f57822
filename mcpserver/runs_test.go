package mcpserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/mcpserver/runner"
)

func ran(t *testing.T, r callResult) RunResult {
	t.Helper()
	var res RunResult
	if err := json.Unmarshal(r.StructuredContent, &res); err != nil || r.IsError {
		t.Fatalf("%+v, %v", r, err)
	}
	return res
}

// printed is the output in order.
func printed(res RunResult) string {
	var b strings.Builder
	for _, p := range res.Output {
		b.WriteString(p.Text)
	}
	return b.String()
}

// TestRunOnce: a model reads each line once, without colours, and what a result costs beside the
// output is bounded.
func TestRunOnce(t *testing.T) {
	c := dial(t, Options{}, Caller{Session: "s1", Role: api.RoleDev, Dir: t.TempDir()})
	c.initialize()
	call := c.call("bash", map[string]any{"command": `seq 300; printf '\033[31mred\033[0m \033]8;;http://x\033\\link\033]8;;\033\\\n'`})
	res := ran(t, call)
	if text := printed(res); !strings.HasSuffix(text, "300\nred link\n") || res.Stdout != "" {
		t.Errorf("%q, stdout %q", text, res.Stdout)
	}
	if lines, all := len(printed(res))+300, len(call.StructuredContent); all > lines+900 {
		t.Errorf("%d bytes for %d of output", all, lines)
	}
}

// TestRunHalfSequence: a sequence of which only a part has come is left for the next result.
func TestRunHalfSequence(t *testing.T) {
	dir := t.TempDir()
	s := New(Options{LogDir: t.TempDir()})
	t.Cleanup(s.Close)
	c := connect(t, s, Caller{Session: "s1", Role: api.RoleDev, Dir: dir, Env: environ()})
	res := ran(t, c.call("bash", map[string]any{"command": `printf 'a\033[3'; while [ ! -e go ]; do sleep 0.02; done; printf '1mb'`, "background": true}))
	for printed(res) == "" {
		res = ran(t, c.call("run_output", map[string]any{"id": res.ID}))
	}
	if printed(res) != "a" || res.Bytes != 1 {
		t.Errorf("%q, %d bytes", printed(res), res.Bytes)
	}
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	res = ran(t, c.call("run_output", map[string]any{"id": res.ID, "from": res.Bytes, "wait_seconds": 600}))
	if printed(res) != "b" {
		t.Errorf("%q", printed(res))
	}
}

// TestRunStreams: both streams come apart, in order, and alone.
func TestRunStreams(t *testing.T) {
	c := dial(t, Options{}, Caller{Session: "s1", Role: api.RoleDev, Dir: t.TempDir()})
	c.initialize()
	res := ran(t, c.call("bash", map[string]any{"command": "echo 1; echo 2 >&2; echo 3; echo 4 >&2; exit 3"}))
	want := []runner.Piece{{Stream: "stdout", Text: "1\n"}, {Stream: "stderr", Text: "2\n"}, {Stream: "stdout", Text: "3\n"}, {Stream: "stderr", Text: "4\n"}}
	if runtime.GOOS == "linux" && !slices.Equal(res.Output, want) {
		t.Errorf("output %q", res.Output)
	}
	if res.Stdout != "" || res.Stderr != "" || res.Status != "failed" || res.ExitCode != 3 || res.Bytes != 8 || res.Truncated {
		t.Errorf("%+v", res)
	}
	res = ran(t, c.call("run_output", map[string]any{"id": res.ID, "apart": true}))
	if res.Stdout != "1\n3\n" || res.Stderr != "2\n4\n" || len(res.Output) != 0 || res.Bytes != 8 {
		t.Errorf("apart: %+v", res)
	}
	if res = ran(t, c.call("run", map[string]any{"command": "sh", "args": []string{"-c", "kill -KILL $$"}})); res.Signal != "killed" || res.ExitCode != -1 || !strings.Contains(res.Summary, "killed") {
		t.Errorf("%+v", res)
	}
	if res = ran(t, c.call("run", map[string]any{"command": "echo 1"})); res.Status != "error" || !strings.Contains(res.Summary, "use bash") {
		t.Errorf("%+v", res)
	}
	if res = ran(t, c.call("bash", map[string]any{"command": "yes | head -c 50000; echo lost >&2; yes | head -c 50000"})); res.Stderr != "lost\n" {
		t.Errorf("stderr %q of an output that is cut", res.Stderr)
	}
	res = ran(t, c.call("bash", map[string]any{"command": "yes | head -c 100000"}))
	if !res.Truncated || res.LeftOut.At != runKeep || res.LeftOut.Bytes != 100000-2*runKeep || res.Bytes != 100000 || !strings.Contains(res.Summary, "left out") {
		t.Errorf("left out %+v of %d: %s", res.LeftOut, res.Bytes, res.Summary)
	}
}

// TestBackground: a background command is read while it runs, listed, and stopped.
func TestBackground(t *testing.T) {
	dir := t.TempDir()
	s := New(Options{LogDir: t.TempDir()})
	t.Cleanup(s.Close)
	c := connect(t, s, Caller{Session: "s1", Role: api.RoleDev, Dir: dir, Env: environ()})
	bash := func(command string) RunResult {
		return ran(t, c.call("bash", map[string]any{"command": command, "background": true}))
	}
	res := bash("echo one; touch up; while [ ! -e go ]; do sleep 0.02; done; echo two; exit 4")
	if res.Status != "running" || !res.Background || res.ID == "" {
		t.Fatalf("%+v", res)
	}
	waitFor(t, filepath.Join(dir, "up"))
	output := func(args map[string]any) RunResult {
		args["id"] = res.ID
		return ran(t, c.call("run_output", args))
	}
	first := output(map[string]any{})
	for first.Bytes == 0 { // written, and on its way here
		first = output(map[string]any{})
	}
	if first.Status != "running" || printed(first) != "one\n" {
		t.Errorf("%+v", first)
	}
	var list runsOut
	if err := json.Unmarshal(c.call("run_list", map[string]any{}).StructuredContent, &list); err != nil || len(list.Runs) != 1 || list.Runs[0].ID != res.ID {
		t.Errorf("%+v, %v", list, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	end := output(map[string]any{"from": first.Bytes, "wait_seconds": 600})
	if end.Status != "failed" || end.ExitCode != 4 || printed(end) != "two\n" {
		t.Errorf("%+v", end)
	}
	if end = output(map[string]any{"from": first.Bytes, "apart": true}); end.Stdout != "two\n" {
		t.Errorf("%+v", end)
	}
	res = bash("sleep 600")
	if stopped := ran(t, c.call("run_stop", map[string]any{"id": res.ID})); stopped.Status != "cancelled" {
		t.Errorf("%+v", stopped)
	}
	if r := c.call("run_output", map[string]any{"id": "run99"}); !r.IsError || !strings.Contains(r.Content[0].Text, res.ID) {
		t.Errorf("%+v", r)
	}
	// Another session knows none of them.
	other := connect(t, s, Caller{Session: "s2", Role: api.RoleDev, Dir: dir, Env: environ()})
	for _, tool := range []string{"run_output", "run_stop"} {
		if r := other.call(tool, map[string]any{"id": res.ID}); !r.IsError {
			t.Errorf("%s: %+v", tool, r)
		}
	}
	guest := connect(t, s, Caller{Role: api.RoleGuest, Dir: dir, Env: environ()})
	if r := guest.call("run", map[string]any{"command": "true", "background": true}); !r.IsError {
		t.Errorf("%+v", r)
	}
}

// TestListWithFault: a command whose log failed is in the list with what is wrong, beside
// the others.
func TestListWithFault(t *testing.T) {
	dir := t.TempDir()
	s := New(Options{LogDir: t.TempDir()})
	t.Cleanup(s.Close)
	c := connect(t, s, Caller{Session: "s1", Role: api.RoleDev, Dir: dir, Env: environ()})
	faulty := &oneRun{owner: "s1", command: "make", dir: dir, began: time.Now(), cancel: func() {}, ended: make(chan struct{}), err: errors.New("the disk is full")}
	close(faulty.ended)
	if err := s.runs.add(faulty); err != nil {
		t.Fatal(err)
	}
	ran(t, c.call("run", map[string]any{"command": "true"}))
	var list runsOut
	if err := json.Unmarshal(c.call("run_list", map[string]any{"all": true}).StructuredContent, &list); err != nil || len(list.Runs) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	if r := list.Runs[0]; r.Status != runner.Error || r.Command != "make" || r.Problem != "the disk is full" {
		t.Errorf("%+v", r)
	}
	if r := list.Runs[1]; r.Status != runner.OK || r.Problem != "" {
		t.Errorf("%+v", r)
	}
}

// TestBackgroundBounds: their number is bounded, ended ones are forgotten in time, and
// all end with the session.
func TestBackgroundBounds(t *testing.T) {
	dir := t.TempDir()
	s := New(Options{LogDir: t.TempDir()})
	c := connect(t, s, Caller{Session: "s1", Role: api.RoleDev, Dir: dir, Env: environ()})
	start := func(command string) callResult {
		return c.call("bash", map[string]any{"command": command, "background": true})
	}
	for i := range maxBackground {
		ran(t, start(fmt.Sprintf("echo $$ > pid%d; exec sleep 600", i)))
	}
	if r := start("true"); !r.IsError || !strings.Contains(r.Content[0].Text, "run_stop") {
		t.Errorf("%+v", r)
	}
	for range keptRuns + 5 {
		ran(t, c.call("run", map[string]any{"command": "true"}))
	}
	if n := len(s.runs.list("s1")); n > maxBackground+keptRuns+1 {
		t.Errorf("%d commands are known", n)
	}
	all := s.runs.list("s1")
	s.EndSession("s1")
	for _, run := range all {
		<-run.ended
	}
	if r := start("true"); !r.IsError || !strings.Contains(r.Content[0].Text, "has ended") {
		t.Errorf("%+v", r)
	}
	s.Close()
}
