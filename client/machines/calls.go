package machines

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/client"
	"ccdir/nodes/merge"
	"ccdir/wire"
	"ccdir/wire/directline"
)

// at returns the client that an id belongs to, the id there, and the context of a call: what it
// is meant for (If-Match) has the id too.
func (ms *Client) at(ctx context.Context, id string) (context.Context, *client.Client, string, string, error) {
	node, rest := merge.Split(id)
	if node == "" {
		return ctx, ms.Client, "", id, nil
	}
	n := ms.node(node)
	if n == nil {
		return ctx, ms.Client, "", id, errors.New("there is no node " + node + " any more")
	}
	if match := api.MatchOf(ctx); match != "" {
		if of, own := merge.Split(match); of == node {
			ctx = api.IfMatch(ctx, own)
		}
	}
	return ctx, n.Client, node, rest, nil
}

// onSession makes a call about a session that returns its new value.
func (ms *Client) onSession(ctx context.Context, id string, call func(context.Context, *client.Client, string) (api.Session, error)) (api.Session, error) {
	ctx, c, node, id, err := ms.at(ctx, id)
	if err != nil {
		return api.Session{}, err
	}
	v, err := call(ctx, c, id)
	return merge.Session(node, v), err
}

func (ms *Client) CreateSession(ctx context.Context, n api.NewSession) (api.Session, error) {
	n.Name = strings.TrimPrefix(n.Name, n.Node+"/")
	if n.Beside != nil && n.Node != "" {
		beside := *n.Beside
		_, beside.Session = merge.Split(beside.Session)
		n.Beside = &beside
	}
	return ms.onSession(ctx, merge.Of(n.Node, "new"), func(ctx context.Context, c *client.Client, _ string) (api.Session, error) {
		return c.CreateSession(ctx, n)
	})
}

func (ms *Client) Session(ctx context.Context, ref string) (api.Session, error) {
	return ms.onSession(ctx, ref, func(ctx context.Context, c *client.Client, id string) (api.Session, error) { return c.Session(ctx, id) })
}

func (ms *Client) KillSession(ctx context.Context, id string, k api.Kill) (api.Session, error) {
	return ms.onSession(ctx, id, func(ctx context.Context, c *client.Client, id string) (api.Session, error) {
		return c.KillSession(ctx, id, k)
	})
}

func (ms *Client) RestartSession(ctx context.Context, id string) (api.Session, error) {
	return ms.onSession(ctx, id, func(ctx context.Context, c *client.Client, id string) (api.Session, error) {
		return c.RestartSession(ctx, id)
	})
}

func (ms *Client) ParkSession(ctx context.Context, id string) (api.Session, error) {
	return ms.onSession(ctx, id, func(ctx context.Context, c *client.Client, id string) (api.Session, error) {
		return c.ParkSession(ctx, id)
	})
}

func (ms *Client) WakeSession(ctx context.Context, id string) (api.Session, error) {
	return ms.onSession(ctx, id, func(ctx context.Context, c *client.Client, id string) (api.Session, error) {
		return c.WakeSession(ctx, id)
	})
}

// RenameSession takes a name with or without the node.
func (ms *Client) RenameSession(ctx context.Context, id, name string) (api.Session, error) {
	node, _ := merge.Split(id)
	if node != "" {
		name = strings.TrimPrefix(name, node+"/")
	}
	return ms.onSession(ctx, id, func(ctx context.Context, c *client.Client, id string) (api.Session, error) {
		return c.RenameSession(ctx, id, name)
	})
}

// MarkSession changes what a person has noted of a session.
func (ms *Client) MarkSession(ctx context.Context, id string, m api.SetMarks) (api.Session, error) {
	return ms.onSession(ctx, id, func(ctx context.Context, c *client.Client, id string) (api.Session, error) {
		return c.MarkSession(ctx, id, m)
	})
}

func (ms *Client) Snooze(ctx context.Context, id string, d time.Duration) (api.Session, error) {
	return ms.onSession(ctx, id, func(ctx context.Context, c *client.Client, id string) (api.Session, error) {
		return c.Snooze(ctx, id, d)
	})
}

