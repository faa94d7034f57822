package realcli

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/daemon/queue"
	"ccdir/sessions/delivery"
	"ccdir/test/fakeapi"
)

// The size of the night; in full: -night-sessions 11 -night-tasks 20 -night-stagger 15s.
var (
	nightSessions = flag.Int("night-sessions", 3, "sessions of two accounts that meet their limit in TestNight")
	nightTasks    = flag.Int("night-tasks", 3, "tasks behind them")
	nightStagger  = flag.Duration("night-stagger", 3*time.Second, "the pause between those that go on")
)

// night is a script: every conversation is refused once, and all of them until the limit ends.
type night struct {
	mu      sync.Mutex
	reset   time.Time
	refused map[string]int         // by conversation
	taken   map[string][]time.Time // answers after the refusal, by conversation
	early   int
	began   []string // prompts of tasks, in the order of their first request
}

func (n *night) script(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
	if !r.Main() {
		return fakeapi.Echo(ctx, r)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	now := time.Now()
	if n.refused[r.Session] > 0 && now.After(n.reset) {
		n.taken[r.Session] = append(n.taken[r.Session], now)
		return fakeapi.Echo(ctx, r)
	}
	if prompt := strings.TrimSpace(r.Prompt); strings.HasPrefix(prompt, "task ") && !slices.Contains(n.began, prompt) {
		n.began = append(n.began, prompt)
	}
	if n.refused[r.Session]++; n.refused[r.Session] > 1 {
		n.early++
	}
	if !n.reset.After(now) {
		n.reset = now.Add(20 * time.Second).Truncate(time.Second)
	}
	reply := fakeapi.Error(http.StatusTooManyRequests, "This request would exceed your account's rate limit.")
	reply.Header = http.Header{}
	for k, v := range map[string]string{"x-should-retry": "false", "anthropic-ratelimit-unified-status": "rejected",
		"anthropic-ratelimit-unified-reset": fmt.Sprint(n.reset.Unix()), "anthropic-ratelimit-unified-representative-claim": "five_hour"} {
		reply.Header.Set(k, v)
	}
	return reply
}

// TestNight: sessions of two accounts and a queue meet a limit; at its end all go on, each exactly once as
// the API counts, while daemons are killed: where a session is about to go on, where it took the prompt,
// and at random.
func TestNight(t *testing.T) {
	Claude(t)
	t.Parallel()
	n := &night{refused: map[string]int{}, taken: map[string][]time.Time{}}
	fake := fakeapi.New(n.script)
	defer fake.Close()
	place := Home(t, fake.URL())
	subscriber(&place)
	place.Env = append(place.Env, envStagger+"="+nightStagger.String())
	second := place.Config + "-second"
	if err := os.CopyFS(second, os.DirFS(place.Config)); err != nil {
		t.Fatal(err)
	}
	p := Install(t, place)
	p.addConfig("[accounts.second]\nagent = \"claude\"\ndir = " + strconv.Quote(second) + "\n")
	if config, err := os.ReadFile(p.Paths.ConfigFile()); err != nil {
		t.Fatal(err)
	} else if err := os.WriteFile(p.Paths.ConfigFile(), append([]byte("resume_after_limit = \"on\"\nqueue_limit = 2\n"), config...), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute+time.Duration(*nightSessions+*nightTasks)*(20*time.Second+*nightStagger))
	defer cancel()
	cmd := p.run("-")
	var panes []string
	for i := range *nightSessions {
		panes = append(panes, p.New(ctx, "--account", []string{api.AccountDefault, "second"}[i%2], "-p", fmt.Sprint("pane ", i)))
	}
	var tasks []string
	for i := range *nightTasks {
		tasks = append(tasks, p.Run(ctx, "task", "add", "-a", "claude", "--account", "second", "--account", api.AccountDefault, "--priority", fmt.Sprint(i), fmt.Sprint("task ", i)))
	}
	for _, id := range panes {
		p.Until(ctx, id, "its limit", func(s api.Session) bool { return s.Limit != nil && s.Limit.Resume == api.ResumeOn })
	}
	p.Run(ctx, "task", "mode", "auto")
	points := []string{queue.PauseGoOn, queue.PauseWentOn, delivery.PauseExpecting, delivery.PauseTyped, delivery.PauseTaken, delivery.PauseNoted, queue.PauseStart, queue.PauseTaken}
	r := rand.New(rand.NewPCG(1, 2))
	for round := 0; !n.over(*nightSessions + *nightTasks); round++ {
		if ctx.Err() != nil {
			t.Fatalf("after %d daemons: %v\n%s", round, n.String(), p.Dump())
		}
		ended := make(chan struct{})
		go func() { _ = cmd.Wait(); close(ended) }()
		select {
		case <-ended: // it died at its point
		case <-time.After(time.Duration(2000+r.IntN(6000)) * time.Millisecond): // or anywhere
			_ = cmd.Process.Kill()
			<-ended
		}
		cmd = p.run(points[round%len(points)])
	}
	for _, task := range waitTasks(ctx, p, tasks...) {
		if task.State != api.TaskDone {
			t.Errorf("%+v", task)
		}
	}
	for _, id := range panes {
		s := p.Until(ctx, id, "its limit to be over", func(s api.Session) bool { return s.Limit == nil && s.State == api.StateIdle })
		if dir := filepath.Join(second, "projects"); s.Account == "second" {
			if list, _ := filepath.Glob(filepath.Join(dir, "*", s.Conversation+".jsonl")); len(list) != 1 {
				t.Errorf("the conversation of %s is not in its account's directory: %v", s.Name, list)
			}
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for conversation, list := range n.taken {
		if len(list) != 1 {
			t.Errorf("conversation %s went on %d times: %v", conversation, len(list), list)
		}
	}
	if len(n.taken) != *nightSessions+*nightTasks {
		t.Errorf("%d conversations went on, want %d", len(n.taken), *nightSessions+*nightTasks)
	}
	for i, prompt := range n.began { // two run at once: neighbours may change places
		var last, urgency int
		_, _ = fmt.Sscanf(n.began[max(i-1, 0)], "task %d", &last)
		if _, err := fmt.Sscanf(prompt, "task %d", &urgency); err != nil || urgency > last+1 {
			t.Errorf("the most urgent was not first: %q", n.began)
			break
		}
	}
	t.Logf("%s\ntasks in the order of their beginning: %q", n, n.began)
}

// over reports whether that many conversations have gone on.
func (n *night) over(want int) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.taken) >= want
}

// String tells when each went on after the limit's end; the caller holds mu, or nothing changes any more.
func (n *night) String() string {
	var at []string
	for conversation, list := range n.taken {
		for _, when := range list {
			at = append(at, fmt.Sprintf("%6.1f s %.8s", when.Sub(n.reset).Seconds(), conversation))
		}
	}
	slices.Sort(at)
	return fmt.Sprintf("the limit ended at %s; %d requests before; went on after: %s", n.reset.Format(time.TimeOnly), n.early, strings.Join(at, ", "))
}
