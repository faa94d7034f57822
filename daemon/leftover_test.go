package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ccdir/agents/claude"
	"ccdir/api"
	"ccdir/internal/proc"
)

// stubborn is an agent that ends neither with its terminal nor when it is asked
// to.
const stubborn = `trap '' HUP TERM; while :; do sleep 0.02; done`

// leftRow waits for the row of what a session has left over.
func (p *place) leftRow(id string) (row api.Session) {
	p.t.Helper()
	until(p.t, "the row of the left-over process", func() bool {
		var list []api.Session
		p.call("GET", "/v1/sessions", nil, &list)
		for _, v := range list {
			if v.LeftOf == id && !v.State.Ended() {
				row = v
			}
		}
		return row.ID != ""
	})
	return row
}

// agentLike starts a session with an agent's hooks that runs a shell command.
func (p *place) agentLike(name, script string) api.Session {
	p.t.Helper()
	return p.create(api.NewSession{Name: name, Agent: "claude", Argv: sh(script)})
}

// TestLeftOver: what outlives its killed host is a row with state and events,
// known to the next daemon, and ended by kill.
func TestLeftOver(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.config("kill_grace = \"50ms\"\n")
	p.run()
	s := p.agentLike("api", stubborn)
	if err := p.hook(s, claude.HookUserPromptSubmit, "1", hookJSON(claude.HookUserPromptSubmit, `"prompt":"do it"`)); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(s.HostPID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	p.wait(s.ID, api.StateLost)
	row := p.leftRow(s.ID)
	if row.Name != "api-left" || !row.External || row.PID != s.PID || row.State != api.StateWorking || row.Prompt != "do it" || row.CWD != s.CWD || row.Agent != "claude" {
		t.Errorf("the row: %+v", row)
	}
	until(t, "the word about it", func() bool { return strings.Count(p.eventTypes(s.ID), "session.lost") == 2 })
	// Its hooks are the row's now, requests are not held, and the lost session
	// stays lost.
	if err := p.hookWith(s.ID, p.token(s), claude.HookPermissionRequest, "2", hookJSON(claude.HookPermissionRequest, lsInput)); err != nil {
		t.Fatal(err)
	}
	if v := p.get(row.ID); v.State != api.StatePermission || v.Question != "Bash: ls -l" || len(p.approvals()) > 0 {
		t.Errorf("asking: %+v", v)
	}
	if v := p.get(s.ID); v.State != api.StateLost {
		t.Errorf("the lost one: %+v", v)
	}
	if types := p.eventTypes(row.ID); types != "session.created PermissionRequest" {
		t.Errorf("the row's events: %s", types)
	}
	for path, body := range map[string]any{"restart": nil, "rename": api.Rename{Name: "x"}} {
		p.wantCode(api.CodeConflict, "POST", "/v1/sessions/"+row.ID+"/"+path, body)
	}

	p.stopDaemon()
	p.run()
	if v := p.get(row.ID); v.State != api.StatePermission || v.LeftOf != s.ID || v.PID != s.PID {
		t.Errorf("after a restart of the daemon: %+v", v)
	}
	if err := p.hookWith(s.ID, p.token(s), claude.HookPermissionRequest, "2", hookJSON(claude.HookPermissionRequest, lsInput)); err != nil {
		t.Fatal(err) // repeated
	}
	if err := p.hookWith(s.ID, p.token(s), claude.HookStop, "3", hookJSON(claude.HookStop, "")); err != nil {
		t.Fatal(err)
	}
	if types := p.eventTypes(row.ID); types != "session.created PermissionRequest Stop" || p.get(row.ID).State != api.StateIdle {
		t.Errorf("the row's events: %s", types)
	}
	p.call("POST", "/v1/sessions/"+row.ID+"/kill", api.Kill{}, nil)
	if v := p.get(row.ID); v.State != api.StateExited || proc.Alive(s.PID, "") {
		t.Errorf("killed: %+v", v)
	}
	p.call("DELETE", "/v1/sessions/"+row.ID, nil, nil)
}

// TestLeftOverWithoutDaemon: a host that is killed while no daemon runs; the next
// one finds the agent, and a restart of the session ends it first. The agent runs
// below a wrapper that has ended and is known by its own file.
func TestLeftOverWithoutDaemon(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.config("kill_grace = \"50ms\"\n")
	p.run()
	sessions := filepath.Join(p.paths.Home, ".claude", "sessions")
	if err := os.MkdirAll(sessions, 0o700); err != nil {
		t.Fatal(err)
	}
	// The agent is in a process group of its own, so that the end of the
	// wrapper's does not reach it.
	s := p.agentLike("wrapped", `setsid sh -c 'echo $$ >agent; `+strings.ReplaceAll(stubborn, "'", `'"'"'`)+`' & wait; sleep 1000`)
	var agent int
	until(t, "the agent to start", func() bool {
		data, _ := os.ReadFile(filepath.Join(p.paths.Home, "agent"))
		agent, _ = strconv.Atoi(strings.TrimSpace(string(data)))
		return agent > 0
	})
	t.Cleanup(func() {
		if t.Failed() {
			_ = syscall.Kill(agent, syscall.SIGKILL)
		}
	})
	text := fmt.Sprintf(`{"pid":%d,"status":"busy","statusUpdatedAt":%d}`, agent, time.Now().UnixMilli())
	if err := os.WriteFile(filepath.Join(sessions, strconv.Itoa(agent)+".json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p.stopDaemon()
	if err := syscall.Kill(s.HostPID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	p.run()
	row := p.leftRow(s.ID)
	if row.PID != agent || row.Name != "wrapped-left" {
		t.Errorf("the row: %+v", row)
	}
	p.wait(row.ID, api.StateWorking) // its file says so
	if v := p.get(s.ID); v.State != api.StateLost {
		t.Errorf("the session: %+v", v)
	}
	p.call("POST", "/v1/sessions/wrapped/restart", nil, nil)
	if proc.Alive(agent, "") {
		t.Error("a restart left the agent of before")
	}
	p.wait(row.ID, api.StateExited)
	if v := p.get(s.ID); v.State.Ended() {
		t.Errorf("restarted: %+v", v)
	}
	until(t, "the new agent", func() bool {
		data, _ := os.ReadFile(filepath.Join(p.paths.Home, "agent"))
		pid, _ := strconv.Atoi(strings.TrimSpace(string(data)))
		if pid > 1 && pid != agent {
			_ = syscall.Kill(pid, syscall.SIGKILL) // in a group of its own
			return true
		}
		return false
	})
}

// TestKillOutside: an agent outside is ended if that is meant, and no other
// process that has its number.
func TestKillOutside(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.config("kill_grace = \"50ms\"\n")
	p.run()
	agent := agentOutside(t)
	pid := agent.Process.Pid
	p.outside(pid, claude.HookUserPromptSubmit, hookJSON(claude.HookUserPromptSubmit, `"prompt":"do it"`))
	var list []api.Session
	if p.call("GET", "/v1/sessions", nil, &list); len(list) != 1 {
		t.Fatalf("sessions: %+v", list)
	}
	id := list[0].ID
	p.wantCode(api.CodeConflict, "POST", "/v1/sessions/"+id+"/kill", api.Kill{Force: true})
	if !proc.Alive(pid, "") {
		t.Fatal("it was killed unasked")
	}
	ended := make(chan string, 1)
	go func() {
		_ = agent.Wait()
		ended <- agent.ProcessState.String()
	}()
	p.call("POST", "/v1/sessions/"+id+"/kill", api.Kill{External: true}, nil)
	if how := <-ended; how != "signal: terminated" {
		t.Errorf("it ended: %s", how)
	}
	if v := p.get(id); v.State != api.StateExited {
		t.Errorf("killed: %+v", v)
	}
	p.wantCode(api.CodeNotRunning, "POST", "/v1/sessions/"+id+"/kill", api.Kill{External: true})
}

// TestStatusFileBelowWrapper: the session file of an agent that a script runs is
// found, also when the script starts another agent.
func TestStatusFileBelowWrapper(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	sessions := filepath.Join(p.paths.Home, ".claude", "sessions")
	if err := os.MkdirAll(sessions, 0o700); err != nil {
		t.Fatal(err)
	}
	file := func(pid int, status string) {
		text := fmt.Sprintf(`{"pid":%d,"status":%q,"statusUpdatedAt":%d}`, pid, status, time.Now().UnixMilli())
		if err := os.WriteFile(filepath.Join(sessions, strconv.Itoa(pid)+".json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := p.agentLike("wrapped", `while :; do sh -c 'echo $$ >agent; exec sleep 1000'; done`)
	agent := 0
	next := func() {
		t.Helper()
		until(t, "an agent to start", func() bool {
			data, _ := os.ReadFile(filepath.Join(p.paths.Home, "agent"))
			pid, _ := strconv.Atoi(strings.TrimSpace(string(data)))
			if pid < 2 || pid == agent {
				return false
			}
			agent = pid
			return true
		})
	}
	next()
	file(os.Getpid(), "waiting") // of somebody else
	file(agent, "idle")
	p.wait(s.ID, api.StateIdle)
	file(agent, "busy")
	p.wait(s.ID, api.StateWorking)
	if err := syscall.Kill(agent, syscall.SIGKILL); err != nil { // its file stays
		t.Fatal(err)
	}
	next()
	file(agent, "idle")
	p.wait(s.ID, api.StateIdle)
}
