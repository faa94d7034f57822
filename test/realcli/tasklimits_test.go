package realcli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/test/fakeapi"
)

// waitTasks waits until the tasks have ended, and returns them.
func waitTasks(ctx context.Context, p *Product, ids ...string) (list []api.Task) {
	p.t.Helper()
	cmd := p.command(ctx, append([]string{"task", "wait", "--json", "--timeout", "80s"}, ids...)...)
	out, _ := cmd.Output() // exits 1 when one is not done
	if err := json.Unmarshal(out, &list); err != nil {
		p.t.Fatalf("%v\n%s\n%s", err, out, p.Dump())
	}
	return list
}

// subscriber makes the CLI one of a person with a subscription: limits then come
// with a time. It may reach nothing but the API of the test.
func subscriber(place *Place) {
	place.Env = slices.DeleteFunc(place.Env, func(s string) bool { return strings.HasPrefix(s, "ANTHROPIC_AUTH_TOKEN=") })
	place.Env = append(place.Env, "CLAUDE_CODE_OAUTH_TOKEN=dummy", "HTTPS_PROXY=http://127.0.0.1:9", "NO_PROXY=127.0.0.1")
}

// limited is a script: the first turn of each prompt is refused as by a
// subscription's limit, which ends some seconds later.
type limited struct {
	mu      sync.Mutex
	reset   time.Time // the last one that was told
	refused map[string]bool
	early   int // turns before the reset, when each was told of it
	turns   map[string]int
}

