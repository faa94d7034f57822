package cli

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/nodes/merge"
	"ccdir/tui/dialogs/conversation"
	"ccdir/tui/pane"
	"ccdir/tui/prompt"
	"ccdir/tui/ui"
	"ccdir/wire"
	"ccdir/wire/directline"
)

// Calls of the grid about one thing go to its machine; what they return gets the node again.

// onSession makes a call about a session that returns its new value.
func (f *fleet) onSession(ctx context.Context, id string, call func(context.Context, gridClient, string) (api.Session, error)) (api.Session, error) {
	ctx, c, node, id, err := f.at(ctx, id)
	if err != nil {
		return api.Session{}, err
	}
	v, err := call(ctx, c, id)
	return merge.Session(node, v), err
}

func (f *fleet) CreateSession(ctx context.Context, n api.NewSession) (api.Session, error) {
	n.Name = strings.TrimPrefix(n.Name, merge.Of(n.Node, "/"))
	return f.onSession(ctx, merge.Of(n.Node, "new"), func(ctx context.Context, c gridClient, _ string) (api.Session, error) {
		return c.CreateSession(ctx, n)
	})
}

func (f *fleet) Session(ctx context.Context, ref string) (api.Session, error) {
	return f.onSession(ctx, ref, func(ctx context.Context, c gridClient, id string) (api.Session, error) { return c.Session(ctx, id) })
}

func (f *fleet) KillSession(ctx context.Context, id string, k api.Kill) (api.Session, error) {
	return f.onSession(ctx, id, func(ctx context.Context, c gridClient, id string) (api.Session, error) {
		return c.KillSession(ctx, id, k)
	})
}

func (f *fleet) RestartSession(ctx context.Context, id string) (api.Session, error) {
	return f.onSession(ctx, id, func(ctx context.Context, c gridClient, id string) (api.Session, error) {
		return c.RestartSession(ctx, id)
	})
}

// RenameSession takes a name with or without the node.
func (f *fleet) RenameSession(ctx context.Context, id, name string) (api.Session, error) {
	node, _ := merge.Split(id)
	if node != "" {
		name = strings.TrimPrefix(name, node+"/")
	}
	return f.onSession(ctx, id, func(ctx context.Context, c gridClient, id string) (api.Session, error) {
		return c.RenameSession(ctx, id, name)
	})
}

func (f *fleet) Snooze(ctx context.Context, id string, d time.Duration) (api.Session, error) {
	return f.onSession(ctx, id, func(ctx context.Context, c gridClient, id string) (api.Session, error) { return c.Snooze(ctx, id, d) })
}

func (f *fleet) SetRole(ctx context.Context, id, role string) (api.Session, error) {
	return f.onSession(ctx, id, func(ctx context.Context, c gridClient, id string) (api.Session, error) {
		return c.SetRole(ctx, id, role)
	})
}

func (f *fleet) SetOverride(ctx context.Context, id string, o api.SetOverride) (api.Session, error) {
	return f.onSession(ctx, id, func(ctx context.Context, c gridClient, id string) (api.Session, error) {
		return c.SetOverride(ctx, id, o)
	})
}

func (f *fleet) RemoveSession(ctx context.Context, id string) error {
	ctx, c, _, id, err := f.at(ctx, id)
	if err != nil {
		return err
	}
	return c.RemoveSession(ctx, id)
}

func (f *fleet) Seen(ctx context.Context, id string) error {
	ctx, c, _, id, err := f.at(ctx, id)
	if err != nil {
		return err
	}
	return c.Seen(ctx, id)
}

func (f *fleet) RevokeRule(ctx context.Context, id, rule string) error {
	ctx, c, _, id, err := f.at(ctx, id)
	if err != nil {
		return err
	}
	return c.RevokeRule(ctx, id, rule)
}

// about makes a call about one thing that returns something else.
func about[T any](f *fleet, ctx context.Context, id string, call func(context.Context, gridClient, string) (T, error)) (T, error) {
	ctx, c, _, id, err := f.at(ctx, id)
	if err != nil {
		var none T
		return none, err
	}
	return call(ctx, c, id)
}

func (f *fleet) SendPrompt(ctx context.Context, id string, p api.SendPrompt) (api.SendResult, error) {
	return about(f, ctx, id, func(ctx context.Context, c gridClient, id string) (api.SendResult, error) {
		return c.SendPrompt(ctx, id, p)
	})
}

func (f *fleet) Answer(ctx context.Context, request string, a api.Answer) (api.Decision, error) {
	node, _ := merge.Split(request)
	d, err := about(f, ctx, request, func(ctx context.Context, c gridClient, id string) (api.Decision, error) { return c.Answer(ctx, id, a) })
	d.Request = merge.Request(node, d.Request)
	return d, err
}

