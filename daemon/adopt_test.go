package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ccdir/agents/claude"
	"ccdir/api"
	"ccdir/internal/proc"
)

// TestAdopt: a killed daemon's successor knows every session as it is: those
// that run, with their state, and those that ended or died meanwhile.
func TestAdopt(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.config("kill_grace = \"300ms\"\n")
	p.spawn()
	shell := p.create(api.NewSession{Argv: sh("echo shell; exec sleep 1000"), Name: "shell"})
	agent := p.agentSession("agent")
	ends := p.create(api.NewSession{Argv: sh("read x; exit 5"), Name: "ends"})
	loses := p.create(api.NewSession{Argv: sh("trap '' HUP; while :; do sleep 0.05; done"), Name: "loses"})
	past := p.create(api.NewSession{Argv: sh("echo past; exit 2"), Name: "past"})
	p.wait("past", api.StateExited)
	p.call("POST", "/v1/sessions/past/rename", api.Rename{Name: "before"}, nil)
	for i, hook := range []string{claude.HookSessionStart, claude.HookUserPromptSubmit, claude.HookPermissionRequest} {
		if err := p.hook(agent, hook, fmt.Sprint(i), hookJSON(hook, `"tool_name":"Bash","prompt":"p","source":"startup"`)); err != nil {
			t.Fatal(err)
		}
	}
	before := p.events()
	sinceBefore := p.get("agent").Since
	p.kill9()
	if err := syscall.Kill(ends.PID, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(loses.HostPID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	until(t, "the ended session's host to leave", func() bool { return !proc.Alive(ends.HostPID, "") })
	p.spawn()

	got := p.get("agent")
	if got.State != api.StatePermission || got.Question == "" || got.PID != agent.PID || got.HostPID != agent.HostPID || !got.Since.Equal(sinceBefore) || got.Prompt != "p" {
		t.Errorf("agent: %+v", got)
	}
	if got := p.get("shell"); got.State != api.StateIdle || got.PID != shell.PID || !strings.Contains(p.screen("shell"), "shell") {
		t.Errorf("shell: %+v", got)
	}
	if got := p.get("ends"); got.State != api.StateExited || got.ExitCode == nil || *got.ExitCode != 128+15 {
		t.Errorf("ends: %+v", got)
	}
	if got := p.get("loses"); got.State != api.StateLost || got.Error == "" {
		t.Errorf("loses: %+v", got)
	}
	if got := p.get("before"); got.ID != past.ID || got.State != api.StateExited || *got.ExitCode != 2 || !strings.Contains(p.screen("before"), "past") {
		t.Errorf("past: %+v", got)
	}
	events := p.events()
	if len(events) <= len(before) || !slices.EqualFunc(before, events[:len(before)], func(a, b api.Event) bool { return toJSON(t, a) == toJSON(t, b) }) {
		t.Error("the events of before are not what they were")
	}
	// The process that ignored its terminal's end is ended by the daemon.
	until(t, "the left-over process to end", func() bool { return !proc.Alive(loses.PID, "") })
	until(t, "the event about it", func() bool { return strings.Count(p.eventTypes(loses.ID), "session.lost") == 2 })
	// All of them still obey.
	if err := p.hook(agent, claude.HookPostToolUse, "9", hookJSON(claude.HookPostToolUse, `"tool_name":"Bash"`)); err != nil {
		t.Error(err)
	}
	if got := p.get("agent").State; got != api.StateWorking {
		t.Errorf("agent after another hook: %s", got)
	}
	p.call("POST", "/v1/sessions/loses/restart", nil, nil)
	if got := p.get("loses"); got.State != api.StateIdle || got.Error != "" {
		t.Errorf("restarted: %+v", got)
	}
}

// TestStopLeavesHosts: a stop is no end of a session.
func TestStopLeavesHosts(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	s := p.agentSession("")
	p.stopDaemon()
	for _, path := range []string{p.paths.Socket(), p.paths.ServerFile()} {
		if _, err := os.Lstat(path); !os.IsNotExist(err) {
			t.Errorf("%s is left over (%v)", path, err)
		}
	}
	if !proc.Alive(s.PID, "") || !proc.Alive(s.HostPID, "") {
		t.Fatal("the session ended with the daemon")
	}
	p.run()
	if got := p.get(s.ID); got.State != api.StateStarting || got.PID != s.PID {
		t.Errorf("adopted: %+v", got)
	}
	p.call("POST", "/v1/shutdown", api.Stop{KillSessions: true}, nil)
	p.waitEnd()
	if _, err := os.Lstat(p.paths.Runtime); !os.IsNotExist(err) {
		t.Errorf("the empty directory of the sockets is left over (%v)", err)
	}
}

// TestDamagedDatabase: the past is moved aside, the sessions are found by their
// files.
func TestDamagedDatabase(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	s := p.create(api.NewSession{Argv: sh("exec sleep 1000"), Name: "survivor"})
	ended := p.create(api.NewSession{Argv: sh("exit 4"), Name: "ended"})
	p.wait("ended", api.StateExited)
	p.stopDaemon()
	if err := os.WriteFile(p.paths.Database(), []byte(strings.Repeat("this is no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	p.run()
	if got := p.get("survivor"); got.ID != s.ID || got.PID != s.PID || got.State != api.StateIdle || got.Agent != "command" || got.Plain != api.PlainCommand {
		t.Errorf("survivor: %+v", got)
	}
	if got := p.get("ended"); got.ID != ended.ID || got.State != api.StateExited || *got.ExitCode != 4 {
		t.Errorf("ended: %+v", got)
	}
	if !strings.Contains(p.eventTypes(""), "store.moved") {
		t.Errorf("events: %s", p.eventTypes(""))
	}
	if moved, _ := filepath.Glob(p.paths.Database() + ".damaged-*"); len(moved) == 0 {
		t.Error("the damaged database is gone")
	}
}

// TestHostDies: a killed host's session is lost at once, and its process goes.
func TestHostDies(t *testing.T) {
	p := newPlace(t)
	p.run()
	s := p.create(api.NewSession{Argv: sh("exec sleep 1000")})
	if err := syscall.Kill(s.HostPID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	got := p.wait(s.ID, api.StateLost)
	if d := time.Since(start); d > 10*time.Second {
		t.Errorf("lost after %s", d)
	}
	if got.PID != 0 || got.ExitCode != nil {
		t.Errorf("lost: %+v", got)
	}
	until(t, "its process to end", func() bool { return !proc.Alive(s.PID, "") })
	p.wantCode(api.CodeNotFound, "GET", "/v1/sessions/"+s.ID+"/buffer", nil)
	p.call("DELETE", "/v1/sessions/"+s.ID, nil, nil)
}

// TestExitSeen: a process killed from outside is exited within 100 ms, at least
// once in three times: the machine may be busy.
func TestExitSeen(t *testing.T) {
	p := newPlace(t)
	p.run()
	var times []time.Duration
	for range 9 {
		s := p.create(api.NewSession{Argv: sh("exec sleep 1000")})
		start := time.Now()
		if err := syscall.Kill(s.PID, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		got := p.wait(s.ID, api.StateExited)
		times = append(times, time.Since(start))
		if *got.ExitCode != 137 {
			t.Errorf("exit code %d", *got.ExitCode)
		}
	}
	slices.Sort(times)
	t.Logf("exit seen after %s (best third), %s (median), %s (worst)", times[len(times)/3], times[len(times)/2], times[len(times)-1])
	if best := times[len(times)/3]; best > 100*time.Millisecond {
		t.Errorf("exit seen after %s", best)
	}
}

// TestSockets: one daemon per state directory, a vanished socket comes back on
// SIGUSR1, a stale one is replaced.
func TestSockets(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.spawn()
	s := p.agentSession("")
	if err := Run(t.Context(), Options{Paths: p.paths, UID: os.Getuid(), Shim: shimPath, Signals: make(chan os.Signal)}); err == nil || !strings.Contains(err.Error(), "runs already") {
		t.Errorf("a second daemon: %v", err)
	}
	if info, err := os.Stat(p.paths.Socket()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("socket: %v %v", info.Mode(), err)
	}
	if err := os.RemoveAll(p.paths.Runtime); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Process.Signal(syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	until(t, "the socket", func() bool { _, err := os.Lstat(p.paths.Socket()); return err == nil })
	p.http.CloseIdleConnections()
	p.get(s.ID)
	p.kill9()
	if _, err := os.Lstat(p.paths.Socket()); err != nil {
		t.Fatal("a killed daemon leaves its socket:", err)
	}
	p.spawn()
	// The host's socket vanished as well; the daemon has it made again.
	p.call("POST", "/v1/sessions/"+s.ID+"/resize", api.Resize{Cols: 90, Rows: 20}, nil)
}

// TestRuntimeDirectory: a directory of sockets that is not ours alone is
// refused.
func TestRuntimeDirectory(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	if err := os.MkdirAll(p.paths.Runtime, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(p.paths.Runtime, 0o755); err != nil {
		t.Fatal(err)
	}
	err := Run(t.Context(), Options{Paths: p.paths, UID: os.Getuid(), Shim: shimPath, Signals: make(chan os.Signal)})
	if err == nil || !strings.Contains(err.Error(), "chmod 700") {
		t.Errorf("open to others: %v", err)
	}
	if err := os.Chmod(p.paths.Runtime, 0o700); err != nil {
		t.Fatal(err)
	}
	err = Run(t.Context(), Options{Paths: p.paths, UID: os.Getuid() + 1, Shim: shimPath, Signals: make(chan os.Signal)})
	if err == nil || !strings.Contains(err.Error(), "another user") {
		t.Errorf("of another user: %v", err)
	}
}

// TestNothingLeaks: sessions come and go without a descriptor, a process or a
// goroutine staying behind.
func TestNothingLeaks(t *testing.T) {
	p := newPlace(t)
	p.run()
	cycle := func() {
		s := p.create(api.NewSession{Argv: sh("exec sleep 1000")})
		p.call("POST", "/v1/sessions/"+s.ID+"/kill", nil, nil)
		p.call("DELETE", "/v1/sessions/"+s.ID, nil, nil)
	}
	cycle()
	goroutines, files := runtime.NumGoroutine(), openFiles(t)
	for range 10 {
		cycle()
	}
	until(t, "goroutines to end", func() bool { return runtime.NumGoroutine() <= goroutines+2 })
	until(t, "descriptors to be closed", func() bool { return openFiles(t) <= files+1 })
	if zombies := zombieChildren(t); len(zombies) > 0 {
		t.Errorf("zombies: %v", zombies)
	}
}

// openFiles counts this process's descriptors but those of the databases, whose pools of
// connections grow to their bounds.
func openFiles(t *testing.T) int {
	t.Helper()
	dir := "/proc/self/fd"
	if runtime.GOOS != "linux" {
		dir = "/dev/fd"
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range entries {
		if name, err := os.Readlink(filepath.Join(dir, e.Name())); err != nil || !strings.Contains(filepath.Base(name), ".db") {
			n++
		}
	}
	return n
}

// zombieChildren lists children of this process that were not reaped (Linux).
func zombieChildren(t *testing.T) []string {
	t.Helper()
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	var found []string
	for _, path := range stats {
		data, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(data), ") ")
		if fields := strings.Fields(rest); len(fields) > 1 && fields[0] == "Z" && fields[1] == fmt.Sprint(os.Getpid()) {
			found = append(found, path)
		}
	}
	return found
}

// TestStoppedHost: a host that does not answer delays the start of a daemon by a
// bounded time, and hides nobody else.
func TestStoppedHost(t *testing.T) {
	p := newPlace(t)
	p.run()
	stuck := p.create(api.NewSession{Argv: sh("exec sleep 1000"), Name: "stuck"})
	p.create(api.NewSession{Argv: sh("exec sleep 1000"), Name: "well"})
	p.stopDaemon()
	if err := syscall.Kill(stuck.HostPID, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(stuck.HostPID, syscall.SIGCONT)
	start := time.Now()
	p.run()
	if d := time.Since(start); d > 20*time.Second {
		t.Errorf("the start took %s", d)
	}
	if got := p.get("stuck"); got.State != api.StateIdle || got.PID != stuck.PID {
		t.Errorf("stuck: %+v", got)
	}
	p.wantCode(api.CodeUnavailable, "POST", "/v1/sessions/stuck/resize", api.Resize{Cols: 90, Rows: 20})
	p.call("POST", "/v1/sessions/well/resize", api.Resize{Cols: 90, Rows: 20}, nil)
	if err := syscall.Kill(stuck.HostPID, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	until(t, "the host to be connected", func() bool {
		return p.try("POST", "/v1/sessions/stuck/resize", api.Resize{Cols: 90, Rows: 20}, nil) == nil
	})
}
