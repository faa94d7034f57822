package realcli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/client"
	"ccdir/test/fakeapi"
)

// states are those that a session went through, without repeats.
func states(t *testing.T, p *Product, id string) []api.State {
	t.Helper()
	events, err := p.Client.Events(t.Context(), client.EventFilter{Session: id})
	if err != nil {
		t.Fatal(err)
	}
	var out []api.State
	for _, e := range events {
		if e.StateTo != "" && (len(out) == 0 || out[len(out)-1] != e.StateTo) {
			out = append(out, e.StateTo)
		}
	}
	return out
}

func wantStates(t *testing.T, p *Product, id string, want ...api.State) {
	t.Helper()
	got := states(t, p, id)
	match := len(got) == len(want)
	for i := range min(len(got), len(want)) {
		match = match && got[i] == want[i]
	}
	if !match {
		t.Errorf("states %v, want %v\n%s", got, want, p.Dump())
	}
}

func hookEvent(name string) func(api.Event) bool {
	return func(e api.Event) bool { return e.Type == name && e.Source == "hook" }
}

func TestProductTurn(t *testing.T) {
	ctx, p := product(t, nil)
	id := p.New(ctx, "-n", "first")
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", "first", "hello there")
	stop := p.Event(ctx, id, 0, "Stop", hookEvent("Stop"))
	if stop.Message != "You said: hello there" {
		t.Errorf("Stop says %q", stop.Message)
	}
	p.State(ctx, id, api.StateIdle)
	p.Screen(ctx, id, "● You said: hello there")
	s := p.Show(ctx, id)
	if s.Prompt != "hello there" || len(s.Conversation) != 36 || s.PID == 0 {
		t.Errorf("session %+v", s)
	}
	wantStates(t, p, id, api.StateStarting, api.StateIdle, api.StateWorking, api.StateIdle)
}

func TestProductPromptAtStart(t *testing.T) {
	t.Parallel()
	Claude(t)
	fake := fakeapi.New(nil)
	defer fake.Close()
	ctx := limit(t)
	p := Install(t, Home(t, fake.URL()))
	const prompt = "first line\n\tsecond – 日本 👍\n/third !fourth"
	id := p.New(ctx, "--prompt", prompt)
	submitted := p.Event(ctx, id, 0, "UserPromptSubmit", hookEvent("UserPromptSubmit"))
	if !strings.HasPrefix(submitted.Message, "first line⏎") || !strings.Contains(submitted.Message, "日本 👍") {
		t.Errorf("submitted %q", submitted.Message)
	}
	p.Event(ctx, id, submitted.Seq, "Stop", hookEvent("Stop"))
	prompts := 0
	for _, r := range fake.Requests() {
		if r.Main() && strings.Contains(r.Prompt, "日本") {
			prompts++
		}
	}
	if prompts != 1 {
		t.Errorf("the prompt reached the API %d times", prompts)
	}
}

// askFor is a script whose first turn uses Bash with that command.
func askFor(command string) fakeapi.Script {
	return fakeapi.Turns(fakeapi.Tool("Bash", map[string]any{"command": command, "description": "a test"}))
}

func TestProductPermissionAnsweredInThePane(t *testing.T) {
	t.Parallel()
	Claude(t)
	fake := fakeapi.New(askFor("cat fifo > result.txt"))
	defer fake.Close()
	place := Home(t, fake.URL())
	fifo := filepath.Join(place.CWD, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx := limit(t)
	p := Install(t, place)
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "please run it")

	asked := p.State(ctx, id, api.StatePermission)
	if !strings.Contains(p.Until(ctx, id, "the question", func(s api.Session) bool { return s.Question != "" }).Question, "cat fifo") {
		t.Errorf("question %q", asked.Question)
	}
	answer(ctx, p, id)
	// The tool waits for this.
	if err := os.WriteFile(fifo, []byte("written by the test"), 0); err != nil {
		t.Fatal(err)
	}
	p.Event(ctx, id, 0, "Stop", hookEvent("Stop"))
	p.State(ctx, id, api.StateIdle)
	if data, err := os.ReadFile(filepath.Join(place.CWD, "result.txt")); err != nil || string(data) != "written by the test" {
		t.Errorf("the tool wrote %q, %v", data, err)
	}
	wantStates(t, p, id, api.StateStarting, api.StateIdle, api.StateWorking, api.StatePermission, api.StateWorking, api.StateIdle)
}