func (ms *Client) SetRole(ctx context.Context, id, role string) (api.Session, error) {
	return ms.onSession(ctx, id, func(ctx context.Context, c *client.Client, id string) (api.Session, error) {
		return c.SetRole(ctx, id, role)
	})
}

func (ms *Client) SetOverride(ctx context.Context, id string, o api.SetOverride) (api.Session, error) {
	return ms.onSession(ctx, id, func(ctx context.Context, c *client.Client, id string) (api.Session, error) {
		return c.SetOverride(ctx, id, o)
	})
}

func (ms *Client) RemoveSession(ctx context.Context, id string) error {
	ctx, c, _, id, err := ms.at(ctx, id)
	if err != nil {
		return err
	}
	return c.RemoveSession(ctx, id)
}

func (ms *Client) Seen(ctx context.Context, id string) error {
	ctx, c, _, id, err := ms.at(ctx, id)
	if err != nil {
		return err
	}
	return c.Seen(ctx, id)
}

func (ms *Client) RevokeRule(ctx context.Context, id, rule string) error {
	ctx, c, _, id, err := ms.at(ctx, id)
	if err != nil {
		return err
	}
	return c.RevokeRule(ctx, id, rule)
}

// about makes a call about one thing that returns something else.
func about[T any](ms *Client, ctx context.Context, id string, call func(context.Context, *client.Client, string) (T, error)) (T, error) {
	ctx, c, _, id, err := ms.at(ctx, id)
	if err != nil {
		var none T
		return none, err
	}
	return call(ctx, c, id)
}

func (ms *Client) SendPrompt(ctx context.Context, id string, p api.SendPrompt) (api.SendResult, error) {
	return about(ms, ctx, id, func(ctx context.Context, c *client.Client, id string) (api.SendResult, error) {
		return c.SendPrompt(ctx, id, p)
	})
}

func (ms *Client) Input(ctx context.Context, id string, in api.RawInput) error {
	_, err := about(ms, ctx, id, func(ctx context.Context, c *client.Client, id string) (struct{}, error) {
		return struct{}{}, c.Input(ctx, id, in)
	})
	return err
}

func (ms *Client) Answer(ctx context.Context, request string, a api.Answer) (api.Decision, error) {
	node, _ := merge.Split(request)
	d, err := about(ms, ctx, request, func(ctx context.Context, c *client.Client, id string) (api.Decision, error) {
		return c.Answer(ctx, id, a)
	})
	d.Request = merge.Request(node, d.Request)
	return d, err
}

func (ms *Client) Explain(ctx context.Context, id string) (api.Explanation, error) {
	return about(ms, ctx, id, func(ctx context.Context, c *client.Client, id string) (api.Explanation, error) {
		return c.Explain(ctx, id)
	})
}

func (ms *Client) Process(ctx context.Context, id string) (api.ProcessUse, error) {
	return about(ms, ctx, id, func(ctx context.Context, c *client.Client, id string) (api.ProcessUse, error) {
		return c.Process(ctx, id)
	})
}

func (ms *Client) SessionPolicy(ctx context.Context, id string) (api.SessionPolicy, error) {
	return about(ms, ctx, id, func(ctx context.Context, c *client.Client, id string) (api.SessionPolicy, error) {
		return c.SessionPolicy(ctx, id)
	})
}

func (ms *Client) Transcript(ctx context.Context, id string) (api.Transcript, error) {
	node, _ := merge.Split(id)
	t, err := about(ms, ctx, id, func(ctx context.Context, c *client.Client, id string) (api.Transcript, error) {
		return c.Transcript(ctx, id)
	})
	t.HistoryEntry = merge.Entry(node, t.HistoryEntry)
	return t, err
}

func (ms *Client) Output(ctx context.Context, id string, p wire.OutputParams) (wire.OutputResult, error) {
	return about(ms, ctx, id, func(ctx context.Context, c *client.Client, id string) (wire.OutputResult, error) {
		return c.Output(ctx, id, p)
	})
}

func (ms *Client) FollowTurns(ctx context.Context, id string, last int, each func(api.Turn) error) error {
	ctx, c, _, id, err := ms.at(ctx, id)
	if err != nil {
		return err
	}
	return c.FollowTurns(ctx, id, last, each)
}

