package realcli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/client"
	"ccdir/internal/disk/paths"
	"ccdir/test/programs"
	"ccdir/wire"
)

// programsDir is the directory of the real programs; TestMain builds them.
var programsDir string

// Product is an installation of ccdir for one test, whose agent claude is the real CLI
// in a seeded home.
type Product struct {
	t     testing.TB
	Place Place
	Paths paths.Paths
	// Env is the environment of ccdir.
	Env    []string
	Client *client.Client
	// Agent is the agent of sessions.
	Agent string
	exe   string
	home  string
	// shim is the path of ccdir-shim for daemons of the test.
	shim string
}

// Install makes one; at the end of the test its daemon and all sessions end, and no
// process may be left.
func Install(t testing.TB, place Place) *Product {
	t.Helper()
	return installWith(t, place, Claude(t))
}

// installWith is Install with another CLI.
func installWith(t testing.TB, place Place, cli string) *Product {
	t.Helper()
	return InstallAgent(t, place, "claude", "fast_path = false\n[agents.claude]\ncommand = "+strconv.Quote(cli)+"\nargs = [\"--permission-mode\", \"manual\"]\n")
}

// InstallAgent is Install with another agent, and the text of config.toml.
func InstallAgent(t testing.TB, place Place, agent, config string) *Product {
	t.Helper()
	// Not t.TempDir: a daemon writes until it ends.
	home, err := os.MkdirTemp("", "ccdir-real")
	if err != nil {
		t.Fatal(err)
	}
	p := &Product{t: t, Place: place, Agent: agent, exe: filepath.Join(programsDir, programs.Ccdir), home: home, shim: filepath.Join(programsDir, programs.Shim)}
	p.Env = agents.SetEnv(place.Env, "CCDIR_HOME="+home)
	if p.Paths, err = paths.New(func(k string) string { return agents.Getenv(p.Env, k) }, os.Getuid()); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(p.Paths.Config, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.Paths.ConfigFile(), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	p.Client = client.New(client.Options{Paths: p.Paths, UID: -1, Name: "test"})
	t.Cleanup(p.uninstall)
	return p
}

// with is the same installation for a subtest, which fails alone.
func (p *Product) with(t testing.TB) *Product {
	q := *p
	q.t = t
	return &q
}

func (p *Product) uninstall() {
	if out, err := p.command(context.Background(), "daemon", "stop", "--kill-sessions").CombinedOutput(); err != nil {
		p.t.Errorf("daemon stop: %v\n%s", err, out)
	}
	p.Client.Close()
	if left, _ := filepath.Glob(filepath.Join(p.Paths.Runtime, "*")); len(left) > 0 {
		p.t.Errorf("sockets are left over: %v", left)
	}
	if p.t.Failed() {
		if log, err := os.ReadFile(p.Paths.DaemonLog()); err == nil {
			p.t.Logf("the daemon's log:\n%s", log)
		}
	}
	_ = os.RemoveAll(p.Paths.Runtime)
	_ = os.RemoveAll(p.home)
}

// command is `ccdir ARGS…` in the project.
func (p *Product) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, p.exe, args...)
	cmd.Env, cmd.Dir = p.Env, p.Place.CWD
	return cmd
}

// Run runs `ccdir ARGS…` and returns its output; it must succeed.
func (p *Product) Run(ctx context.Context, args ...string) string {
	p.t.Helper()
	cmd := p.command(ctx, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		p.t.Fatalf("ccdir %s: %v\n%s%s\n%s", strings.Join(args, " "), err, &out, &errs, p.Dump())
	}
	return strings.TrimSpace(out.String())
}

// New starts a session of the real CLI and returns its id.
func (p *Product) New(ctx context.Context, args ...string) string {
	p.t.Helper()
	return p.Run(ctx, append([]string{"new", "-a", p.Agent, "--cols", "100", "--rows", "30"}, args...)...)
}

