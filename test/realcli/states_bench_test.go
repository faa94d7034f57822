package realcli

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/test/fakeapi"
)

// BenchmarkCauseToState is the time from a cause (a key given to the host, or the
// end of the API's answer) to the change of state at a watcher of the daemon, with
// the real CLI. It must be run with a fixed number of rounds, such as
// -benchtime 20x.
func BenchmarkCauseToState(b *testing.B) {
	for name, args := range variants {
		b.Run(name, func(b *testing.B) { causeToState(b, args) })
	}
}

// watcher keeps the states of a session with the times at which they were told.
type watcher struct {
	p      *Product
	id     string
	states chan api.State
}

// watch begins to watch a session.
func watch(ctx context.Context, p *Product, id string) *watcher {
	w := &watcher{p: p, id: id, states: make(chan api.State, 64)}
	ready := make(chan struct{})
	go func() {
		last := api.State("")
		_ = p.Client.WatchOnce(ctx, func(m api.WatchMessage) {
			if m.Snapshot != nil {
				close(ready)
			}
			if m.Session != nil && m.Session.ID == id && m.Session.State != last {
				last = m.Session.State
				w.states <- last
			}
		})
	}()
	<-ready
	return w
}

// until waits for a state, and returns how long it took since then.
func (w *watcher) until(b *testing.B, want api.State, since time.Time) time.Duration {
	b.Helper()
	for {
		select {
		case s := <-w.states:
			if s == want {
				return time.Since(since)
			}
		case <-time.After(20 * time.Second):
			b.Fatalf("never %s\n%s", want, w.p.Dump())
		}
	}
}

func causeToState(b *testing.B, args []string) {
	// answered is when the fake API began to answer last.
	var answered atomic.Int64
	fake := fakeapi.New(func(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
		if !r.Main() {
			return fakeapi.Echo(ctx, r)
		}
		defer func() { answered.Store(time.Now().UnixNano()) }()
		switch r.Prompt {
		case "ask":
			return bash("mkdir " + fmt.Sprint(r.N))
		case "run":
			return bash(fmt.Sprintf("touch %d; sleep 20", r.N))
		case "question":
			return question
		case "plan":
			return fakeapi.Tool("ExitPlanMode", map[string]any{"plan": "# The plan\n\nDo it."})
		case "stream":
			return fakeapi.Reply{Blocks: []fakeapi.Block{{Text: fmt.Sprintf("Some words first %d.\n\n", r.N)}, {Text: "never said", Wait: ctx.Done()}}}
		}
		return fakeapi.Echo(ctx, r)
	})
	defer fake.Close()
	ctx, cancel := context.WithTimeout(b.Context(), 15*time.Minute)
	defer cancel()
	p := Install(b, Home(b, fake.URL()))
	id := p.New(ctx, args...)
	ready(ctx, p, id)
	w := watch(ctx, p, id)
	took := map[string][]time.Duration{}
	// asks has a dialog opened.
	asks := func(prompt, shows string, state api.State) {
		p.Run(ctx, "send", id, prompt)
		w.until(b, state, time.Now())
		took[prompt] = append(took[prompt], time.Since(time.Unix(0, answered.Load())))
		p.Screen(ctx, id, shows)
		time.Sleep(guard) // the CLI ignores keys of a fresh dialog
	}
	key := func(what, name string, state api.State) {
		start := time.Now()
		if err := p.Client.Input(ctx, id, api.RawInput{Keys: []string{name}}); err != nil {
			b.Fatal(err)
		}
		took[what] = append(took[what], w.until(b, state, start))
	}
	for b.Loop() {
		p.Run(ctx, "send", id, "hello")
		w.until(b, api.StateWorking, time.Now())
		w.until(b, api.StateIdle, time.Now())
		took["turn-end"] = append(took["turn-end"], time.Since(time.Unix(0, answered.Load())))
		asks("ask", "1. Yes", api.StatePermission)
		key("esc", "Escape", api.StateIdle)
		asks("ask", "1. Yes", api.StatePermission)
		key("no", "4", api.StateIdle)
		asks("run", "1. Yes", api.StatePermission)
		key("yes", "1", api.StateWorking)
		time.Sleep(guard)
		key("esc-in-tool", "Escape", api.StateIdle)
		asks("question", "1. Red", api.StateInput)
		key("esc-in-question", "Escape", api.StateIdle)
		p.Run(ctx, "send", id, "stream")
		w.until(b, api.StateWorking, time.Now())
		p.Screen(ctx, id, "Some words first")
		time.Sleep(guard)
		key("esc-in-stream", "Escape", api.StateIdle)
	}
	for what, list := range took {
		slices.Sort(list)
		b.ReportMetric(float64(list[len(list)/2].Microseconds())/1000, what+"-p50-ms")
		b.ReportMetric(float64(list[len(list)*95/100].Microseconds())/1000, what+"-p95-ms")
	}
}
