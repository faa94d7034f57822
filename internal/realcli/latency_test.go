package realcli

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/internal/agents"
	"ccdir/internal/api"
	"ccdir/internal/fakeapi"
	"ccdir/internal/paths"
)

// BenchmarkHookToState is the time from the start of a hook process to the
// change of state at a watcher of the daemon, which is what `ccdir ls` and the
// grid show.
func BenchmarkHookToState(b *testing.B) {
	fake := fakeapi.New(nil)
	defer fake.Close()
	p := Install(b, Home(b, fake.URL()))
	ctx := limit(b)
	id := p.Run(ctx, "new", "-a", "demo")
	p.State(ctx, id, api.StateIdle)
	dir := p.Paths.SessionDir(id)
	token, err := os.ReadFile(filepath.Join(dir, paths.TokenFile))
	if err != nil {
		b.Fatal(err)
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
	env := agents.SetEnv(os.Environ(), api.EnvSession+"="+id, api.EnvToken+"="+strings.TrimSpace(string(token)),
		api.EnvSocket+"="+p.Paths.Socket(), api.EnvDir+"="+dir)
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		hook, want := "PreToolUse", api.StateWorking
		if i%2 == 1 {
			hook, want = "Stop", api.StateIdle
		}
		cmd := exec.Command(filepath.Join(Build(b), "ccdir-shim"), "hook", hook)
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