func (f *fleet) Explain(ctx context.Context, id string) (api.Explanation, error) {
	return about(f, ctx, id, func(ctx context.Context, c gridClient, id string) (api.Explanation, error) { return c.Explain(ctx, id) })
}

func (f *fleet) Process(ctx context.Context, id string) (api.ProcessUse, error) {
	return about(f, ctx, id, func(ctx context.Context, c gridClient, id string) (api.ProcessUse, error) { return c.Process(ctx, id) })
}

func (f *fleet) SessionPolicy(ctx context.Context, id string) (api.SessionPolicy, error) {
	return about(f, ctx, id, func(ctx context.Context, c gridClient, id string) (api.SessionPolicy, error) {
		return c.SessionPolicy(ctx, id)
	})
}

func (f *fleet) Transcript(ctx context.Context, id string) (api.Transcript, error) {
	node, _ := merge.Split(id)
	t, err := about(f, ctx, id, func(ctx context.Context, c gridClient, id string) (api.Transcript, error) {
		return c.Transcript(ctx, id)
	})
	t.HistoryEntry = merge.Entry(node, t.HistoryEntry)
	return t, err
}

func (f *fleet) Saved(ctx context.Context, id string) ([]byte, error) {
	return about(f, ctx, id, func(ctx context.Context, c gridClient, id string) ([]byte, error) { return c.Saved(ctx, id) })
}

func (f *fleet) Buffer(ctx context.Context, id string) (wire.OutputResult, error) {
	return about(f, ctx, id, func(ctx context.Context, c gridClient, id string) (wire.OutputResult, error) {
		return c.Buffer(ctx, id)
	})
}

func (f *fleet) FollowTurns(ctx context.Context, id string, last int, each func(api.Turn) error) error {
	ctx, c, _, id, err := f.at(ctx, id)
	if err != nil {
		return err
	}
	return c.FollowTurns(ctx, id, last, each)
}

func (f *fleet) Turns(ctx context.Context, id string, last int, each func(api.Turn) error) error {
	ctx, c, _, id, err := f.at(ctx, id)
	if err != nil {
		return err
	}
	return c.Turns(ctx, id, last, each)
}

func (f *fleet) SendLater(ctx context.Context, id, text, key string) (api.PendingPrompt, error) {
	node, _ := merge.Split(id)
	p, err := about(f, ctx, id, func(ctx context.Context, c gridClient, id string) (api.PendingPrompt, error) {
		return c.SendLater(ctx, id, text, key)
	})
	return merge.Pending(node, p), err
}

// Pending lists the prompts that all machines keep.
func (f *fleet) Pending(ctx context.Context, _ string) ([]api.PendingPrompt, error) {
	list, err := f.gridClient.Pending(ctx, "")
	if err != nil {
		return nil, err
	}
	for name, n := range f.reachable() {
		if more, err := n.Pending(ctx, ""); err == nil { // else it is just away
			for _, p := range more {
				list = append(list, merge.Pending(name, p))
			}
		}
	}
	return list, nil
}

func (f *fleet) CancelPending(ctx context.Context, id string) error {
	ctx, c, _, id, err := f.at(ctx, id)
	if err != nil {
		return err
	}
	return c.CancelPending(ctx, id)
}

func (f *fleet) DialHost(ctx context.Context, id string, readOnly bool, view wire.View) (pane.Conn, wire.Welcome, error) {
	ctx, c, _, id, err := f.at(ctx, id)
	if err != nil {
		return nil, wire.Welcome{}, err
	}
	return c.DialHost(ctx, id, readOnly, view)
}

func (f *fleet) DialLine(ctx context.Context, id, token string, display directline.Terminal) (*directline.Line, error) {
	return about(f, ctx, id, func(ctx context.Context, c gridClient, id string) (*directline.Line, error) {
		return c.DialLine(ctx, id, token, display)
	})
}

// onTask makes a call about a task that returns its new value.
func (f *fleet) onTask(ctx context.Context, id string, call func(context.Context, gridClient, string) (api.Task, error)) (api.Task, error) {
	node, _ := merge.Split(id)
	t, err := about(f, ctx, id, call)
	return merge.Task(node, t), err
}

func (f *fleet) Task(ctx context.Context, id string) (api.Task, error) {
	return f.onTask(ctx, id, func(ctx context.Context, c gridClient, id string) (api.Task, error) { return c.Task(ctx, id) })
}

func (f *fleet) StartTask(ctx context.Context, id string) (api.Task, error) {
	return f.onTask(ctx, id, func(ctx context.Context, c gridClient, id string) (api.Task, error) { return c.StartTask(ctx, id) })
}

func (f *fleet) CancelTask(ctx context.Context, id string) (api.Task, error) {
	return f.onTask(ctx, id, func(ctx context.Context, c gridClient, id string) (api.Task, error) { return c.CancelTask(ctx, id) })
}