func (ms *Client) Turns(ctx context.Context, id string, last int, each func(api.Turn) error) error {
	ctx, c, _, id, err := ms.at(ctx, id)
	if err != nil {
		return err
	}
	return c.Turns(ctx, id, last, each)
}

func (ms *Client) SendLater(ctx context.Context, id, text, key string) (api.PendingPrompt, error) {
	node, _ := merge.Split(id)
	p, err := about(ms, ctx, id, func(ctx context.Context, c *client.Client, id string) (api.PendingPrompt, error) {
		return c.SendLater(ctx, id, text, key)
	})
	return merge.Pending(node, p), err
}

// Pending lists the prompts that all machines keep.
func (ms *Client) Pending(ctx context.Context, _ string) ([]api.PendingPrompt, error) {
	list, err := ms.Client.Pending(ctx, "")
	if err != nil {
		return nil, err
	}
	for name, n := range ms.reachable() {
		if more, err := n.Pending(ctx, ""); err == nil { // else it is just away
			for _, p := range more {
				list = append(list, merge.Pending(name, p))
			}
		}
	}
	return list, nil
}

func (ms *Client) CancelPending(ctx context.Context, id string) error {
	ctx, c, _, id, err := ms.at(ctx, id)
	if err != nil {
		return err
	}
	return c.CancelPending(ctx, id)
}

func (ms *Client) Host(ctx context.Context, id string, o client.HostOptions) (*wire.Conn, wire.Welcome, error) {
	ctx, c, _, id, err := ms.at(ctx, id)
	if err != nil {
		return nil, wire.Welcome{}, err
	}
	return c.Host(ctx, id, o)
}

func (ms *Client) Line(ctx context.Context, id, token string, display directline.Terminal) (*directline.Line, error) {
	return about(ms, ctx, id, func(ctx context.Context, c *client.Client, id string) (*directline.Line, error) {
		return c.Line(ctx, id, token, display)
	})
}

// onTask makes a call about a task that returns its new value.
func (ms *Client) onTask(ctx context.Context, id string, call func(context.Context, *client.Client, string) (api.Task, error)) (api.Task, error) {
	node, _ := merge.Split(id)
	t, err := about(ms, ctx, id, call)
	return merge.Task(node, t), err
}

func (ms *Client) Task(ctx context.Context, id string) (api.Task, error) {
	return ms.onTask(ctx, id, func(ctx context.Context, c *client.Client, id string) (api.Task, error) { return c.Task(ctx, id) })
}

func (ms *Client) StartTask(ctx context.Context, id string) (api.Task, error) {
	return ms.onTask(ctx, id, func(ctx context.Context, c *client.Client, id string) (api.Task, error) { return c.StartTask(ctx, id) })
}

func (ms *Client) CancelTask(ctx context.Context, id string) (api.Task, error) {
	return ms.onTask(ctx, id, func(ctx context.Context, c *client.Client, id string) (api.Task, error) { return c.CancelTask(ctx, id) })
}

func (ms *Client) EditTask(ctx context.Context, id string, change api.EditTask) (api.Task, error) {
	if change.After != nil {
		node, _ := merge.Split(id)
		own := withoutNode(*change.After, node)
		change.After = &own
	}
	return ms.onTask(ctx, id, func(ctx context.Context, c *client.Client, id string) (api.Task, error) {
		return c.EditTask(ctx, id, change)
	})
}

func (ms *Client) MoveTask(ctx context.Context, id, before string) (api.Task, error) {
	node, _ := merge.Split(id)
	other, before := merge.Split(before)
	if before != "" && other != node {
		return api.Task{}, errors.New("tasks of different machines are in different queues")
	}
	return ms.onTask(ctx, id, func(ctx context.Context, c *client.Client, id string) (api.Task, error) {
		return c.MoveTask(ctx, id, before)
	})
}

// withoutNode are tasks as their own machine calls them.
func withoutNode(after []api.TaskAfter, node string) []api.TaskAfter {
	after = slices.Clone(after)
	for i := range after {
		after[i].Task = strings.TrimPrefix(after[i].Task, node+"/")
	}
	return after
}

