package realcli

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/internal/disk/paths"
	"ccdir/test/fakeapi"
	"ccdir/test/programs"
)

// BenchmarkHookToState is the time from the start of a hook process to the
// change of state at a watcher of the daemon, which is what `ccdir ls` and the
// grid show.
func BenchmarkHookToState(b *testing.B) {
	b.Run("1 session", func(b *testing.B) { hookToState(b, 1) })
	b.Run("32 sessions", func(b *testing.B) { hookToState(b, 32) })
}

// firing is how often each of the other sessions calls a hook.
const firing = 200 * time.Millisecond

// fire calls hooks of a session, each a process, until ctx ends.
func fire(ctx context.Context, shim string, env []string) {
	tick := time.NewTicker(firing)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		cmd := exec.CommandContext(ctx, shim, "hook", "PreToolUse")
		cmd.Env, cmd.Stdin = env, strings.NewReader(`{"tool_name":"Bash","tool_input":{"command":"ls"}}`)
		_ = cmd.Run() // ends with ctx
	}
}

// hookEnv is the environment of a session's hooks.
func hookEnv(b *testing.B, p *Product, id string) []string {
	dir := p.Paths.SessionDir(id)
	token, err := os.ReadFile(filepath.Join(dir, paths.TokenFile))
	if err != nil {
		b.Fatal(err)
	}
	return agents.SetEnv(os.Environ(), api.EnvSession+"="+id, api.EnvToken+"="+strings.TrimSpace(string(token)),
		api.EnvSocket+"="+p.Paths.Socket(), api.EnvDir+"="+dir)
}

// hookToState measures one of that many sessions, while the others call hooks.
func hookToState(b *testing.B, sessions int) {
	fake := fakeapi.New(nil)
	defer fake.Close()
	p := Install(b, Home(b, fake.URL()))
	ctx := limit(b)
	id := p.Run(ctx, "new", "-a", "demo")
	p.State(ctx, id, api.StateIdle)
	shim := filepath.Join(programsDir, programs.Shim)
	busy, calm := context.WithCancel(ctx)
	var others sync.WaitGroup
	defer others.Wait()
	defer calm()
	for range sessions - 1 {
		env := hookEnv(b, p, p.Run(ctx, "new", "-a", "demo"))
		others.Go(func() { fire(busy, shim, env) })
	}
	states := make(chan api.State, 16)
	ready := make(chan struct{})
	go func() {
		_ = p.Client.WatchOnce(b.Context(), func(m api.WatchMessage) {
			if m.Snapshot != nil {
				close(ready)
			}
			if m.Session != nil && m.Session.ID == id {
				states <- m.Session.State
			}
		})
	}()
	<-ready
	env := hookEnv(b, p, id)
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		hook, want := "PreToolUse", api.StateWorking
		if i%2 == 1 {
			hook, want = "Stop", api.StateIdle
		}
		cmd := exec.Command(shim, "hook", hook)
		cmd.Env, cmd.Stdin = env, strings.NewReader(`{"tool_name":"Bash","tool_input":{"command":"ls"}}`)
		start := time.Now()
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		for state := api.State(""); state != want; {
			select {
			case state = <-states:
			case <-time.After(10 * time.Second):
				b.Fatalf("%s did not bring %s\n%s", hook, want, p.Dump())
			}
		}
		took = append(took, time.Since(start))
		_ = cmd.Wait()
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
}