// answer chooses "Yes" in the open dialog until it is taken: the CLI ignores
// digits and Enter in the first 200 ms or so of a dialog.
func answer(ctx context.Context, p *Product, id string) {
	p.t.Helper()
	p.Screen(ctx, id, "1. Yes")
	for {
		p.Run(ctx, "keys", id, "1")
		_, err := p.Client.Wait(ctx, id, []api.State{api.StateWorking}, time.Second)
		if err == nil {
			return
		}
		if ctx.Err() != nil {
			p.t.Fatalf("the answer is not taken\n%s", p.Dump())
		}
	}
}

// ready waits until the CLI has drawn its prompt and reads keys: before, its
// terminal still makes signals of Ctrl-C.
func ready(ctx context.Context, p *Product, id string) api.Session {
	p.t.Helper()
	p.Screen(ctx, id, "Claude Code v"+Version)
	p.Screen(ctx, id, "manual mode on")
	return p.State(ctx, id, api.StateIdle)
}

// attach opens the grid in a terminal of the test's.
func attach(t *testing.T, p *Product, args ...string) *Terminal {
	t.Helper()
	return Start(t, p.command(context.Background(), append([]string{"attach"}, args...)...), nil)
}

func TestProductDetachAndAttach(t *testing.T) {
	ctx, p := product(t, nil)
	id := p.New(ctx, "-n", "longlived")
	pid := p.State(ctx, id, api.StateIdle).PID
	p.Run(ctx, "send", id, "before")
	p.Event(ctx, id, 0, "Stop", hookEvent("Stop"))

	for name, end := range map[string]func(tm *Terminal) error{
		"killed":  func(tm *Terminal) error { return tm.Process().Kill() },
		"hung up": func(tm *Terminal) error { return tm.Process().Signal(syscall.SIGHUP) },
	} {
		grid := attach(t, p)
		if !grid.Shows(ctx, "You said: before") || !grid.Shows(ctx, "longlived") {
			t.Fatalf("%s: the grid shows\n%s", name, grid.Text())
		}
		if err := end(grid); err != nil {
			t.Fatal(err)
		}
		<-grid.Exited()
	}

	// It goes on while nobody is attached, and the next one sees all of it.
	last := p.Event(ctx, id, 0, "Stop", hookEvent("Stop")).Seq
	p.Run(ctx, "send", id, "meanwhile")
	p.Event(ctx, id, last, "the second Stop", hookEvent("Stop"))
	grid := attach(t, p)
	if !grid.Shows(ctx, "You said: meanwhile") || !strings.Contains(grid.Text(), "You said: before") {
		t.Errorf("the grid shows\n%s", grid.Text())
	}
	if s := p.Show(ctx, id); s.PID != pid || s.State.Ended() {
		t.Errorf("the session changed: %+v", s)
	}
}