// Show returns the session.
func (p *Product) Show(ctx context.Context, id string) api.Session {
	p.t.Helper()
	s, err := p.Client.Session(ctx, id)
	if err != nil {
		p.t.Fatal(err)
	}
	return s
}

// Until watches until the session matches, and returns it.
func (p *Product) Until(ctx context.Context, id, what string, fits func(api.Session) bool) api.Session {
	p.t.Helper()
	watch, stop := context.WithCancel(ctx)
	defer stop()
	var got *api.Session
	look := func(s api.Session) {
		if got == nil && s.ID == id && fits(s) {
			got = &s
			stop()
		}
	}
	err := p.Client.WatchOnce(watch, func(m api.WatchMessage) {
		if m.Snapshot != nil {
			for _, s := range m.Snapshot.Sessions {
				look(s)
			}
		}
		if m.Session != nil {
			look(*m.Session)
		}
	})
	if got == nil {
		p.t.Fatalf("never: %s (%v)\n%s", what, err, p.Dump())
	}
	return *got
}

// State waits for a state.
func (p *Product) State(ctx context.Context, id string, want api.State) api.Session {
	p.t.Helper()
	return p.Until(ctx, id, "state "+string(want), func(s api.Session) bool { return s.State == want })
}

// Event waits for a matching event of the session after since, and returns it.
func (p *Product) Event(ctx context.Context, id string, since int64, what string, fits func(api.Event) bool) api.Event {
	p.t.Helper()
	var got *api.Event
	err := p.Client.Follow(ctx, client.EventFilter{Session: id, Since: since}, func(e api.Event) error {
		if fits(e) {
			got = &e
			return errFound
		}
		return nil
	})
	if got == nil {
		p.t.Fatalf("never: %s (%v)\n%s", what, err, p.Dump())
	}
	return *got
}

var errFound = fmt.Errorf("found")

// Text is the session's screen.
func (p *Product) Text(ctx context.Context, id string) string {
	p.t.Helper()
	out, err := p.Client.Output(ctx, id, wire.OutputParams{Format: "text"})
	if err != nil {
		p.t.Fatal(err)
	}
	return out.Text
}

// Screen waits until the session's screen contains want; a connection to the host
// reports changes.
func (p *Product) Screen(ctx context.Context, id, want string) {
	p.t.Helper()
	conn, _, err := p.Client.Host(ctx, id, client.HostOptions{ReadOnly: true})
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	if err := conn.Send(&wire.View{Visible: true}); err != nil {
		p.t.Fatal(err)
	}
	for {
		text := p.Text(ctx, id)
		if strings.Contains(text, want) {
			return
		}
		if _, err := conn.Receive(); err != nil {
			p.t.Fatalf("the screen never showed %q (%v):\n%s\n%s", want, err, text, p.Dump())
		}
	}
}

// Dump describes the whole installation, for failures.
func (p *Product) Dump() string {
	var b strings.Builder
	ctx := context.Background()
	list, err := p.Client.Sessions(ctx)
	if err != nil {
		return err.Error()
	}
	for _, s := range list {
		data, _ := json.MarshalIndent(s, "", "  ")
		fmt.Fprintf(&b, "%s\n", data)
		if out, err := p.Client.Output(ctx, s.ID, wire.OutputParams{Format: "text"}); err == nil {
			fmt.Fprintf(&b, "%s\n", out.Text)
		}
		events, _ := p.Client.Events(ctx, client.EventFilter{Session: s.ID})
		for _, e := range events {
			fmt.Fprintf(&b, "%d %s %s %s %s→%s %s\n", e.Seq, e.At.Format("05.000"), e.Source, e.Type, e.StateFrom, e.StateTo, e.Message)
		}
		if ex, err := p.Client.Explain(ctx, s.ID); err == nil {
			data, _ := json.MarshalIndent(ex, "", "  ")
			fmt.Fprintf(&b, "%s\n", data)
		}
	}
	return b.String()
}
