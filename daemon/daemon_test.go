package daemon

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"ccdir/agents/claude"
	"ccdir/api"
	"ccdir/wire"
)

func TestSessionLife(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	s := p.create(api.NewSession{Argv: sh("echo hello; read line; echo got $line; exit 3")})
	if s.Name != "command-1" || s.State != api.StateIdle || s.PID == 0 || s.HostPID == 0 || s.Cols != 80 || s.Rows != 24 {
		t.Fatalf("created: %+v", s)
	}
	until(t, "hello on the screen", func() bool { return strings.Contains(p.screen(s.ID), "hello") })
	p.call("POST", "/v1/sessions/command-1/input", api.SendPrompt{Text: "abc"}, nil)
	done := p.wait(s.ID, api.StateExited)
	if done.ExitCode == nil || *done.ExitCode != 3 || done.PID != 0 || done.HostPID != 0 {
		t.Fatalf("exited: %+v", done)
	}
	var raw wire.OutputResult
	p.call("GET", "/v1/sessions/"+s.ID+"/buffer?format=raw", nil, &raw)
	if !strings.Contains(string(raw.Raw), "got abc") {
		t.Errorf("raw output of the exited session: %q", raw.Raw)
	}
	if text := p.screen(s.ID); !strings.Contains(text, "got abc") {
		t.Errorf("screen of the exited session: %q", text)
	}
	p.call("DELETE", "/v1/sessions/"+s.ID, nil, nil)
	p.wantCode(api.CodeNotFound, "GET", "/v1/sessions/"+s.ID, nil)
	if _, err := os.Stat(p.paths.SessionDir(s.ID)); !os.IsNotExist(err) {
		t.Errorf("the directory of the removed session: %v", err)
	}
	// The process ends while its prompt is being acknowledged.
	types := strings.Fields(p.eventTypes(""))
	slices.Sort(types)
	want := "daemon.started prompt session.created session.exited session.removed"
	if got := strings.Join(types, " "); got != want {
		t.Errorf("events: %s\nwant:   %s", got, want)
	}
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.config("max_sessions = 2\n[agents.broken]\nkind = \"generic\"\ncommand = \"/nonexistent/agent\"\n")
	p.run()
	file := p.paths.Home + "/file"
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	good := api.NewSession{Argv: sh("sleep 1000"), CWD: p.paths.Home, Env: []string{"PATH=" + os.Getenv("PATH")}}
	with := func(change func(*api.NewSession)) api.NewSession { n := good; change(&n); return n }
	for name, c := range map[string]struct {
		code api.Code
		in   any
	}{
		"no such directory": {api.CodeInvalid, with(func(n *api.NewSession) { n.CWD = "/nonexistent" })},
		"a file":            {api.CodeInvalid, with(func(n *api.NewSession) { n.CWD = file })},
		"relative":          {api.CodeInvalid, with(func(n *api.NewSession) { n.CWD = "x" })},
		"too wide":          {api.CodeInvalid, with(func(n *api.NewSession) { n.Cols, n.Rows = 1001, 24 })},
		"half a size":       {api.CodeInvalid, with(func(n *api.NewSession) { n.Cols = 80 })},
		"negative":          {api.CodeInvalid, with(func(n *api.NewSession) { n.Cols, n.Rows = -1, -1 })},
		"scrollback":        {api.CodeInvalid, with(func(n *api.NewSession) { n.Scrollback = 1 << 40 })},
		"name with escape":  {api.CodeInvalid, with(func(n *api.NewSession) { n.Name = "a\x1b[2J" })},
		"name like a flag":  {api.CodeInvalid, with(func(n *api.NewSession) { n.Name = "-x" })},
		"long name":         {api.CodeInvalid, with(func(n *api.NewSession) { n.Name = strings.Repeat("x", 65) })},
		"extra env":         {api.CodeInvalid, with(func(n *api.NewSession) { n.ExtraEnv = []string{"X"} })},
		"NUL":               {api.CodeInvalid, with(func(n *api.NewSession) { n.Argv = []string{"a\x00b"} })},
		"unknown agent":     {api.CodeNoAgent, with(func(n *api.NewSession) { n.Argv, n.Agent = nil, "nobody" })},
		"missing agent":     {api.CodeNoAgent, with(func(n *api.NewSession) { n.Argv, n.Agent = nil, "broken" })},
		"missing command":   {api.CodeNoAgent, with(func(n *api.NewSession) { n.Argv = []string{"no-such-command-here"} })},
		"no claude":         {api.CodeNoAgent, with(func(n *api.NewSession) { n.Argv, n.Env = nil, []string{"PATH=/nonexistent"} })},
		"not JSON":          {api.CodeInvalid, []byte("{")},
		"too large":         {api.CodeTooLarge, []byte(strings.Repeat(" ", 5<<20))},
	} {
		t.Run(name, func(t *testing.T) {
			q := *p
			q.t = t
			q.wantCode(c.code, "POST", "/v1/sessions", c.in)
		})
	}
	if entries, err := os.ReadDir(p.paths.State + "/sessions"); err == nil && len(entries) > 0 {
		t.Errorf("refused sessions left directories: %v", entries)
	}
	s := p.create(with(func(n *api.NewSession) { n.Name = "one" }))
	p.wantCode(api.CodeConflict, "POST", "/v1/sessions", with(func(n *api.NewSession) { n.Name = "one" }))
	p.create(good)
	p.wantCode(api.CodeLimit, "POST", "/v1/sessions", good)
	p.wantCode(api.CodeConflict, "POST", "/v1/sessions/one/rename", api.Rename{Name: "command-1"})
	p.wantCode(api.CodeInvalid, "POST", "/v1/sessions/one/rename", api.Rename{})
	p.wantCode(api.CodeInvalid, "POST", "/v1/sessions/one/resize", api.Resize{})
	p.wantCode(api.CodeInvalid, "POST", "/v1/sessions/one/resize", api.Resize{Cols: 1001, Rows: 1001})
	p.wantCode(api.CodeInvalid, "POST", "/v1/sessions/one/input", api.SendPrompt{Text: " \n"})
	p.wantCode(api.CodeInvalid, "POST", "/v1/sessions/one/input/raw", api.RawInput{})
	p.wantCode(api.CodeInvalid, "POST", "/v1/sessions/one/input/raw", api.RawInput{Keys: []string{"NoSuchKey"}})
	p.wantCode(api.CodeInvalid, "GET", "/v1/sessions/one/buffer?format=png", nil)
	p.wantCode(api.CodeInvalid, "GET", "/v1/sessions/one/wait?state=asleep", nil)
	p.wantCode(api.CodeTimeout, "GET", "/v1/sessions/one/wait?state=exited&timeout=20ms", nil)
	p.wantCode(api.CodeTimeout, "GET", "/v1/sessions/one/wait?state=exited&timeout=0s", nil)
	p.wantCode(api.CodeConflict, "DELETE", "/v1/sessions/one", nil)
	p.wantCode(api.CodeNotFound, "GET", "/v1/sessions/nobody", nil)
	p.wantCode(api.CodeNotFound, "GET", "/v1/nothing", nil)
	p.wantCode(api.CodeInvalid, "GET", "/v1/events?since=x", nil)
	p.call("POST", "/v1/sessions/one/kill", api.Kill{Force: true}, nil)
	p.wantCode(api.CodeNotRunning, "POST", "/v1/sessions/one/kill", nil)
	p.wantCode(api.CodeNotRunning, "POST", "/v1/sessions/one/input", api.SendPrompt{Text: "x"})
	p.wantCode(api.CodeNotRunning, "GET", "/v1/sessions/one/host", nil)
	p.wantCode(api.CodeNotRunning, "GET", "/v1/sessions/one/wait?state=idle", nil)
	if got := p.get(s.ID[:4]); got.Name != "one" || *got.ExitCode != 137 {
		t.Errorf("by prefix: %+v", got)
	}
}