func TestProductDaemonKilled(t *testing.T) {
	ctx, p := product(t, nil)
	id := p.New(ctx)
	pid := p.State(ctx, id, api.StateIdle).PID
	server, err := p.Client.Health(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(server.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for syscall.Kill(server.PID, 0) == nil {
		if ctx.Err() != nil {
			t.Fatal("the daemon survives KILL")
		}
		time.Sleep(time.Millisecond) // another process: nothing to wait for
	}
	// Without a daemon the CLI works on, and its hooks go into the spool.
	s := p.Run(ctx, "ls", "--json") // starts the next daemon
	if !strings.Contains(s, id) {
		t.Fatalf("the session is lost: %s", s)
	}
	p.Run(ctx, "send", id, "are you there?")
	p.Event(ctx, id, 0, "Stop", hookEvent("Stop"))
	if s := p.State(ctx, id, api.StateIdle); s.PID != pid {
		t.Errorf("pid %d became %d", pid, s.PID)
	}
}

// exitSeen is how soon an exit must be seen (issue: 100 ms), with room for a
// machine that is busy with other tests.
const exitSeen = time.Second

// TestProductKilledFromOutside: a killed agent is shown as exited at once, in at least
// one of several tries: the machine may stall. Its last screen stays.
func TestProductKilledFromOutside(t *testing.T) { // alone: it measures
	Claude(t)
	fake := fakeapi.New(nil)
	defer fake.Close()
	ctx := limit(t)
	p := Install(t, Home(t, fake.URL()))
	took := exitSeen + 1
	for range 5 {
		if took <= exitSeen {
			break
		}
		took = killedFromOutside(ctx, t, p)
		t.Logf("an exit was seen after %v", took)
	}
	if took > exitSeen {
		t.Errorf("the exit was seen after %v", took)
	}
}

// killedFromOutside kills a new session's agent and returns the time until that was
// shown.
func killedFromOutside(ctx context.Context, t *testing.T, p *Product) time.Duration {
	t.Helper()
	id := p.New(ctx)
	pid := ready(ctx, p, id).PID
	seen := make(chan time.Time, 1)
	watch, end := context.WithCancel(ctx)
	defer end()
	go func() {
		_ = p.Client.WatchOnce(watch, func(m api.WatchMessage) {
			if m.Snapshot != nil {
				_ = syscall.Kill(pid, syscall.SIGKILL)
				seen <- time.Now()
			}
		})
	}()
	killed := <-seen
	s := p.State(ctx, id, api.StateExited)
	took := time.Since(killed)
	if s.ExitCode == nil || *s.ExitCode != 137 || s.PID != 0 {
		t.Errorf("after %v: %+v", took, s)
	}
	if text := p.Text(ctx, id); !strings.Contains(text, "Claude Code v"+Version) {
		t.Errorf("the screen of the ended session:\n%s", text)
	}
	return took
}

func TestProductKill(t *testing.T) {
	t.Parallel()
	Claude(t)
	tests := []struct {
		name  string
		reach func(ctx context.Context, p *Product, id string)
	}{
		{"at its prompt", func(context.Context, *Product, string) {}},
		{"in a dialog", func(ctx context.Context, p *Product, id string) {
			p.Run(ctx, "send", id, "please run it")
			p.State(ctx, id, api.StatePermission)
			p.Screen(ctx, id, "1. Yes")
		}},
		{"in a tool", func(ctx context.Context, p *Product, id string) {
			p.Run(ctx, "send", id, "please run it")
			p.State(ctx, id, api.StatePermission)
			answer(ctx, p, id)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			fake := fakeapi.New(askFor("touch started; sleep 100"))
			defer fake.Close()
			ctx := limit(t)
			p := Install(t, Home(t, fake.URL()))
			id := p.New(ctx)
			ready(ctx, p, id)
			tt.reach(ctx, p, id)
			start := time.Now()
			p.Run(ctx, "kill", id)
			s := p.State(ctx, id, api.StateExited)
			t.Logf("ended after %v with %d", time.Since(start), *s.ExitCode)
			if *s.ExitCode != 0 && *s.ExitCode != 129 {
				t.Errorf("exit code %d\n%s", *s.ExitCode, p.Dump())
			}
			p.Event(ctx, id, 0, "SessionEnd", hookEvent("SessionEnd"))
		})
	}
}

func TestProductRestartKeepsTheConversation(t *testing.T) {
	ctx, p := product(t, nil)
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "remember the milk")
	p.Event(ctx, id, 0, "Stop", hookEvent("Stop"))
	before := p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "kill", id)
	p.State(ctx, id, api.StateExited)
	p.Run(ctx, "restart", id)
	after := p.State(ctx, id, api.StateIdle)
	if after.Conversation != before.Conversation || after.PID == before.PID {
		t.Errorf("%+v became %+v", before, after)
	}
	p.Screen(ctx, id, "remember the milk")
}
