package daemon

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ccdir/agents/claude"
	"ccdir/api"
	"ccdir/sessions"
)

// called calls a session's hook as its agent does, by a process, and returns how
// long that took. The agent notices nothing.
func (p *place) called(s api.Session, token, name, payload string) time.Duration {
	p.t.Helper()
	cmd := exec.Command(shimPath, "hook", name)
	cmd.Env = append(os.Environ(), "CCDIR_SESSION="+s.ID, "CCDIR_TOKEN="+token, "CCDIR_SOCKET="+p.paths.Socket(), "CCDIR_DIR="+p.paths.SessionDir(s.ID))
	cmd.Stdin = strings.NewReader(payload)
	start := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		p.t.Errorf("hook %s: %v, printed %q", name, err, out)
	}
	return time.Since(start)
}

// taken are the texts of the session's prompts, in the log's order.
func (p *place) taken(id string) (list []string) {
	p.t.Helper()
	for _, e := range p.events() {
		if e.Session == id && e.Type == claude.HookUserPromptSubmit {
			list = append(list, e.Message)
		}
	}
	return list
}

// agentAlone is an agent whose daemon was stopped: its hooks spool.
func agentAlone(t *testing.T) (p *place, s api.Session, token string) {
	t.Helper()
	p = newPlace(t)
	p.run()
	s = p.agentSession("")
	token = p.token(s)
	p.stopDaemon()
	return p, s, token
}

// TestSpoolThroughDeaths: calls that found no daemon are taken in once and in
// order, whenever daemons die while they take them in.
func TestSpoolThroughDeaths(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.spawn()
	s := p.agentSession("")
	token := p.token(s)
	p.kill9()
	var want []string
	for n := range 7 {
		text := fmt.Sprintf("call %d.", n)
		want = append(want, text)
		p.called(s, token, claude.HookUserPromptSubmit, hookJSON(claude.HookUserPromptSubmit, `"prompt":"`+text+`"`))
	}
	for _, nth := range []int{1, 3} { // the next daemons die with files left
		if p.spawnUnless(fmt.Sprintf("%s:%d", sessions.PauseSpool, nth)) {
			t.Fatal("the daemon did not come to the point")
		}
		p.cmd = nil
	}
	if left, _ := os.ReadDir(p.spoolDir(s)); len(left) == 0 || len(left) >= len(want) {
		t.Errorf("%d files are left", len(left))
	}
	p.spawn()
	if got := p.taken(s.ID); strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("the log has %q", got)
	}
	if v := p.get(s.ID); v.State != api.StateWorking || v.Prompt != want[0] || v.Queued != len(want)-1 { // the first is in hand
		t.Errorf("afterwards: %+v", v)
	}
	if left, _ := os.ReadDir(p.spoolDir(s)); len(left) != 0 {
		t.Errorf("left in the spool: %v", left)
	}
}

// TestSpoolFull: calls beyond the bound are dropped, and the log says so, once.
func TestSpoolFull(t *testing.T) {
	t.Parallel()
	p, s, token := agentAlone(t)
	const full = 10_000 // as docs/state.md says
	dir := p.spoolDir(s)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	p.spool(s, "0001-id", claude.HookUserPromptSubmit, hookJSON(claude.HookUserPromptSubmit, `"prompt":"kept."`), token)
	for n := range full - 1 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("unfinished-%d.tmp", n)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p.called(s, token, claude.HookStop, hookJSON(claude.HookStop, ""))
	p.run()
	var said []string
	for _, e := range p.events() {
		if e.Type == api.EventSpoolDrained {
			said = append(said, e.Message)
		}
	}
	if len(said) != 1 || !strings.Contains(said[0], "dropped") || !strings.Contains(said[0], "1 hook call") {
		t.Errorf("said: %q", said)
	}
	if got := p.taken(s.ID); len(got) != 1 || got[0] != "kept." || p.get(s.ID).State != api.StateWorking {
		t.Errorf("kept: %q, %s", got, p.get(s.ID).State)
	}
	if _, err := os.Lstat(filepath.Join(dir, "overflow")); !os.IsNotExist(err) {
		t.Errorf("the mark stays (%v)", err)
	}
}

// TestSpoolUnfinished: what a killed hook process left half written is no call;
// it is removed when nobody can be writing it any more.
func TestSpoolUnfinished(t *testing.T) {
	t.Parallel()
	p, s, token := agentAlone(t)
	p.called(s, token, claude.HookUserPromptSubmit, hookJSON(claude.HookUserPromptSubmit, `"prompt":"whole."`))
	whole, err := filepath.Glob(filepath.Join(p.spoolDir(s), "*.json"))
	if err != nil || len(whole) != 1 {
		t.Fatalf("spooled: %v, %v", whole, err)
	}
	data, err := os.ReadFile(whole[0])
	if err != nil {
		t.Fatal(err)
	}
	half := data[:len(data)/2]
	old, young := filepath.Join(p.spoolDir(s), ".1-old.tmp"), filepath.Join(p.spoolDir(s), ".2-young.tmp")
	for _, path := range []string{old, young, filepath.Join(p.spoolDir(s), "0-torn.json")} {
		if err := os.WriteFile(path, half, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	hour := time.Now().Add(-time.Hour)
	if err := os.Chtimes(old, hour, hour); err != nil {
		t.Fatal(err)
	}
	p.run()
	if got := p.taken(s.ID); len(got) != 1 || got[0] != "whole." {
		t.Errorf("prompts: %q", got)
	}
	if n := strings.Count(p.eventTypes(""), api.EventHookRejected); n != 1 {
		t.Errorf("%d refusals for one torn file", n)
	}
	left, _ := os.ReadDir(p.spoolDir(s))
	if len(left) != 1 || left[0].Name() != ".2-young.tmp" {
		t.Errorf("left in the spool: %v", left)
	}
}

// TestSpoolInTheWay: where no spool can be written the agent notices nothing, and
// the daemon starts all the same.
func TestSpoolInTheWay(t *testing.T) {
	t.Parallel()
	p, s, token := agentAlone(t)
	if err := os.WriteFile(p.spoolDir(s), []byte("no directory"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, hook := range []string{claude.HookUserPromptSubmit, claude.HookStop} {
		// The bound is far above what it takes: an agent waits no longer.
		if took := p.called(s, token, hook, hookJSON(hook, "")); took > api.HookTimeout {
			t.Errorf("%s took %s", hook, took)
		}
	}
	p.run()
	if v := p.get(s.ID); v.State != api.StateStarting {
		t.Errorf("the session: %+v", v)
	}
	if err := p.hook(s, claude.HookStop, "1", hookJSON(claude.HookStop, "")); err != nil {
		t.Error(err)
	}
}