func TestInputAndSize(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	s := p.create(api.NewSession{Argv: sh("stty -echo; echo ready; cat -v")})
	until(t, "ready", func() bool { return strings.Contains(p.screen(s.ID), "ready") })
	paste := "p1"
	for _, in := range []api.RawInput{{Keys: []string{"k", "1", "Enter"}}, {Paste: &paste}, {Data: []byte("d1\r")}} {
		p.call("POST", "/v1/sessions/"+s.ID+"/input/raw", in, nil)
	}
	until(t, "all input", func() bool { return strings.Contains(p.screen(s.ID), "k1\np1d1") })
	p.call("POST", "/v1/sessions/"+s.ID+"/resize", api.Resize{Cols: 100, Rows: 30}, nil)
	if got := p.get(s.ID); got.Cols != 100 || got.Rows != 30 {
		t.Errorf("size: %dx%d", got.Cols, got.Rows)
	}
	var host api.HostAddress
	p.call("GET", "/v1/sessions/"+s.ID+"/host", nil, &host)
	conn, welcome, err := wire.Dial(t.Context(), host.Socket, wire.Hello{Ticket: host.Ticket, Client: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if welcome.Session != s.ID || welcome.Status.Cols != 100 {
		t.Errorf("welcome: %+v", welcome)
	}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.config("[agents.mine]\nkind = \"generic\"\ncommand = \"/bin/sh\"\nargs = [\"-c\", \"env; echo end\"]\nenv = { A = \"config\", B = \"config\" }\n")
	p.run()
	s := p.create(api.NewSession{Agent: "mine", ExtraEnv: []string{"B=extra"}, Cols: 200, Rows: 100, Env: []string{
		"PATH=" + os.Getenv("PATH"), "TMUX=x", "CLAUDECODE=1", "TERM=dumb", "A=caller", "KEPT=yes", "CCDIR_TOKEN=old"}})
	p.wait(s.ID, api.StateExited)
	text := "\n" + p.screen(s.ID)
	for _, want := range []string{"A=config", "B=extra", "KEPT=yes", "TERM=xterm-256color", "TERM_PROGRAM=ccdir",
		"CCDIR_SESSION=" + s.ID, "CCDIR_SOCKET=" + p.paths.Socket(), "CCDIR_DIR=" + p.paths.SessionDir(s.ID),
		"CCDIR_TOKEN=" + p.token(s), "CCDIR_HOME=" + p.paths.Home, "PWD=" + p.paths.Home} {
		if !strings.Contains(text, "\n"+want+"\n") {
			t.Errorf("%s is not in the environment:\n%s", want, text)
		}
	}
	for _, not := range []string{"\nTMUX=", "\nCLAUDECODE="} {
		if strings.Contains(text, not) {
			t.Errorf("%s is in the environment", not)
		}
	}
}

func TestKill(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.config("kill_grace = \"300ms\"\n")
	p.run()
	polite := p.create(api.NewSession{Argv: sh("trap 'exit 7' HUP; echo ready; while :; do sleep 0.05; done")})
	deaf := p.create(api.NewSession{Argv: sh("trap '' HUP INT TERM; echo ready; while :; do sleep 0.05; done")})
	for _, s := range []api.Session{polite, deaf} {
		until(t, "ready", func() bool { return strings.Contains(p.screen(s.ID), "ready") })
	}
	var got api.Session
	p.call("POST", "/v1/sessions/"+polite.ID+"/kill", nil, &got)
	if got.State != api.StateExited || got.ExitCode == nil || *got.ExitCode != 7 {
		t.Errorf("polite: %+v", got)
	}
	p.call("POST", "/v1/sessions/"+deaf.ID+"/kill", nil, &got)
	if got.State != api.StateExited || got.ExitCode == nil || *got.ExitCode != 128+9 {
		t.Errorf("deaf: %+v", got)
	}
	if !strings.Contains(p.eventTypes(deaf.ID), "session.state session.exited") {
		t.Errorf("events: %s", p.eventTypes(deaf.ID))
	}
}

func TestRestartRenameRemove(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	s := p.create(api.NewSession{Argv: sh("echo start; sleep 1000"), Name: "a"})
	first := p.token(s)
	var got api.Session
	p.call("POST", "/v1/sessions/a/rename", api.Rename{Name: "b"}, &got)
	p.call("POST", "/v1/sessions/b/restart", nil, &got)
	if got.ID != s.ID || got.Name != "b" || got.State != api.StateIdle || got.PID == s.PID || got.PID == 0 || got.ExitCode != nil {
		t.Errorf("restarted: %+v", got)
	}
	if p.token(s) == first {
		t.Error("the token is still that of the process before")
	}
	p.call("POST", "/v1/sessions/b/kill", api.Kill{Force: true}, nil)
	p.call("POST", "/v1/sessions/b/restart", nil, &got)
	until(t, "start", func() bool { return strings.Contains(p.screen("b"), "start") })
	p.call("POST", "/v1/sessions/b/kill", nil, nil)
	p.call("DELETE", "/v1/sessions/b", nil, nil)
	var list []api.Session
	p.call("GET", "/v1/sessions", nil, &list)
	if len(list) != 0 {
		t.Errorf("sessions: %+v", list)
	}
	// The name is free again, and the events of the removed session are there.
	p.create(api.NewSession{Argv: sh("exit 0"), Name: "b"})
	if types := p.eventTypes(s.ID); !strings.HasPrefix(types, "session.created session.renamed session.state session.exited session.started") {
		t.Errorf("events: %s", types)
	}
}

func TestLists(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	repo := p.paths.Home + "/repo"
	if err := os.Mkdir(repo, 0o700); err != nil {
		t.Fatal(err)
	}
	p.config("[[repos]]\nname = \"mine\"\npath = \"~/repo\"\n[[repos]]\npath = \"/nonexistent\"\n[agents.x]\nkind = \"generic\"\ncommand = \"sh\"\nenv = { SECRET = \"hidden\" }\n")
	p.run()
	p.create(api.NewSession{Argv: sh("exit 0"), CWD: "/"})
	var dirs []api.Directory
	p.call("GET", "/v1/directories", nil, &dirs)
	if len(dirs) != 2 || dirs[0] != (api.Directory{Name: "mine", Path: repo}) || dirs[1].Path != "/" {
		t.Errorf("directories: %+v", dirs)
	}
	var agents []api.AgentInfo
	p.call("GET", "/v1/agents?path=/nonexistent", nil, &agents)
	if !slices.ContainsFunc(agents, func(a api.AgentInfo) bool { return a.Name == "x" }) || agents[0].Name != "claude" || !agents[0].Default || agents[0].Path != "" || agents[0].Hint == "" {
		t.Errorf("agents: %+v", agents)
	}
	var cfg map[string]any
	p.call("GET", "/v1/config", nil, &cfg)
	if text := strings.ToLower(toJSON(t, cfg)); strings.Contains(text, "hidden") || !strings.Contains(text, "max_sessions") {
		t.Errorf("config: %s", text)
	}
}

// TestLimitHolds: sessions that are created at once don't slip past the limit or
// into one another's names.
func TestLimitHolds(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.config("max_sessions = 3\n")
	p.run()
	var wg sync.WaitGroup
	var made, refused atomic.Int32
	for range 12 {
		wg.Go(func() {
			err := p.try("POST", "/v1/sessions", api.NewSession{Argv: sh("exec sleep 1000"), CWD: "/", Env: []string{"PATH=" + os.Getenv("PATH")}}, nil)
			switch {
			case err == nil:
				made.Add(1)
			case api.CodeOf(err) == api.CodeLimit:
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if made.Load() != 3 || refused.Load() != 9 {
		t.Errorf("%d made, %d refused", made.Load(), refused.Load())
	}
	p.call("POST", "/v1/sessions/command-1/kill", api.Kill{Force: true}, nil)
	p.create(api.NewSession{Argv: sh("exec sleep 1000")})
	p.wantCode(api.CodeLimit, "POST", "/v1/sessions/command-1/restart", nil)
	p.call("POST", "/v1/sessions/command-2/restart", nil, nil) // takes its own place
}

// TestReload: SIGHUP reads the configuration again; a broken one changes
// nothing, and each problem is an event.
func TestReload(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.config("max_sessions = 7\n")
	p.spawn()
	limit := func() float64 {
		var answer struct{ Config map[string]any }
		p.call("GET", "/v1/config", nil, &answer)
		return answer.Config["max_sessions"].(float64)
	}
	reload := func(text, want string) {
		t.Helper()
		p.config(text)
		if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		until(t, want, func() bool {
			events := p.events()
			return strings.Contains(events[len(events)-1].Message, want)
		})
	}
	reload("max_sessions = 9\npuls = true\n", `did you mean "pulse"?`)
	until(t, "the new limit", func() bool { return limit() == 9 })
	reload("max_sessions = \n", "nothing was taken from the file")
	if got := limit(); got != 9 {
		t.Errorf("after a broken file the limit is %v", got)
	}
}

// TestConfigFollowed: a running daemon reads the configuration again when its file changes, and
// says which change waits for its next start.
func TestConfigFollowed(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.config("max_sessions = 7\n")
	p.spawn()
	p.config("max_sessions = 9\n[mcp]\nlead = \"policy\"\nlisten = \"127.0.0.1:0\"\n")
	until(t, "the new values", func() bool {
		var answer struct{ Config map[string]any }
		p.call("GET", "/v1/config", nil, &answer)
		mcp, _ := answer.Config["mcp"].(map[string]any)
		return answer.Config["max_sessions"] == 9.0 && mcp["lead"] == "policy"
	})
	until(t, "what is said about the address", func() bool {
		var problems []api.Event
		p.call("GET", "/v1/events?since=0&type="+api.EventConfigError, nil, &problems)
		return len(problems) == 1 && strings.Contains(problems[0].Message, "mcp.listen is read at the daemon's start")
	})
}

// TestRestartResumes: a restarted agent goes on with its conversation, if
// anything was said in it.
func TestRestartResumes(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	s := p.create(api.NewSession{Agent: "claude", Cols: 300, Rows: 24, Argv: sh(`echo "args: $0 $*."; exec sleep 1000`)})
	restarted := func() string {
		t.Helper()
		p.call("POST", "/v1/sessions/"+s.ID+"/restart", nil, nil)
		until(t, "the arguments", func() bool { return strings.Contains(p.screen(s.ID), ".") })
		return p.screen(s.ID)
	}
	call := func(name, more string) {
		t.Helper()
		if err := p.hook(s, name, "", fmt.Sprintf(`{"session_id":%q,%s}`, "conv-"+name, more)); err != nil {
			t.Fatal(err)
		}
	}
	if got := restarted(); strings.Contains(got, "--resume") {
		t.Errorf("nothing was said, and: %s", got)
	}
	call(claude.HookUserPromptSubmit, `"prompt":"x"`)
	for range 2 {
		if got := restarted(); !strings.Contains(got, "--resume conv-UserPromptSubmit") {
			t.Errorf("something was said, and: %s", got)
		}
	}
	call(claude.HookSessionStart, `"source":"clear"`)
	if got := restarted(); strings.Contains(got, "--resume") {
		t.Errorf("cleared, and: %s", got)
	}
}
