package outbox

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"ccdir/api"
	"ccdir/tui/prompt/target"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
	"ccdir/tui/widget/edit"
)

// client is a daemon that takes texts: it notes each call, and answers it with what the test
// says.
type client struct {
	ui.Client
	mu    sync.Mutex // of calls and ids
	calls []string
	ids   []string // of the calls
	// answer, if not nil, says how a call ends, whose session is to; it may block.
	answer func(ctx context.Context, to string) error
}

func (c *client) note(ctx context.Context, to, id string, parts ...string) error {
	var err error
	if c.answer != nil {
		err = c.answer(ctx, to)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls, c.ids = append(c.calls, strings.Join(parts, " ")), append(c.ids, id)
	return err
}

func (c *client) SendPrompt(ctx context.Context, to string, p api.SendPrompt) (api.SendResult, error) {
	return api.SendResult{Status: "delivered"}, c.note(ctx, to, p.ID, "send", to, p.Text)
}

func (c *client) Answer(ctx context.Context, id string, a api.Answer) (api.Decision, error) {
	return api.Decision{}, c.note(ctx, "", id, "answer", id, string(a.Behavior), a.Text+a.Message)
}

func (c *client) CreateSession(ctx context.Context, n api.NewSession) (api.Session, error) {
	return api.Session{ID: "new00001"}, c.note(ctx, "", n.Request, "create", n.CWD, n.Prompt)
}

func (c *client) AddTasks(ctx context.Context, list []api.NewTask) ([]api.Task, error) {
	return []api.Task{{ID: "t1"}}, c.note(ctx, "", list[0].Request, "task", list[0].CWD, list[0].Prompt)
}

// fails has every call end with err.
func (c *client) fails(err error) { c.answer = func(context.Context, string) error { return err } }

var (
	errUnsure = &api.UnsureError{Err: api.Errorf(api.CodeUnavailable, "the daemon is gone")}
	errDialog = api.Errorf(api.CodeDialogOpen, "a dialog is open")
)

// rig is an outbox, its client, and what came of its texts.
type rig struct {
	*Outbox
	t     *testing.T
	env   ui.Env
	c     *client
	cl    ui.Client // c, or what the test has around it
	ended []Ended
	said  []string
	came  chan func() // results of calls that were started
}

func newRig(t *testing.T) *rig {
	c := &client{}
	return &rig{Outbox: &Outbox{}, t: t, env: uitest.Env(80, 24), c: c, cl: c, came: make(chan func(), 100)}
}

// do carries out what the outbox asks for, its calls at once and in their order.
func (r *rig) do(effects []ui.Effect) {
	r.t.Helper()
	for _, e := range effects {
		if call, ok := e.(ui.Call); ok {
			res, err := call.Run(r.t.Context(), r.cl)
			r.take(res.Value, err)
		} else {
			r.note(e)
		}
	}
}

func (r *rig) note(e ui.Effect) {
	if say, ok := e.(ui.Say); ok {
		r.said = append(r.said, say.Text)
	}
}

func (r *rig) take(value any, err error) {
	ended, effects := r.Receive(r.env, value, err)
	if ended != nil {
		r.ended = append(r.ended, *ended)
	}
	r.do(effects)
}

// start makes the calls of effects, each in a goroutine, in a bubble of synctest.
func (r *rig) start(effects []ui.Effect) {
	for _, e := range effects {
		if call, ok := e.(ui.Call); ok {
			go func() {
				res, err := call.Run(r.t.Context(), r.cl)
				r.came <- func() { r.take(res.Value, err) }
			}()
		}
	}
	r.settle()
}

// settle waits until every call stands still, and takes what came.
func (r *rig) settle() {
	for {
		synctest.Wait()
		select {
		case f := <-r.came:
			f()
		default:
			return
		}
	}
}

// last is the text that came back or was delivered last.
func (r *rig) last() Ended {
	r.t.Helper()
	if len(r.ended) == 0 {
		r.t.Fatal("no text has ended")
	}
	return r.ended[len(r.ended)-1]
}

func entry(text string) Entry { return Entry{Draft: edit.New(text), Text: text} }

func to(ids ...string) (out []api.Session) {
	for _, id := range ids {
		out = append(out, api.Session{ID: id, Name: strings.ToUpper(id), State: api.StateIdle})
	}
	return out
}

// called fails unless these were the calls.
func (r *rig) called(want ...string) {
	r.t.Helper()
	if !slices.Equal(r.c.calls, want) {
		r.t.Errorf("called %q, want %q", r.c.calls, want)
	}
}

// back fails unless the last text came back for those sessions, with words in its problem.
func (r *rig) back(text string, problem string, ids ...string) {
	r.t.Helper()
	e := r.last()
	if e.Draft.String() != text || !strings.Contains(e.Problem, problem) || e.Target.Kind != target.Chosen || !slices.Equal(e.Target.IDs, ids) {
		r.t.Errorf("back is %q for %v: %q", e.Draft.String(), e.Target, e.Problem)
	}
}
