package tui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"ccdir/api"
	"ccdir/tui/terminal"
	"ccdir/tui/terminal/input"
	"ccdir/tui/ui"
)

// slowQueue is a daemon that keeps a queue, and begins each call when it is let go.
type slowQueue struct {
	queueFake
	let   chan struct{}
	limit int
	order []string // of the queued tasks
}

func (c *slowQueue) AddTasks(ctx context.Context, list []api.NewTask) ([]api.Task, error) {
	<-c.let
	return c.queueFake.AddTasks(ctx, list)
}

func (c *slowQueue) ChangeQueue(ctx context.Context, q api.QueueChange) (api.Queue, error) {
	<-c.let
	if q.Limit != nil {
		c.limit = *q.Limit
	}
	return api.Queue{Mode: api.QueueManual, Limit: c.limit}, nil
}

func (c *slowQueue) MoveTask(_ context.Context, ref, before string) (api.Task, error) {
	<-c.let
	c.order = slices.DeleteFunc(c.order, func(id string) bool { return id == ref })
	at := len(c.order)
	if before != "" {
		at = slices.Index(c.order, before)
	}
	c.order = slices.Insert(c.order, at, ref)
	rank := int64(10*at + 15) // of those after the neighbours, which keep theirs
	return api.Task{ID: ref, State: api.TaskQueued, Rank: rank}, nil
}

// TestQueueKeysTypedAhead: keys of the queue that come faster than the daemon answers
// do what they would do one by one, in their order.
func TestQueueKeysTypedAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, fake := clientModel(t, fourSessions...)
		c := &slowQueue{queueFake: queueFake{fake}, let: make(chan struct{}), limit: 4, order: []string{"t1", "t2", "t3", "t4"}}
		m.opts.Client = c
		var tasks []api.Task
		for i, id := range c.order {
			tasks = append(tasks, api.Task{ID: id, State: api.TaskQueued, Rank: int64(10 * (i + 1)), Since: epoch})
		}
		m.Work = ui.Work{Tasks: tasks, Queue: &api.Queue{Mode: api.QueueManual, Limit: 4}}
		start, settled := results(m)
		keys := func(names ...string) {
			for _, name := range names {
				_, next := m.Update(terminal.Typed{Key: &input.Key{Name: name, Press: keyOf(name), At: m.now()}})
				start(next)
			}
		}
		keys("C-b", "T", "+", "+", "+", "J", "J", "a", "1", "Enter", "a", "2", "Enter")
		for range 7 {
			settled()
			c.let <- struct{}{}
		}
		settled()
		if c.limit != 7 {
			t.Errorf("limit %d", c.limit)
		}
		if got := strings.Join(c.order, " "); got != "t2 t3 t1 t4" {
			t.Errorf("order %s", got)
		}
		if got := strings.Join(calledFor(fake, "add-task"), "; "); !strings.HasPrefix(got, "add-task 1 ") || !strings.Contains(got, "; add-task 2 ") {
			t.Errorf("added %q", got)
		}
		if left := m.work.Items(m.now()); len(left) > 0 {
			t.Errorf("left: %+v", left)
		}
	})
}

// TestTaskThatIsNotAdded: the form stays with the reason, its text is in the history, too, and
// what was typed meanwhile is for nobody.
func TestTaskThatIsNotAdded(t *testing.T) {
	m, c := queued(t)
	c.fails("add-task", errors.New("the disk is full"))
	do(m, "C-b", "T", "a", "x", "y", "Enter")
	if dump := m.picture().Dump(); !strings.Contains(dump, "the disk is full") || !strings.Contains(dump, "Prompt    xy") || !slices.Contains(m.recalled(), "xy") {
		t.Errorf("history %q\n%s", m.recalled(), dump)
	}
	do(m, "Escape", "+")
	if m.work.Busy() || len(calledFor(c, "queue")) != 1 {
		t.Errorf("called %v", c.noted())
	}
}