// AddTasks adds tasks to the queue of one machine.
func (ms *Client) AddTasks(ctx context.Context, list []api.NewTask) ([]api.Task, error) {
	if len(list) == 0 || list[0].Node == "" {
		return ms.Client.AddTasks(ctx, list)
	}
	node := list[0].Node
	list = slices.Clone(list)
	for i := range list {
		list[i].Name = strings.TrimPrefix(list[i].Name, node+"/")
		list[i].After = withoutNode(list[i].After, node)
	}
	return ms.tasksOf(ctx, node, func(ctx context.Context, c *client.Client) ([]api.Task, error) { return c.AddTasks(ctx, list) })
}

// ClearTasks cancels what is queued on one machine.
func (ms *Client) ClearTasks(ctx context.Context, node string) ([]api.Task, error) {
	return ms.tasksOf(ctx, node, func(ctx context.Context, c *client.Client) ([]api.Task, error) { return c.ClearTasks(ctx) })
}

// SeenTasks notes that a person has looked at tasks, each on its machine; it takes no call for all.
func (ms *Client) SeenTasks(ctx context.Context, ids ...string) (seen []api.Task, err error) {
	by := map[string][]string{}
	for _, id := range ids {
		node, own := merge.Split(id)
		by[node] = append(by[node], own)
	}
	for node, own := range by {
		list, failed := ms.tasksOf(ctx, node, func(ctx context.Context, c *client.Client) ([]api.Task, error) { return c.SeenTasks(ctx, own...) })
		seen, err = append(seen, list...), errors.Join(err, failed)
	}
	return seen, err
}

// tasksOf makes a call of one machine's queue that returns tasks.
func (ms *Client) tasksOf(ctx context.Context, node string, call func(context.Context, *client.Client) ([]api.Task, error)) ([]api.Task, error) {
	list, err := about(ms, ctx, merge.Of(node, "queue"), func(ctx context.Context, c *client.Client, _ string) ([]api.Task, error) { return call(ctx, c) })
	for i := range list {
		list[i] = merge.Task(node, list[i])
	}
	return list, err
}

// ChangeQueue changes the queue of one machine.
func (ms *Client) ChangeQueue(ctx context.Context, change api.QueueChange) (api.Queue, error) {
	q, err := about(ms, ctx, merge.Of(change.Node, "queue"), func(ctx context.Context, c *client.Client, _ string) (api.Queue, error) {
		return c.ChangeQueue(ctx, change)
	})
	q.Node = change.Node
	return q, err
}

// Events reads the log of the machine of the session, or this machine's.
func (ms *Client) Events(ctx context.Context, e client.EventFilter) ([]api.Event, error) {
	ctx, c, node, id, err := ms.at(ctx, e.Session)
	if err != nil {
		return nil, err
	}
	e.Session = id
	if e.Since > 0 && ms.joined.Load() {
		of, own, ok := ms.merger.Origin(e.Since)
		if !ok || of != node {
			return nil, nil // nothing of that machine is after an event of another
		}
		e.Since = own
	}
	list, err := c.Events(ctx, e)
	return ms.past(node, list), err
}

// PastEvents reads the newest events of a session's machine; of no session, of all machines.
func (ms *Client) PastEvents(ctx context.Context, session, kind string, limit int) ([]api.Event, error) {
	at, c, node, id, err := ms.at(ctx, session)
	if err != nil {
		return nil, err
	}
	list, err := c.Events(at, client.EventFilter{Session: id, Type: kind, Limit: limit})
	list = ms.past(node, list)
	if session != "" || err != nil {
		return list, err
	}
	for name, n := range ms.reachable() {
		if more, err := n.Events(ctx, client.EventFilter{Type: kind, Limit: limit}); err == nil { // else it is just away
			list = append(list, ms.past(name, more)...)
		}
	}
	slices.SortStableFunc(list, func(x, y api.Event) int { return int(min(1, max(-1, x.Seq-y.Seq))) })
	return list[max(0, len(list)-limit):], nil
}

func (ms *Client) past(node string, list []api.Event) []api.Event {
	if !ms.joined.Load() {
		return list
	}
	return ms.merger.Past(node, list)
}