func (l *limited) script(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
	if !r.Main() {
		return fakeapi.Echo(ctx, r)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	prompt := strings.TrimSpace(r.Prompt)
	if !l.refused[prompt] {
		l.refused[prompt] = true
		l.reset = time.Now().Add(15 * time.Second).Truncate(time.Second)
		reply := fakeapi.Error(http.StatusTooManyRequests, "This request would exceed your account's rate limit.")
		reply.Header = http.Header{}
		for k, v := range map[string]string{"x-should-retry": "false", "anthropic-ratelimit-unified-status": "rejected",
			"anthropic-ratelimit-unified-reset":                fmt.Sprint(l.reset.Unix()),
			"anthropic-ratelimit-unified-representative-claim": "five_hour"} {
			reply.Header.Set(k, v)
		}
		return reply
	}
	if time.Now().Before(l.reset) {
		l.early++
	}
	l.turns[prompt]++
	return fakeapi.Echo(ctx, r)
}

// TestProductUsageLimit: tasks that meet a subscription's limit, in a pane and in
// print mode, are parked until the second that the agent reports, then begin one
// after the other, in their conversations.
func TestProductUsageLimit(t *testing.T) {
	Claude(t)
	t.Parallel()
	l := &limited{refused: map[string]bool{}, turns: map[string]int{}}
	fake := fakeapi.New(l.script)
	defer fake.Close()
	place := Home(t, fake.URL())
	subscriber(&place)
	const stagger = 4 * time.Second
	place.Env = append(place.Env, envStagger+"="+stagger.String())
	p := Install(t, place)
	ctx := limit(t)
	p.run("-")
	ids := []string{p.Run(ctx, "task", "add", "-a", "claude", "in a pane"), p.Run(ctx, "task", "add", "-a", "claude", "--print", "printed"),
		p.Run(ctx, "task", "add", "-a", "claude", "--print", "printed too")}
	p.Run(ctx, "task", "mode", "auto")
	p.Event(ctx, "", 0, "all tasks to be parked", func() func(api.Event) bool {
		n := 0
		return func(e api.Event) bool {
			if e.Type == api.EventTaskParked {
				n++
			}
			return n == len(ids)
		}
	}())
	q, err := p.Client.Queue(ctx)
	l.mu.Lock()
	if err != nil || !q.Parked["claude"].Equal(l.reset) {
		t.Errorf("parked until %v, the limit ends at %v, %v", q.Parked, l.reset, err)
	}
	l.mu.Unlock()
	list := waitTasks(ctx, p, ids...)
	for i, want := range []string{"in a pane", "printed", "printed too"} {
		task := list[i]
		for task.State == api.TaskDone && task.Result.Turns == 0 && ctx.Err() == nil { // counted once the agent has written it down
			if task, err = p.Client.Task(ctx, task.ID); err != nil {
				t.Fatal(err)
			}
			time.Sleep(50 * time.Millisecond)
		}
		if task.State != api.TaskDone || task.Attempt != 2 || task.Failures != 0 || task.Result.Message != "You said: "+want || task.Started.Before(l.reset) {
			t.Errorf("%+v", task)
		}
		// A refusal is no turn.
		if task.Result.Turns != 1 {
			t.Errorf("%s took %d turns", task.ID, task.Result.Turns)
		}
		if n := l.turns[want]; n != 1 {
			t.Errorf("%q was answered %d times", want, n)
		}
	}
	if l.early > 0 {
		t.Errorf("%d turns before the end of the limit", l.early)
	}
	slices.SortFunc(list, func(a, b api.Task) int { return a.Started.Compare(b.Started) })
	if d := list[1].Started.Sub(list[0].Started); d < time.Second {
		t.Errorf("the second began %s after the first: not staggered", d)
	}
}

// TestProductOverloaded: without a time the agent is parked for a minute; a
// person can go on at once.
func TestProductOverloaded(t *testing.T) {
	Claude(t)
	t.Parallel()
	var mu sync.Mutex
	open := false
	fake := fakeapi.New(func(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
		mu.Lock()
		defer mu.Unlock()
		if !r.Main() || open {
			return fakeapi.Echo(ctx, r)
		}
		reply := fakeapi.Error(529, "Overloaded")
		reply.Header = http.Header{"X-Should-Retry": {"false"}}
		return reply
	})
	defer fake.Close()
	p := Install(t, Home(t, fake.URL()))
	ctx := limit(t)
	p.Run(ctx, "task", "mode", "auto")
	for _, kind := range [][]string{{"in a pane"}, {"--print", "printed"}} {
		mu.Lock()
		open = false
		mu.Unlock()
		began := time.Now()
		id := p.Run(ctx, append([]string{"task", "add", "-a", "claude"}, kind...)...)
		p.Event(ctx, "", 0, id+" to be parked", func(e api.Event) bool {
			return e.Type == api.EventTaskParked && strings.Contains(string(e.Data), `"`+id+`"`)
		})
		q, err := p.Client.Queue(ctx)
		if until := q.Parked["claude"]; err != nil || until.Before(began.Add(time.Minute)) || until.After(time.Now().Add(time.Minute)) {
			t.Errorf("parked until %v, %v", q.Parked, err)
		}
		mu.Lock()
		open = true
		mu.Unlock()
		p.Run(ctx, "task", "start", id)
		if task := waitTasks(ctx, p, id)[0]; task.State != api.TaskDone || task.Attempt != 2 || task.Failures != 0 {
			t.Errorf("%+v", task)
		}
	}
}

// TestProductStalled: an agent that hangs is interrupted and given the prompt for
// that, in a pane by Escape, in print mode in a new run of its conversation.
func TestProductStalled(t *testing.T) {
	Claude(t)
	t.Parallel()
	fake := fakeapi.New(func(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
		if r.Main() && strings.HasPrefix(r.Prompt, "hang") && !strings.Contains(r.Prompt, "look again") {
			return fakeapi.Reply{Wait: make(chan struct{})} // until the agent gives it up
		}
		return fakeapi.Echo(ctx, r)
	})
	defer fake.Close()
	p := Install(t, Home(t, fake.URL()))
	ctx := limit(t)
	p.Run(ctx, "task", "mode", "auto")
	flags := []string{"task", "add", "-a", "claude", "--stall", "5s", "--stall-prompt", "look again"}
	pane := p.Run(ctx, append(flags, "hang in a pane")...)
	printed := p.Run(ctx, append(flags, "--print", "hang when printed")...)
	list := waitTasks(ctx, p, pane, printed)
	for i, attempt := range []int{1, 2} {
		task := list[i]
		if task.State != api.TaskDone || task.Attempt != attempt || task.Failures != 0 || !strings.HasSuffix(task.Result.Message, "look again") || task.Stalled {
			t.Errorf("%+v", task)
		}
	}
	stalled := 0
	for _, r := range fake.Requests() {
		if r.Main() && strings.Contains(r.Prompt, "look again") && strings.Contains(string(r.Body), "hang ") {
			stalled++ // it knows what it was to do
		}
	}
	if stalled != 2 {
		t.Errorf("%d agents know task and prompt for stalls, wanted 2", stalled)
	}
	if t.Failed() {
		t.Log(p.Dump())
	}
}

// TestProductBounds: an agent that would go on for ever is ended by ccdir at each
// of the task's bounds, while it works.
func TestProductBounds(t *testing.T) {
	Claude(t)
	t.Parallel()
	fake := fakeapi.New(func(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
		if !r.Main() {
			return fakeapi.Echo(ctx, r)
		}
		reply := fakeapi.Tool("Read", map[string]any{"file_path": "notes.txt"})
		reply.InputTokens = 1000
		return reply
	})
	defer fake.Close()
	p := Install(t, Home(t, fake.URL()))
	ctx := limit(t)
	if err := os.WriteFile(filepath.Join(p.Place.CWD, "notes.txt"), []byte("nothing\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.Run(ctx, "task", "limit", "2")
	p.Run(ctx, "task", "mode", "auto")
	tests := []struct {
		flags  []string
		reason string
	}{
		{[]string{"--max-turns", "5"}, "more than 5 turns"},
		{[]string{"--max-tokens", "6000"}, "more than 6000 tokens"},
		{[]string{"--print", "--max-turns", "5"}, "more than 5 turns"},
		{[]string{"--print", "--max-tokens", "6000"}, "more than 6000 tokens"},
		{[]string{"--print", "--max-cost", "0.05"}, "more than $0.05"},
	}
	var ids []string
	for _, tt := range tests {
		ids = append(ids, p.Run(ctx, append([]string{"task", "add", "-a", "claude", "--retries", "3", "read it again and again"}, tt.flags...)...))
	}
	for i, task := range waitTasks(ctx, p, ids...) {
		if task.State != api.TaskFailed || task.Attempt != 1 || !strings.Contains(task.Reason, tests[i].reason) {
			t.Errorf("%v: %+v", tests[i].flags, task)
		}
		if task.Result.Turns < 2 || task.Result.Tokens < 2000 {
			t.Errorf("%v: what it used: %+v", tests[i].flags, task.Result)
		}
		p.State(ctx, task.Session, api.StateExited)
	}
	if t.Failed() {
		t.Log(p.Dump())
	}
}
