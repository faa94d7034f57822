package callers_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ccdir/api"
	"ccdir/internal/proc"
	"ccdir/mcpserver/runner"
)

// TestWhoCalls: of real processes, what their ancestors and environments say.
func TestWhoCalls(t *testing.T) {
	t.Parallel()
	const host = "ccdir-shim"
	in := func(id string) []string { return []string{api.EnvSession + "=" + id, api.EnvToken + "=" + token} }
	forged := []string{api.EnvSession + "=one", api.EnvToken + "=guessed"}
	one := api.Origin{Inside: true, Session: "one", Name: "first", Role: "dev"}
	inside, nobody, person := api.Origin{Inside: true}, api.Origin{Inside: true, Nobody: true}, api.Origin{}
	for name, c := range map[string]struct {
		// self is the daemon's pid; name and env are those of the process above the one that calls.
		self int
		name string
		env  []string
		// hosted is the session whose host that process is; shells speak for the person; hostOf is
		// the session whose directory the process has as a host.
		hosted, hostOf string
		shells         []string
		want           api.Origin
		why            string
	}{
		"below a host":                             {self: os.Getpid(), hosted: "one", want: one, why: "comes from the host of that session"},
		"below a host, which claims another":       {self: os.Getpid(), hosted: "one", env: in("two"), want: one, why: "comes from the host of that session"},
		"below the host of a shell":                {self: os.Getpid(), hosted: "one", shells: []string{"one"}, want: person},
		"below a host that was started just now":   {self: os.Getpid(), name: host, hostOf: "one", want: one, why: "comes from the host of that session"},
		"below a host that nobody adopted":         {self: nowhere, name: host, hostOf: "one", want: inside, why: "of a session that is not known"},
		"below a host of another state directory":  {self: nowhere, name: host, hostOf: "../elsewhere/one", want: person},
		"below a program that says to be a host":   {self: nowhere, hostOf: "one", want: person},
		"below the daemon":                         {self: os.Getpid(), want: nobody, why: "was started by the daemon"},
		"below the daemon, which claims a session": {self: os.Getpid(), env: in("one"), want: nobody, why: "was started by the daemon"},
		"outside":                                   {self: nowhere, want: person},
		"outside, with a session's environment":     {self: nowhere, env: in("one"), want: one, why: api.EnvSession + " says so"},
		"outside, with that of a shell":             {self: nowhere, env: in("one"), shells: []string{"one"}, want: person},
		"outside, with a token that is wrong":       {self: nowhere, env: forged, want: inside, why: api.EnvSession + " says so"},
		"outside, with a wrong token of a shell":    {self: nowhere, env: forged, shells: []string{"one"}, want: person},
		"outside, with a session that is not known": {self: nowhere, env: in("three"), want: person},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, c.self)
			p.shells = c.shells
			if c.hostOf != "" {
				c.env = append(c.env, api.EnvHost+"="+filepath.Join(p.dir, c.hostOf))
			}
			if c.name == "" {
				c.name = "program"
			}
			who := p.process(c.name, c.env...)
			if c.hosted != "" {
				p.hosts[who.parent] = c.hosted
			}
			got, err := p.Identify(t.Context(), who.pid, who.start)
			if err != nil || !strings.Contains(got.Why, c.why) || (got.Why == "") != (c.why == "") {
				t.Errorf("%+v, %v, want why %q", got, err, c.why)
			}
			if got.Why != "" && !strings.Contains(got.Why, fmt.Sprint(who.pid)) {
				t.Errorf("%q does not name the process", got.Why)
			}
			if got.Why = ""; got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}

// TestGoneIsNotThePerson: of a process that has ended, or whose pid another one has, nobody
// is told.
func TestGoneIsNotThePerson(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nowhere)
	cmd := exec.Command("cat")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	start, err := proc.StartTime(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(what, start string) {
		t.Helper()
		if o, err := p.Identify(t.Context(), cmd.Process.Pid, start); api.CodeOf(err) != api.CodeForbidden || o != (api.Origin{}) {
			t.Errorf("%s: %+v, %v", what, o, err)
		}
	}
	refused("another of that pid", start+"0")
	_ = in.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	refused("ended", start)
}

// TestToolsOfAgents: what a tool of ccdir runs for an agent is inside, though its parent is the
// daemon.
func TestToolsOfAgents(t *testing.T) {
	t.Parallel()
	p := newPlace(t, os.Getpid())
	dir := t.TempDir()
	said := filepath.Join(dir, "pid")
	if err := syscall.Mkfifo(said, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended, number := make(chan error, 1), make(chan string, 1)
	go func() {
		_, err := runner.Run(ctx, runner.Spec{Argv: []string{"sh", "-c", `sh -c 'echo $$ >pid; exec sleep 1000'; :`}, Dir: dir,
			Env: []string{"PATH=" + os.Getenv("PATH"), api.EnvSession + "=one", api.EnvToken + "=" + token}, Log: filepath.Join(dir, "log")})
		ended <- err
	}()
	go func() {
		data, _ := os.ReadFile(said) // "" is no number
		number <- strings.TrimSpace(string(data))
	}()
	select {
	case err := <-ended:
		t.Fatalf("the command ended: %v", err)
	case n := <-number:
		who := at(t, n, 0)
		got, err := p.Identify(t.Context(), who.pid, who.start)
		if err != nil || !got.Inside || got.Nobody || got.Session != "" || !strings.Contains(got.Why, "started by a tool of ccdir") {
			t.Errorf("%+v, %v", got, err)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
