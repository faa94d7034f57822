package daemon

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ccdir/agents/claude"
	"ccdir/api"
)

const hookPayload = `{"session_id":"7dd0dcb3-cda3-4864-8056-35cfdb122205","cwd":"/tmp","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"echo hi > out.txt","description":"Run a command"},"tool_use_id":"toolu_1847edaf6a8144eb8523557e"}`

// BenchmarkHookToVisible measures a hook call to the moment at which a reader
// of the log sees its event: the call returns when it is published.
func BenchmarkHookToVisible(b *testing.B) {
	p := benchPlace(b)
	s := p.create(api.NewSession{Agent: "claude", Argv: sh("sleep 1000")})
	times := make([]time.Duration, 0, b.N)
	b.ResetTimer()
	for i := range b.N {
		start := time.Now()
		if err := p.hook(s, claude.HookPreToolUse, fmt.Sprint("id", i), hookPayload); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(start))
	}
	report(b, times)
}

// BenchmarkHooksBusy is many hook calls at once, over 32 connections: how many
// are accepted and durable a second.
func BenchmarkHooksBusy(b *testing.B) {
	p := benchPlace(b)
	var list []api.Session
	for range 8 {
		list = append(list, p.create(api.NewSession{Agent: "claude", Argv: sh("sleep 1000")}))
	}
	const callers = 64
	tokens := make([]string, len(list))
	for i, s := range list {
		tokens[i] = p.token(s)
	}
	var mu sync.Mutex
	var times []time.Duration
	b.ResetTimer()
	var wg sync.WaitGroup
	for c := range callers {
		wg.Go(func() {
			s, token := list[c%len(list)], tokens[c%len(list)]
			mine := make([]time.Duration, 0, b.N/callers+1)
			for i := c; i < b.N; i += callers {
				start := time.Now()
				if err := p.hookWith(s.ID, token, claude.HookPreToolUse, fmt.Sprint("id", i), hookPayload); err != nil {
					b.Error(err)
					return
				}
				mine = append(mine, time.Since(start))
			}
			mu.Lock()
			times = append(times, mine...)
			mu.Unlock()
		})
	}
	wg.Wait()
	report(b, times)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

func report(b *testing.B, times []time.Duration) {
	b.StopTimer()
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(times[len(times)*95/100].Microseconds())/1000, "p95-ms")
}

func benchPlace(b *testing.B) *place {
	p := newPlace(b)
	p.http.Transport.(*httpTransport).MaxIdleConnsPerHost = 128
	p.run()
	return p
}

// BenchmarkHookProcess measures from the start of a real hook process to its
// end, at which its event is visible, with one session and with 32 firing.
func BenchmarkHookProcess(b *testing.B) {
	for _, n := range []int{1, 32} {
		b.Run(fmt.Sprint(n, "-sessions"), func(b *testing.B) {
			p := benchPlace(b)
			var list []api.Session
			for range n {
				list = append(list, p.create(api.NewSession{Agent: "claude", Argv: sh("exec sleep 1000")}))
			}
			var mu sync.Mutex
			var times []time.Duration
			b.ResetTimer()
			var wg sync.WaitGroup
			for c, s := range list {
				env := []string{"CCDIR_SESSION=" + s.ID, "CCDIR_TOKEN=" + p.token(s),
					"CCDIR_SOCKET=" + p.paths.Socket(), "CCDIR_DIR=" + p.paths.SessionDir(s.ID)}
				wg.Go(func() {
					for i := c; i < b.N; i += n {
						cmd := exec.Command(shimPath, "hook", claude.HookPreToolUse)
						cmd.Env, cmd.Stdin = env, strings.NewReader(hookPayload)
						start := time.Now()
						if err := cmd.Run(); err != nil {
							b.Error(err)
						}
						mu.Lock()
						times = append(times, time.Since(start))
						mu.Unlock()
					}
				})
			}
			wg.Wait()
			report(b, times)
			if got := strings.Count(p.eventTypes(""), claude.HookPreToolUse); got != min(b.N, 10_000-n-1) && b.N < 9000 {
				b.Errorf("%d events of %d calls", got, b.N)
			}
		})
	}
}

// BenchmarkHookDecided is a PreToolUse hook that the policy answers: the event
// and the row of the ledger are durable when it returns.
func BenchmarkHookDecided(b *testing.B) {
	for _, policy := range []string{"none", "allow"} {
		b.Run(policy, func(b *testing.B) {
			p := benchPlace(b)
			if policy == "allow" {
				p.policy("[roles.dev]\nallow = [\"Bash(echo *)\", \"Edit(//tmp/**)\"]\n")
			}
			s := p.create(api.NewSession{Agent: "claude", Argv: sh("sleep 1000")})
			times := make([]time.Duration, 0, b.N)
			b.ResetTimer()
			for i := range b.N {
				start := time.Now()
				out := p.pretool(s, fmt.Sprint("id", i), "echo hi > /tmp/out.txt")
				times = append(times, time.Since(start))
				if (decision(out) == "allow") != (policy == "allow") {
					b.Fatal(out)
				}
			}
			report(b, times)
		})
	}
}
