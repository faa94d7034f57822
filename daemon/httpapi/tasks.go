package httpapi

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"ccdir/api"
)

// Tasks is the queue. ref is a task's id, or its name, which means the task that has it, or
// had it last.
type Tasks interface {
	// Add adds tasks, all or none; they are on disk when it returns.
	Add(ctx context.Context, list []api.NewTask) ([]api.Task, error)
	Tasks(ctx context.Context) ([]api.Task, error)
	Task(ctx context.Context, ref string) (api.Task, error)
	Start(ctx context.Context, ref string) (api.Task, error)
	Cancel(ctx context.Context, ref string) (api.Task, error)
	Edit(ctx context.Context, ref string, change api.EditTask) (api.Task, error)
	Move(ctx context.Context, ref, before string) (api.Task, error)
	// Clear cancels the queued tasks and returns them.
	Clear(ctx context.Context) ([]api.Task, error)
	// Seen notes that a person has looked at tasks, without ids at all, and returns those that
	// were news.
	Seen(ctx context.Context, ids []string) ([]api.Task, error)
	Logs(ctx context.Context, ref string) (api.TaskLogs, error)
	// Wait blocks until the task has ended, or is in one of the states. If ctx ends first
	// it returns the last value of the task with the error.
	Wait(ctx context.Context, ref string, states []api.TaskState) (api.Task, error)
	Queue(ctx context.Context) (api.Queue, error)
	ChangeQueue(ctx context.Context, c api.QueueChange) (api.Queue, error)
}

// maxTasks bounds the body of new tasks, in bytes.
const maxTasks = 64 << 20

// shown returns tasks without their environments, which are not for answers.
func shown(list []api.Task, err error) ([]api.Task, error) {
	out := make([]api.Task, 0, len(list))
	for _, t := range list {
		t.Env = nil
		out = append(out, t)
	}
	return out, err
}

func one(t api.Task, err error) (api.Task, error) {
	t.Env = nil
	return t, err
}

func (s *server) taskList(w http.ResponseWriter, r *http.Request) error {
	states, err := wordsOf(r, "state", api.TaskStates())
	if err != nil {
		return err
	}
	label, unseen := r.URL.Query().Get("label"), r.URL.Query().Get("unseen") == "1"
	list, err := shown(s.Tasks.Tasks(r.Context()))
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(t api.Task) bool {
		return states != nil && !slices.Contains(states, t.State) || label != "" && !slices.Contains(t.Labels, label) || unseen && !t.Unseen
	})
	list, err = page(w, r, list, func(t api.Task) string { return t.ID })
	return ok(w, list, err)
}

func (s *server) taskAdd(w http.ResponseWriter, r *http.Request) error {
	var list []api.NewTask
	if err := body(w, r, maxTasks, &list); err != nil {
		return err
	}
	if len(list) > 0 && list[0].Env == nil { // later ones that name none have the one before
		list[0].Env = s.Env
	}
	if err := addEnv(list); err != nil {
		return err
	}
	if id := attemptOf(r.Context()).id; len(list) > 0 && list[0].Request == "" {
		for i := range list {
			list[i].Request = id
		}
	}
	// The tasks are added even if the caller hangs up.
	added, err := shown(s.Tasks.Add(context.WithoutCancel(r.Context()), list))
	if err != nil {
		return err
	}
	answer(w, http.StatusCreated, added)
	return nil
}

// addEnv makes each task's further variables part of its environment. A task that names no
// environment has the one of the task before.
func addEnv(list []api.NewTask) error {
	if !slices.ContainsFunc(list, func(n api.NewTask) bool { return len(n.ExtraEnv) > 0 }) {
		return nil
	}
	var base []string
	for i := range list {
		n := &list[i]
		if n.Env != nil {
			base = n.Env
		}
		for _, kv := range n.ExtraEnv {
			if k, _, ok := strings.Cut(kv, "="); !ok || k == "" {
				return api.Errorf(api.CodeInvalid, "the variable %.40q of task %d is not K=V", k, i+1)
			}
		}
		n.Env, n.ExtraEnv = slices.Concat(base, n.ExtraEnv), nil
	}
	return nil
}

func (s *server) taskClear(w http.ResponseWriter, r *http.Request) error {
	if a := attemptOf(r.Context()); a.retry {
		list, err := shown(s.cleared(r.Context(), a.at))
		return ok(w, list, err)
	}
	list, err := shown(s.Tasks.Clear(r.Context()))
	return ok(w, list, err)
}

func (s *server) taskSeen(w http.ResponseWriter, r *http.Request) error {
	var seen api.SeenTasks
	if err := body(w, r, maxBody, &seen); err != nil {
		return err
	}
	list, err := shown(s.Tasks.Seen(r.Context(), seen.Tasks))
	return ok(w, list, err)
}

func (s *server) taskGet(w http.ResponseWriter, r *http.Request) error {
	t, err := one(s.Tasks.Task(r.Context(), ref(r)))
	if err != nil {
		return err
	}
	w.Header().Set(api.HeaderVersion, `"`+t.Version()+`"`)
	return ok(w, t, nil)
}

func (s *server) taskStart(w http.ResponseWriter, r *http.Request) error {
	t, err := one(s.Tasks.Start(r.Context(), ref(r)))
	return ok(w, t, err)
}

func (s *server) taskCancel(w http.ResponseWriter, r *http.Request) error {
	t, err := one(s.Tasks.Cancel(r.Context(), ref(r)))
	return ok(w, t, err)
}

func (s *server) taskEdit(w http.ResponseWriter, r *http.Request) error {
	var change api.EditTask
	if err := body(w, r, maxTasks, &change); err != nil {
		return err
	}
	t, err := one(s.Tasks.Edit(r.Context(), ref(r), change))
	return ok(w, t, err)
}

func (s *server) taskMove(w http.ResponseWriter, r *http.Request) error {
	var m api.MoveTask
	if err := body(w, r, maxBody, &m); err != nil {
		return err
	}
	t, err := one(s.Tasks.Move(r.Context(), ref(r), m.Before))
	return ok(w, t, err)
}

func (s *server) taskLogs(w http.ResponseWriter, r *http.Request) error {
	t, err := s.Tasks.Task(r.Context(), ref(r))
	if err == nil && !s.viewer(r).all(t.Session) {
		err = s.asTool(r, "task_result", map[string]any{"task": t.ID})
	}
	if err != nil {
		return err
	}
	l, err := s.Tasks.Logs(r.Context(), t.ID)
	return ok(w, l, err)
}

// taskWait blocks until the task has ended or is in one of the states.
func (s *server) taskWait(w http.ResponseWriter, r *http.Request) error {
	states, err := wordsOf(r, "state", api.TaskStates())
	if err != nil {
		return err
	}
	limit, err := durationOf(r, "timeout", defaultWait)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), limit)
	defer cancel()
	t, err := one(s.Tasks.Wait(ctx, ref(r), states))
	if errors.Is(err, context.DeadlineExceeded) {
		return api.Errorf(api.CodeTimeout, "task %s is still %s after %s", t.ID, t.State, limit)
	}
	return ok(w, t, err)
}

func (s *server) queue(w http.ResponseWriter, r *http.Request) error {
	q, err := s.Tasks.Queue(r.Context())
	return ok(w, q, err)
}

func (s *server) queueChange(w http.ResponseWriter, r *http.Request) error {
	var c api.QueueChange
	if err := body(w, r, maxBody, &c); err != nil {
		return err
	}
	q, err := s.Tasks.ChangeQueue(r.Context(), c)
	return ok(w, q, err)
}
