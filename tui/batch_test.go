package tui

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
	"ccdir/tui/dialogs/confirm"
	"ccdir/tui/terminal/input"
	"ccdir/tui/ui"
)

// runBatch runs the batch of a model to its end and returns the number of steps.
func runBatch(m *model, c tea.Cmd, after func(step int)) (steps int) {
	for queue := []tea.Cmd{c}; len(queue) > 0; {
		c, queue = queue[0], queue[1:]
		if c == nil {
			continue
		}
		msg := c()
		if b, ok := msg.(tea.BatchMsg); ok {
			queue = append(queue, b...)
			continue
		}
		steps++
		if after != nil {
			after(steps)
		}
		queue = append(queue, caused(m, func() { m.handle(msg) }))
	}
	return steps
}

func TestBatch(t *testing.T) {
	client := newFakeClient()
	m := testModel(100, 30, many(5)...)
	m.opts.Client = client
	press(m, "C-b", "s", "a", "x")
	shows(t, m, "Kill 5 sessions?", "s1, s2")
	c := caused(m, func() { m.overlay.key(m, input.Key{Name: "y", At: m.now()}) })
	m.overlay = nil
	if m.progress(m.env()) == nil || !m.facts().Working {
		t.Fatal("no progress")
	}
	if n := runBatch(m, c, nil); n != 5 || len(m.work.Items(m.now())) > 0 || m.notice.text != "ending: 5 of 5 sessions done" {
		t.Errorf("%d steps, %q", n, m.notice.text)
	}
	want := []string{"kill id000001", "kill id000002", "kill id000003", "kill id000004", "kill id000005"}
	if got := slices.DeleteFunc(client.noted(), func(c string) bool { return strings.HasPrefix(c, "dial") }); !reflect.DeepEqual(got, want) {
		t.Errorf("calls: %v", got)
	}
	// Failures are counted, and the rest is done.
	client.fails("create", errors.New("no room"))
	c = caused(m, func() { m.start(ui.Nobody, ui.Start{Session: api.NewSession{Agent: "demo", Name: "job"}, Count: 3}) })
	if runBatch(m, c, nil); !strings.Contains(m.notice.text, "starting: 0 of 3 sessions, 3 failed (number 1: no room)") {
		t.Errorf("failures: %q", m.notice.text)
	}
	client.fails("create", nil)
	// The first limit ends it: the others would meet it too.
	c = caused(m, func() { m.start(ui.Nobody, ui.Start{Session: api.NewSession{Agent: "demo", Name: "job"}, Count: 40}) })
	n := runBatch(m, c, func(step int) {
		if step == 2 {
			client.fails("create", api.Errorf(api.CodeLimit, "2 sessions run already"))
		}
	})
	if n != 3 || len(m.work.Items(m.now())) > 0 || m.notice.text != "starting: 2 of 40 sessions done: 2 sessions run already" {
		t.Errorf("at a limit: %d steps, %q", n, m.notice.text)
	}
	client.fails("create", nil)
	client.created = nil
	// Cancelled after the second: the rest is not begun.
	c = caused(m, func() { m.start(ui.Nobody, ui.Start{Session: api.NewSession{Agent: "demo", Name: "job"}, Count: 10}) })
	n = runBatch(m, c, func(step int) {
		if step == 2 {
			press(m, "C-b", "C-c")
		}
	})
	if n != 2 || len(client.created) != 2 || !strings.Contains(m.notice.text, "starting: 2 of 10 sessions, the rest cancelled") {
		t.Errorf("%d steps, %d created, %q", n, len(client.created), m.notice.text)
	}
	if client.created[1].Name != "job-2" {
		t.Errorf("name %q", client.created[1].Name)
	}
}

// TestSeveralBatches: what is begun while something else is under way goes on
// beside it, and one of them is cancelled alone.
func TestSeveralBatches(t *testing.T) {
	client := newFakeClient()
	m := testModel(140, 30, many(5)...)
	m.opts.Client = client
	start := caused(m, func() { m.start(ui.Nobody, ui.Start{Session: api.NewSession{Agent: "demo", Name: "job"}, Count: 10}) })
	end := caused(m, func() { m.carryOut(ui.Nobody, confirm.Kill(m.Sessions).Yes) })
	shows(t, m, "starting 0/10", "and 1 more")
	press(m, "C-b", "C-c")
	shows(t, m, "cancel what is under way", "starting 10 sessions", "ending 5 sessions", "all of it")
	press(m, "Enter")
	shows(t, m, "cancelled, 1 still under way: starting")
	runBatch(m, tea.Batch(start, end), nil)
	if calls := strings.Join(client.noted(), " "); len(m.work.Items(m.now())) > 0 || strings.Count(calls, "kill") != 5 || len(client.created) > 1 {
		t.Errorf("%d under way, %s", len(m.work.Items(m.now())), calls)
	}
	if m.progress(m.env()) != nil || m.facts().Working {
		t.Error("progress after the end")
	}
}

// TestCancelledBatch: what is under way when a batch is cancelled is waited for and
// told; nothing else is begun.
func TestCancelledBatch(t *testing.T) {
	m := testModel(140, 30)
	m.opts.Client = newFakeClient()
	step := func(err error) ui.Step {
		return ui.Step{Name: "one", Run: func(ctx context.Context, _ ui.Client) (ui.Result, error) { return ui.Result{}, cmp.Or(ctx.Err(), err) }}
	}
	c := caused(m, func() {
		m.carryOut(ui.Nobody, []ui.Effect{ui.Batch{What: "ending", Noun: "session", Abreast: 2, Steps: []ui.Step{step(nil), step(errors.New("no")), step(nil)}}})
	})
	m.cancelWork()
	shows(t, m, "cancelled, 2 still under way: ending 0/3", "C-b C-c leaves them")
	if n := runBatch(m, c, nil); n != 2 || len(m.work.Items(m.now())) > 0 || m.notice.text != "ending: 1 of 3 sessions, the rest cancelled, 1 failed (one: no)" {
		t.Errorf("%d steps, %q", n, m.notice.text)
	}
	// Cancelled while the last ones are under way, nothing was left out.
	c = caused(m, func() {
		m.carryOut(ui.Nobody, []ui.Effect{ui.Batch{What: "ending", Noun: "session", Steps: []ui.Step{step(nil)}}})
	})
	m.cancelWork()
	if runBatch(m, c, nil); m.notice.text != "ending: 1 of 1 session done" {
		t.Errorf("nothing left out: %q", m.notice.text)
	}
}

// TestBatchIsLeft: cancelled once more, a batch does not wait for a step that hangs.
func TestBatchIsLeft(t *testing.T) {
	m := testModel(100, 30)
	m.opts.Client = newFakeClient()
	entered := make(chan struct{})
	hangs := func(ctx context.Context, _ ui.Client) (ui.Result, error) {
		close(entered)
		<-ctx.Done()
		return ui.Result{}, &api.UnsureError{Err: context.Cause(ctx)}
	}
	c := caused(m, func() {
		m.carryOut(ui.Nobody, []ui.Effect{ui.Batch{What: "ending", Noun: "session", Steps: []ui.Step{{Name: "one", Run: hangs}, {Name: "two"}}}})
	})
	done := make(chan tea.Msg)
	go func() { done <- c() }()
	<-entered
	m.cancelWork()
	m.cancelWork()
	m.handle(<-done)
	if len(m.work.Items(m.now())) > 0 || !strings.Contains(m.notice.text, "ending: 0 of 2 sessions, cancelled; of 1 it is not known yet") {
		t.Errorf("after leaving: %q", m.notice.text)
	}
}
