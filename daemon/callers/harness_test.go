package callers_test

import (
	"bufio"
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/daemon/callers"
	"ccdir/daemon/httpapi/access"
	"ccdir/internal/proc"
	"ccdir/mcpserver"
)

// token is the token of every session of a place.
const token = "the-token"

// place has the callers under test, and in the daemon's place sessions, an event log, a policy
// and tools. It implements Sessions, Journal, Policy and Tools.
type place struct {
	*callers.Callers
	t testing.TB
	// dir is the directory of sessions.
	dir string
	// sessions are those that are known, by id; hosts has the ids by the pid of their hosts; shells
	// are those that speak for the person.
	sessions map[string]api.Caller
	hosts    map[int]string
	shells   []string

	mu sync.Mutex // guards what follows
	// rows and events are what was recorded; answered are the answers that were given.
	rows     []row
	events   []api.Event
	answered []api.Answer
	// decided are the uses of tools that were decided, by whom.
	decided []mcpserver.Caller
}

// row is a row of the ledger.
type row struct {
	session, call, why string
}

// nowhere is the pid of a daemon that is nobody's ancestor.
const nowhere = -1

// newPlace has two agents' sessions, one and two; self is the daemon's pid.
func newPlace(t testing.TB, self int) *place {
	t.Helper()
	p := &place{t: t, dir: t.TempDir(), hosts: map[int]string{}, sessions: map[string]api.Caller{
		"one": {Session: "one", Name: "first", Role: "dev", Root: "/first"},
		"two": {Session: "two", Name: "second", Role: "lead", Root: "/second"},
	}}
	p.Callers = callers.New(callers.Options{Sessions: p, Journal: p, Policy: p, Tools: func() callers.Tools { return p },
		Dir: p.dir, Self: self, Starter: self, Logger: slog.New(slog.DiscardHandler)})
	return p
}

func (p *place) HostedBy(pid int, start string) (string, bool) {
	if now, err := proc.StartTime(pid); err != nil || now != start {
		return "", false
	}
	id, ok := p.hosts[pid]
	return id, ok
}

func (p *place) Marked(env []string) (id string, proven, ok bool) {
	id = agents.Getenv(env, api.EnvSession)
	_, ok = p.sessions[id]
	return id, agents.Getenv(env, api.EnvToken) == token, ok
}

func (p *place) SpeaksForPerson(_ context.Context, id string) bool {
	return slices.Contains(p.shells, id)
}

func (p *place) Caller(_ context.Context, ref string) (api.Caller, error) {
	c, ok := p.sessions[ref]
	if !ok {
		return c, api.Errorf(api.CodeNotFound, "there is no session %s", ref)
	}
	return c, nil
}

func (p *place) Request(ref string) (api.Request, error) {
	if ref != "k3" {
		return api.Request{}, api.Errorf(api.CodeNotFound, "there is no request %s", ref)
	}
	return api.Request{ID: "k3vfa", Session: "one"}, nil
}

func (p *place) Answer(ref, by string, a api.Answer) (api.Decision, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answered = append(p.answered, a)
	return api.Decision{Request: api.Request{ID: ref}, By: by}, nil
}

func (p *place) Session(id string) (api.Session, bool) {
	c, ok := p.sessions[id]
	return api.Session{ID: c.Session, Name: c.Name, State: api.StateWorking}, ok
}

func (p *place) Append(msg api.WatchMessage, _ []byte, _ string) <-chan error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.events = append(p.events, *msg.Event)
	return nil // nobody may wait for it
}

// MayAnswer permits it to the session two.
func (p *place) MayAnswer(_ context.Context, lead string, r api.Request, _ api.Answer) error {
	if lead != "two" || r.Session != "one" {
		return api.Errorf(api.CodeForbidden, "only the person answers this request")
	}
	return nil
}

func (p *place) RefusedCall(o api.Origin, call, why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rows = append(p.rows, row{o.Session, call, why})
}

func (p *place) May(role, tool string) bool { return role == "lead" || tool != "session_spawn" }

// Decide denies what has the input "denied".
func (p *place) Decide(_ context.Context, caller mcpserver.Caller, use mcpserver.Use) mcpserver.Decision {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.decided = append(p.decided, caller)
	var input map[string]bool
	if err := json.Unmarshal(use.Input, &input); err != nil || input["denied"] {
		return mcpserver.Decision{Reason: "a rule denies it"}
	}
	return mcpserver.Decision{Allow: true}
}

// refused returns the rows of the ledger and forgets them; each has its event.
func (p *place) refused() []row {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.events) != len(p.rows) {
		p.t.Errorf("%d events of %d rows", len(p.events), len(p.rows))
	}
	rows := p.rows
	p.rows, p.events = nil, nil
	return rows
}

// process is a process that calls.
type process struct {
	pid   int
	start string
	// parent is the pid of the one that started it, a child of this process.
	parent int
}

// process starts a process below one that runs the shell as the program name, with env. It runs
// until the test ends.
func (p *place) process(name string, env ...string) process {
	p.t.Helper()
	shell, err := exec.LookPath("sh")
	if err != nil {
		p.t.Fatal(err)
	}
	as := filepath.Join(p.t.TempDir(), name)
	if err := os.Symlink(shell, as); err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.Command(as)
	cmd.Args = []string{"sh", "-c", `sh -c 'echo $$; exec cat'; :`} // the colon keeps the outer one
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, env...)
	in, err := cmd.StdinPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = in.Close(); _ = cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		p.t.Fatal(err)
	}
	return at(p.t, strings.TrimSpace(line), cmd.Process.Pid)
}

// at describes a running process.
func at(t testing.TB, number string, parent int) process {
	t.Helper()
	pid, err := strconv.Atoi(number)
	if err != nil {
		t.Fatal(err)
	}
	start, err := proc.StartTime(pid)
	if err != nil {
		t.Fatal(err)
	}
	return process{pid, start, parent}
}

// call is the context of a call of the process.
func (c process) call(ctx context.Context) context.Context {
	return access.OfProcess(ctx, c.pid, c.start)
}
