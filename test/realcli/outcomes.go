package realcli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ccdir/api"
)

// polled is the pause between two looks at what sends no event.
const polled = 50 * time.Millisecond

// Request waits for an event after since that a request of the session is open, and returns the
// request, the only one, and the number of that event.
func (p *Product) Request(ctx context.Context, id string, since int64) (api.Request, int64) {
	p.t.Helper()
	e := p.Event(ctx, id, since, api.EventPermissionOpen, func(e api.Event) bool { return e.Type == api.EventPermissionOpen })
	list, err := p.Client.Approvals(ctx)
	if err != nil || len(list) != 1 {
		p.t.Fatalf("open requests: %v, %v\n%s", list, err, p.Dump())
	}
	return list[0], e.Seq
}

// Answered waits until the session is idle with that answer.
func (p *Product) Answered(ctx context.Context, id, answer string) api.Session {
	p.t.Helper()
	return p.Until(ctx, id, "idle with the answer "+answer, func(s api.Session) bool { return s.State == api.StateIdle && s.Answer == answer })
}

// Doctor is what `ccdir doctor` prints, whatever it finds; also where the project is gone.
func (p *Product) Doctor(ctx context.Context) string { return p.away(ctx, "doctor") }

// Explain is what `ccdir policy explain` says of a command of the session, as Doctor.
func (p *Product) Explain(ctx context.Context, id, command string) string {
	return p.away(ctx, "policy", "explain", "--session", id, "Bash", command)
}

func (p *Product) away(ctx context.Context, args ...string) string {
	cmd := p.command(ctx, args...)
	cmd.Dir = p.home
	out, _ := cmd.CombinedOutput()
	return string(out)
}

// Has reports whether the project has a file.
func (p *Product) Has(name string) bool {
	_, err := os.Stat(filepath.Join(p.Place.CWD, name))
	return err == nil
}

// Policy writes the policy.
func (p *Product) Policy(text string) {
	p.t.Helper()
	if err := os.WriteFile(p.Paths.PolicyFile(), []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

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
			if err != nil || ctx.Err() != nil {
				p.t.Fatalf("task %q is %q: %v\n%s", prompt, task.State, err, p.Dump())
			}
			task = found
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

// EndIsShown plays turns in a new session and measures how soon the watchers of the daemon knew of
// each end: after the signal of the agent that said so (its title, status, hook or event), and
// after the time that its own record gives, which is before that. A gross delay fails.
func (p *Product) EndIsShown(ctx context.Context) {
	p.t.Helper()
	const rounds = 8
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	var told, ended []time.Duration
	seq := int64(0)
	for n := range rounds {
		text := fmt.Sprintf("round %d", n+1)
		p.Run(ctx, "send", id, text)
		var known time.Time
		p.Until(ctx, id, "the end of "+text, func(s api.Session) bool {
			over := s.State == api.StateIdle && s.Answer == "You said: "+text
			if over && known.IsZero() {
				known = time.Now()
			}
			return over
		})
		signal := p.Event(ctx, id, seq, "the signal of an end", func(e api.Event) bool { return e.StateTo == api.StateIdle && e.StateFrom == api.StateWorking })
		seq = signal.Seq
		turn := p.Turns(ctx, id, slices.Repeat([]api.TurnState{api.TurnDone}, n+1)...)[n]
		told, ended = append(told, known.Sub(signal.At)), append(ended, known.Sub(turn.Ended))
	}
	slices.Sort(told)
	slices.Sort(ended)
	p.t.Logf("an end is shown after its signal: %v; after the time of the agent's record: %v", told, ended)
	if told[rounds/2] > 5*time.Second {
		p.t.Errorf("it took %v", told)
	}
}
