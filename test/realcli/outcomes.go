package realcli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"ccdir/api"
)

// polled is the pause between two looks at what sends no event.
const polled = 50 * time.Millisecond

// ReadTurns reads the turns of a session's conversations.
func (p *Product) ReadTurns(ctx context.Context, id string) (list []api.Turn, err error) {
	err = p.Client.Turns(ctx, id, 0, func(turn api.Turn) error { list = append(list, turn); return nil })
	return list, err
}

// Turns waits until a session's conversations have turns of those states, and returns them.
func (p *Product) Turns(ctx context.Context, id string, states ...api.TurnState) []api.Turn {
	p.t.Helper()
	for {
		list, err := p.ReadTurns(ctx, id)
		var got []api.TurnState
		for _, turn := range list {
			got = append(got, turn.State)
		}
		if slices.Equal(got, states) {
			return list
		}
		select {
		case <-time.After(polled):
		case <-ctx.Done():
			p.t.Fatalf("turns: %+v (%v), want %v\n%s", list, err, states, p.Dump())
		}
	}
}

// Tasks plays tasks of the agent in a queue that runs by itself: a one-shot one, an interactive one,
// and two whose prompt has "fail" in it, for which the API says "scripted failure".
func (p *Product) Tasks(ctx context.Context, check func(prompt string, task api.Task)) {
	p.t.Helper()
	p.Run(ctx, "task", "mode", "auto")
	for prompt, args := range map[string][]string{"one shot": {"--print"}, "interactive": nil, "fail here": nil, "fail there": {"--print"}} {
		id := p.Run(ctx, append([]string{"task", "add", "-a", p.Agent, prompt}, args...)...)
		var task api.Task
		for task.State != api.TaskDone && task.State != api.TaskFailed {
			found, err := p.Client.Task(ctx, id)
			if err != nil {
				p.t.Fatal(err)
			}
			if task = found; ctx.Err() != nil {
				p.t.Fatalf("task %q is %s\n%s", prompt, task.State, p.Dump())
			}
			time.Sleep(polled)
		}
		want := "You said: " + prompt
		if failed := strings.HasPrefix(prompt, "fail"); failed != (task.State == api.TaskFailed) {
			p.t.Errorf("task %q is %s: %+v\n%s", prompt, task.State, task.Result, p.Dump())
		} else if failed {
			want = "scripted failure"
		}
		if !strings.Contains(task.Result.Message+task.Reason, want) {
			p.t.Errorf("task %q says %q, %q", prompt, task.Result.Message, task.Reason)
		}
		check(prompt, task)
	}
}

// EndLag plays turns and returns, sorted, how long after the time at which the agent's own record says that
// a turn ended the watchers of the daemon knew it.
func (p *Product) EndLag(ctx context.Context, id string, rounds int) (lags []time.Duration) {
	p.t.Helper()
	for n := range rounds {
		text := fmt.Sprintf("round %d", n+1)
		p.Run(ctx, "send", id, text)
		var known time.Time
		p.Until(ctx, id, "the end of "+text, func(s api.Session) bool {
			ended := s.State == api.StateIdle && s.Answer == "You said: "+text
			if ended && known.IsZero() {
				known = time.Now()
			}
			return ended
		})
		states := slices.Repeat([]api.TurnState{api.TurnDone}, n+1)
		turn := p.Turns(ctx, id, states...)[n]
		lags = append(lags, known.Sub(turn.Ended))
	}
	slices.Sort(lags)
	p.t.Logf("from the agent's end of a turn until it was shown: %v", lags)
	return lags
}
