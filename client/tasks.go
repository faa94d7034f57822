package client

import (
	"cmp"
	"context"
	"crypto/rand"
	"net/http"
	"net/url"
	"slices"
	"time"

	"ccdir/api"
)

// task returns the path of a task's resource. ref is an id or a name, which means the task
// that has it, or had it last.
func task(ref, rest string) (string, error) {
	// An empty element, "." and ".." would select another route.
	if ref == "" || ref == "." || ref == ".." {
		return "", api.Errorf(api.CodeNotFound, "no task %q: `ccdir task ls --all` lists them", ref)
	}
	return "/v1/tasks/" + url.PathEscape(ref) + rest, nil
}

func (c *Client) onTask(ctx context.Context, method, ref, rest string, in any) (out api.Task, err error) {
	path, err := task(ref, rest)
	if err != nil {
		return out, err
	}
	if method == http.MethodGet {
		err = c.call(ctx, method, path, nil, in, &out)
	} else {
		err = c.keyed(ctx, "", method, path, nil, in, &out)
	}
	return out, err
}

// AddTasks adds tasks to the queue, all or none; they are on disk when it returns. A task
// without Env has that of the one before it in the list. Calls with the same Request in the
// first task, if it is not "", add them once.
func (c *Client) AddTasks(ctx context.Context, list []api.NewTask) ([]api.Task, error) {
	var out []api.Task
	if len(list) == 0 {
		return nil, c.call(ctx, http.MethodPost, "/v1/tasks", nil, list, &out)
	}
	list = slices.Clone(list)
	request := cmp.Or(list[0].Request, rand.Text())
	for i := range list {
		list[i].Request = request
	}
	err := c.keyed(ctx, request, http.MethodPost, "/v1/tasks", nil, list, &out)
	return out, err
}

// Tasks lists the tasks in the order of the queue, ended ones included.
func (c *Client) Tasks(ctx context.Context) ([]api.Task, error) {
	var out []api.Task
	err := c.call(ctx, http.MethodGet, "/v1/tasks", nil, nil, &out)
	return out, err
}

// Task returns one task. Here and below ref is an id or a name, which means the
// task that has it, or had it last.
func (c *Client) Task(ctx context.Context, ref string) (api.Task, error) {
	return c.onTask(ctx, http.MethodGet, ref, "", nil)
}

// StartTask starts a queued task before all others, or lets a held one continue.
func (c *Client) StartTask(ctx context.Context, ref string) (api.Task, error) {
	return c.onTask(ctx, http.MethodPost, ref, "/start", nil)
}

// CancelTask ends a task, and its session if it has one.
func (c *Client) CancelTask(ctx context.Context, ref string) (api.Task, error) {
	return c.onTask(ctx, http.MethodPost, ref, "/cancel", nil)
}

// EditTask changes a queued task.
func (c *Client) EditTask(ctx context.Context, ref string, change api.EditTask) (api.Task, error) {
	return c.onTask(ctx, http.MethodPost, ref, "/edit", change)
}

// MoveTask puts a queued task before another, or last ("").
func (c *Client) MoveTask(ctx context.Context, ref, before string) (api.Task, error) {
	return c.onTask(ctx, http.MethodPost, ref, "/move", api.MoveTask{Before: before})
}

// ClearTasks cancels every queued task and returns them.
func (c *Client) ClearTasks(ctx context.Context) ([]api.Task, error) {
	var out []api.Task
	err := c.keyed(ctx, "", http.MethodDelete, "/v1/tasks", nil, nil, &out)
	return out, err
}

// UnseenTasks returns those that have ended by themselves and that nobody has looked at since.
func (c *Client) UnseenTasks(ctx context.Context) ([]api.Task, error) {
	var out []api.Task
	err := c.call(ctx, http.MethodGet, "/v1/tasks", url.Values{"unseen": {"1"}}, nil, &out)
	return out, err
}

// SeenTasks notes that a person has looked at tasks that have ended, without ids at all of them,
// and returns those that were news.
func (c *Client) SeenTasks(ctx context.Context, ids ...string) ([]api.Task, error) {
	var out []api.Task
	err := c.keyed(ctx, "", http.MethodPost, "/v1/queue/seen", nil, api.SeenTasks{Tasks: ids}, &out)
	return out, err
}

// TaskLogs returns what a task's last attempt wrote.
func (c *Client) TaskLogs(ctx context.Context, ref string) (out api.TaskLogs, err error) {
	path, err := task(ref, "/logs")
	if err != nil {
		return out, err
	}
	err = c.call(ctx, http.MethodGet, path, nil, nil, &out)
	return out, err
}

// Queue returns the queue's settings and counts.
func (c *Client) Queue(ctx context.Context) (api.Queue, error) {
	var out api.Queue
	err := c.call(ctx, http.MethodGet, "/v1/queue", nil, nil, &out)
	return out, err
}

// ChangeQueue changes mode, limit or pause.
func (c *Client) ChangeQueue(ctx context.Context, change api.QueueChange) (api.Queue, error) {
	var out api.Queue
	err := c.retry(ctx, "", http.MethodPost, "/v1/queue", nil, change, &out)
	return out, err
}

// WaitTask blocks until the task has ended or is in one of the states, or timeout
// is over (api.CodeTimeout; 0 or less: no bound). It goes on through restarts of
// the daemon.
func (c *Client) WaitTask(ctx context.Context, ref string, states []api.TaskState, timeout time.Duration) (out api.Task, err error) {
	first, err := c.Task(ctx, ref) // a name may be reused once the task has ended
	if err != nil {
		return out, err
	}
	path, err := task(first.ID, "/wait")
	if err != nil {
		return out, err
	}
	err = c.wait(ctx, path, joined(states), timeout, &out)
	return out, err
}
