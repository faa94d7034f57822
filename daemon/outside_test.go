package daemon

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"ccdir/agents/claude"
	"ccdir/api"
)

// outside calls a hook as one of the user's own settings does.
func (p *place) outside(pid int, name, payload string) {
	p.t.Helper()
	cmd := exec.Command(shimPath, "hook", name, "--external")
	cmd.Env = append(os.Environ(), "CCDIR_HOME="+p.paths.Home, "CLAUDE_PID="+strconv.Itoa(pid))
	cmd.Stdin = strings.NewReader(payload)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		p.t.Fatalf("hook %s: %v, printed %q", name, err, out)
	}
}

// agentOutside is a process that stands for an agent.
func agentOutside(t *testing.T) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("sleep", "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd
}

func TestOutsideSession(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	agent := agentOutside(t)
	pid := agent.Process.Pid
	p.outside(pid, claude.HookSessionStart, hookJSON(claude.HookSessionStart, `"source":"startup"`)) // no daemon: nothing happens
	p.run()
	var list []api.Session
	if p.call("GET", "/v1/sessions", nil, &list); len(list) != 0 {
		t.Fatalf("sessions: %+v", list)
	}
	p.outside(pid, claude.HookUserPromptSubmit, hookJSON(claude.HookUserPromptSubmit, `"prompt":"do it"`))
	p.call("GET", "/v1/sessions", nil, &list)
	if len(list) != 1 {
		t.Fatalf("sessions: %+v", list)
	}
	s := list[0]
	if !s.External || s.Agent != "claude" || s.PID != pid || s.State != api.StateWorking || s.CWD != "/tmp" || s.Conversation != "conv-1" || s.Prompt != "do it" {
		t.Errorf("the row: %+v", s)
	}
	// Its permission requests are shown, and not held.
	p.outside(pid, claude.HookPermissionRequest, hookJSON(claude.HookPermissionRequest, lsInput))
	if st := p.get(s.ID); st.State != api.StatePermission || st.Question != "Bash: ls -l" || len(p.approvals()) != 0 {
		t.Errorf("asking: %+v, open %v", st, p.approvals())
	}
	p.outside(pid, claude.HookStop, hookJSON(claude.HookStop, ""))
	if st := p.get(s.ID).State; st != api.StateIdle {
		t.Errorf("after Stop: %s", st)
	}
	if types := p.eventTypes(s.ID); types != "session.created UserPromptSubmit PermissionRequest Stop" {
		t.Errorf("events: %s", types)
	}
	// It has no pane, and cannot be ended from here.
	for _, c := range []struct{ method, path string }{{"POST", "kill"}, {"POST", "restart"}, {"GET", "host"}, {"GET", "buffer"}} {
		p.wantCode(api.CodeConflict, c.method, "/v1/sessions/"+s.ID+"/"+c.path, nil)
	}
	p.wantCode(api.CodeConflict, "POST", "/v1/sessions/"+s.ID+"/input", api.SendPrompt{Text: "x"})
	p.wantCode(api.CodeConflict, "DELETE", "/v1/sessions/"+s.ID, nil)

	// The next daemon knows it, and follows its session file.
	p.stopDaemon()
	p.run()
	if again := p.get(s.ID); again.State != api.StateIdle || again.Name != s.Name || again.PID != pid {
		t.Errorf("after a restart: %+v", again)
	}
	list = nil
	if p.call("GET", "/v1/sessions", nil, &list); len(list) != 1 || list[0].ID != s.ID {
		t.Errorf("the list after a restart: %+v", list)
	}
	p.outside(pid, claude.HookUserPromptSubmit, hookJSON(claude.HookUserPromptSubmit, `"prompt":"more"`))
	if again := p.get(s.ID); again.State != api.StateWorking {
		t.Errorf("after a restart: %+v", again)
	}
	if err := agent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = agent.Wait()
	if end := p.wait(s.ID, api.StateExited); end.ExitCode != nil || end.PID != 0 {
		t.Errorf("the end: %+v", end)
	}
	p.stopDaemon()
	p.run()
	if end := p.get(s.ID); end.State != api.StateExited {
		t.Errorf("after another restart: %+v", end)
	}
	list = nil
	if p.call("GET", "/v1/sessions", nil, &list); len(list) != 1 || list[0].State != api.StateExited {
		t.Errorf("the list after another restart: %+v", list)
	}
	p.call("DELETE", "/v1/sessions/"+s.ID, nil, nil)
}

// TestOutsideRowsAreBounded: ended rows go by themselves.
func TestOutsideRowsAreBounded(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	for range 12 {
		agent := agentOutside(t)
		p.outside(agent.Process.Pid, claude.HookSessionStart, hookJSON(claude.HookSessionStart, `"source":"startup"`))
		_ = agent.Process.Kill()
		_ = agent.Wait()
	}
	until(t, "the oldest rows to go", func() bool {
		var list []api.Session
		p.call("GET", "/v1/sessions", nil, &list)
		ended := 0
		for _, s := range list {
			if s.State == api.StateExited {
				ended++
			}
		}
		return len(list) == 8 && ended == 8
	})
	p.outside(os.Getpid(), "Nonsense", "not json")                     // refused; the hook is silent
	p.outside(1<<22+1, claude.HookStop, hookJSON(claude.HookStop, "")) // no such process
	var list []api.Session
	if p.call("GET", "/v1/sessions", nil, &list); len(list) != 8 {
		t.Errorf("%d rows", len(list))
	}
}

// TestOutsideSessionFile: the agent's own session file tells of an interrupted
// turn, of which no hook does; a process that ended while no daemon ran is seen
// by the next one.
func TestOutsideSessionFile(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	agent := agentOutside(t)
	pid := agent.Process.Pid
	config := t.TempDir()
	if err := os.MkdirAll(filepath.Join(config, "sessions"), 0o700); err != nil {
		t.Fatal(err)
	}
	status := func(s string) {
		text := fmt.Sprintf(`{"pid":%d,"status":%q,"statusUpdatedAt":%d}`, pid, s, time.Now().UnixMilli())
		if err := os.WriteFile(filepath.Join(config, "sessions", strconv.Itoa(pid)+".json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	transcript := `"transcript_path":` + strconv.Quote(filepath.Join(config, "projects", "-tmp", "conv-1.jsonl"))
	p.outside(pid, claude.HookUserPromptSubmit, hookJSON(claude.HookUserPromptSubmit, `"prompt":"do it",`+transcript))
	var list []api.Session
	if p.call("GET", "/v1/sessions", nil, &list); len(list) != 1 || list[0].State != api.StateWorking {
		t.Fatalf("sessions: %+v", list)
	}
	id := list[0].ID
	status("idle") // Esc
	p.wait(id, api.StateIdle)
	p.stopDaemon()
	_ = agent.Process.Kill()
	_ = agent.Wait()
	p.run()
	p.wait(id, api.StateExited)
}