func (f *fleet) EditTask(ctx context.Context, id string, change api.EditTask) (api.Task, error) {
	if change.After != nil {
		node, _ := merge.Split(id)
		own := slices.Clone(*change.After)
		for i := range own {
			own[i].Task = strings.TrimPrefix(own[i].Task, merge.Of(node, "/"))
		}
		change.After = &own
	}
	return f.onTask(ctx, id, func(ctx context.Context, c gridClient, id string) (api.Task, error) {
		return c.EditTask(ctx, id, change)
	})
}

func (f *fleet) MoveTask(ctx context.Context, id, before string) (api.Task, error) {
	node, _ := merge.Split(id)
	other, before := merge.Split(before)
	if before != "" && other != node {
		return api.Task{}, errors.New("tasks of different machines are in different queues")
	}
	return f.onTask(ctx, id, func(ctx context.Context, c gridClient, id string) (api.Task, error) {
		return c.MoveTask(ctx, id, before)
	})
}

// AddTasks adds tasks to the queue of one machine.
func (f *fleet) AddTasks(ctx context.Context, list []api.NewTask) ([]api.Task, error) {
	if len(list) == 0 || list[0].Node == "" {
		return f.gridClient.AddTasks(ctx, list)
	}
	node := list[0].Node
	list = slices.Clone(list)
	for i := range list {
		list[i].Name = strings.TrimPrefix(list[i].Name, node+"/")
	}
	return f.tasksOf(ctx, node, func(ctx context.Context, c gridClient) ([]api.Task, error) { return c.AddTasks(ctx, list) })
}

// ClearTasks cancels what is queued on one machine.
func (f *fleet) ClearTasks(ctx context.Context, node string) ([]api.Task, error) {
	return f.tasksOf(ctx, node, func(ctx context.Context, c gridClient) ([]api.Task, error) { return c.ClearTasks(ctx, "") })
}

// tasksOf makes a call of one machine's queue that returns tasks.
func (f *fleet) tasksOf(ctx context.Context, node string, call func(context.Context, gridClient) ([]api.Task, error)) ([]api.Task, error) {
	list, err := about(f, ctx, merge.Of(node, "queue"), func(ctx context.Context, c gridClient, _ string) ([]api.Task, error) { return call(ctx, c) })
	for i := range list {
		list[i] = merge.Task(node, list[i])
	}
	return list, err
}

// ChangeQueue changes the queue of one machine.
func (f *fleet) ChangeQueue(ctx context.Context, change api.QueueChange) (api.Queue, error) {
	q, err := about(f, ctx, merge.Of(change.Node, "queue"), func(ctx context.Context, c gridClient, _ string) (api.Queue, error) {
		return c.ChangeQueue(ctx, change)
	})
	q.Node = change.Node
	return q, err
}

// Events reads the log of the machine of the session, or this machine's.
func (f *fleet) Events(ctx context.Context, e api.EventFilter) ([]api.Event, error) {
	ctx, c, node, id, err := f.at(ctx, e.Session)
	if err != nil {
		return nil, err
	}
	e.Session = id
	if e.Since > 0 && f.joined.Load() {
		of, own, ok := f.merger.Origin(e.Since)
		if !ok || of != node {
			return nil, nil // nothing of that machine is after an event of another
		}
		e.Since = own
	}
	list, err := c.Events(ctx, e)
	return f.past(node, list), err
}

// PastEvents reads the newest events of a session's machine; of no session, of all machines.
func (f *fleet) PastEvents(ctx context.Context, session, kind string, limit int) ([]api.Event, error) {
	at, c, node, id, err := f.at(ctx, session)
	if err != nil {
		return nil, err
	}
	list, err := c.PastEvents(at, id, kind, limit)
	list = f.past(node, list)
	if session != "" || err != nil {
		return list, err
	}
	for name, n := range f.reachable() {
		if more, err := n.PastEvents(ctx, "", kind, limit); err == nil { // else it is just away
			list = append(list, f.past(name, more)...)
		}
	}
	slices.SortStableFunc(list, func(x, y api.Event) int { return int(min(1, max(-1, x.Seq-y.Seq))) })
	return list[max(0, len(list)-limit):], nil
}

func (f *fleet) past(node string, list []api.Event) []api.Event {
	if !f.joined.Load() {
		return list
	}
	return f.merger.Past(node, list)
}

var (
	_ ui.Client           = (*fleet)(nil)
	_ ui.Queue            = (*fleet)(nil)
	_ ui.EventReader      = (*fleet)(nil)
	_ ui.PastEvents       = (*fleet)(nil)
	_ ui.Nodes            = (*fleet)(nil)
	_ pane.LineDialer     = (*fleet)(nil)
	_ conversation.Teller = (*fleet)(nil)
	_ prompt.Keeper       = (*fleet)(nil)
)
