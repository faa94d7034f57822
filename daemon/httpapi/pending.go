package httpapi

import (
	"context"
	"net/http"

	"ccdir/api"
)

// Pending are the prompts that wait for their sessions.
type Pending interface {
	// Add keeps a prompt for a session; it is on disk when Add returns.
	Add(ctx context.Context, ref string, n api.NewPending) (api.PendingPrompt, error)
	// List lists prompts, oldest first; session is an id, "": of all.
	List(ctx context.Context, session string) ([]api.PendingPrompt, error)
	Edit(ctx context.Context, id string, n api.NewPending) (api.PendingPrompt, error)
	Cancel(ctx context.Context, id string) error
}

func (s *server) addPending(w http.ResponseWriter, r *http.Request) error {
	var n api.NewPending
	if err := body(w, r, maxNew, &n); err != nil {
		return err
	}
	n.Request = attemptOf(r.Context()).id
	p, err := s.Pending.Add(r.Context(), ref(r), n)
	if err != nil {
		return err
	}
	answer(w, http.StatusCreated, p)
	return nil
}

func (s *server) listPending(w http.ResponseWriter, r *http.Request) error {
	session := r.URL.Query().Get("session")
	if id, err := s.Sessions.Resolve(session); session != "" && err == nil {
		session = id // else it is that of a session that was removed
	}
	list, err := s.Pending.List(r.Context(), session)
	return ok(w, list, err)
}

func (s *server) editPending(w http.ResponseWriter, r *http.Request) error {
	var n api.NewPending
	if err := body(w, r, maxNew, &n); err != nil {
		return err
	}
	p, err := s.Pending.Edit(r.Context(), ref(r), n)
	return ok(w, p, err)
}

func (s *server) cancelPending(w http.ResponseWriter, r *http.Request) error {
	return done(w, removed(r, s.Pending.Cancel(r.Context(), ref(r))))
}

// pendingTarget is the prompt's id, if it is there.
func (s *server) pendingTarget(r *http.Request, _ []byte) string {
	list, err := s.Pending.List(r.Context(), "")
	if err != nil {
		return ""
	}
	for _, p := range list {
		if p.ID == ref(r) {
			return p.ID
		}
	}
	return ""
}

// Schedules are what makes work come in by itself. ref is an id or a name.
type Schedules interface {
	List() []api.Schedule
	Get(ref string) (api.Schedule, error)
	// Add makes a schedule; it is on disk when it returns.
	Add(ctx context.Context, n api.NewSchedule) (api.Schedule, error)
	Edit(ctx context.Context, ref string, e api.EditSchedule) (api.Schedule, error)
	// RunNow runs a schedule at once, and once for a key.
	RunNow(ctx context.Context, ref, key string) (api.Schedule, error)
	Pause(ref string) (api.Schedule, error)
	Resume(ref string) (api.Schedule, error)
	Remove(ref string) error
	// Version is what preconditions compare, "" for one that is not there.
	Version(ref string) string
}

func scheduleRoutes() []route {
	return []route{
		{method: "GET", path: "/v1/schedules", name: "schedules.list", doc: "Schedules, the one that is due next first", out: []api.Schedule{}, handle: (*server).scheduleList},
		{method: "POST", path: "/v1/schedules", name: "schedules.create", doc: "Make a schedule of tasks, or of prompts for a session", in: api.NewSchedule{}, required: []string{"task"},
			more: "Answers once it is on disk. A due time is dealt with once. Each run, and each due time without one, is an event of type schedule.",
			out:  api.Schedule{}, status: http.StatusCreated, handle: (*server).scheduleAdd},
		{method: "GET", path: "/v1/schedules/{ref}", name: "schedules.get", doc: "One schedule", out: api.Schedule{}, handle: (*server).scheduleGet},
		{method: "POST", path: "/v1/schedules/{ref}/edit", name: "schedules.edit", doc: "Change a schedule", in: api.EditSchedule{}, out: api.Schedule{}, handle: (*server).scheduleEdit, target: (*server).scheduleTarget},
		{method: "POST", path: "/v1/schedules/{ref}/run", name: "schedules.run", doc: "Run it now, also while it is paused", out: api.Schedule{}, handle: (*server).scheduleRun},
		{method: "POST", path: "/v1/schedules/{ref}/pause", name: "schedules.pause", doc: "Keep it from running", out: api.Schedule{}, handle: (*server).schedulePause, target: (*server).scheduleTarget},
		{method: "POST", path: "/v1/schedules/{ref}/resume", name: "schedules.resume", doc: "Let it run again, from now on", out: api.Schedule{}, handle: (*server).scheduleResume, target: (*server).scheduleTarget},
		{method: "DELETE", path: "/v1/schedules/{ref}", name: "schedules.remove", doc: "Forget it; its tasks and prompts stay", handle: (*server).scheduleRemove, target: (*server).scheduleTarget},
	}
}

// Watches make tasks of issues.
type Watches interface {
	// List lists them in the file's order.
	List() []api.Watch
	// RunNow has one look now, and returns what it took, or would take (dry).
	RunNow(ctx context.Context, name string, dry bool) ([]api.WatchItem, error)
	Pause(name string) (api.Watch, error)
	Resume(name string) (api.Watch, error)
}

func watchRoutes() []route {
	return []route{
		{method: "GET", path: "/v1/watches", name: "watches.list", doc: "Watches of config.toml, and what they took", out: []api.Watch{}, handle: (*server).watchList},
		{method: "POST", path: "/v1/watches/{ref}/run", name: "watches.run", doc: "Look for new issues now, also while it is paused", in: api.RunWatch{},
			more: "Answers with what became tasks, or would. An issue becomes one task, however often it is asked for.", out: []api.WatchItem{}, handle: (*server).watchRun},
		{method: "POST", path: "/v1/watches/{ref}/pause", name: "watches.pause", doc: "Keep it from looking by itself", out: api.Watch{}, handle: (*server).watchPause},
		{method: "POST", path: "/v1/watches/{ref}/resume", name: "watches.resume", doc: "Let it look again", out: api.Watch{}, handle: (*server).watchResume},
	}
}

func (s *server) watchList(w http.ResponseWriter, _ *http.Request) error {
	return ok(w, s.Watches.List(), nil)
}

func (s *server) watchRun(w http.ResponseWriter, r *http.Request) error {
	var run api.RunWatch
	if err := body(w, r, maxNew, &run); err != nil {
		return err
	}
	items, err := s.Watches.RunNow(context.WithoutCancel(r.Context()), ref(r), run.Dry)
	return ok(w, items, err)
}

func (s *server) watchPause(w http.ResponseWriter, r *http.Request) error {
	v, err := s.Watches.Pause(ref(r))
	return ok(w, v, err)
}

func (s *server) watchResume(w http.ResponseWriter, r *http.Request) error {
	v, err := s.Watches.Resume(ref(r))
	return ok(w, v, err)
}

// Reactions are commands that events start.
type Reactions interface {
	// List lists them in the file's order.
	List() []api.Reaction
	// Test runs those of an event with a sample, and waits.
	Test(ctx context.Context, t api.ReactionTest) ([]api.ReactionRun, error)
}

func reactionRoutes() []route {
	return []route{
		{method: "GET", path: "/v1/reactions", name: "reactions.list", doc: "Commands that events start, as config.toml has them, and what became of their last runs", out: []api.Reaction{}, handle: (*server).reactionList},
		{method: "POST", path: "/v1/reactions/test", name: "reactions.test", doc: "Run the commands of an event with a sample of it", in: api.ReactionTest{}, required: []string{"event"},
			more: "Answers when they have ended. Their conditions do not count.", out: []api.ReactionRun{}, handle: (*server).reactionTest},
	}
}

func (s *server) reactionList(w http.ResponseWriter, _ *http.Request) error {
	return ok(w, s.Reactions.List(), nil)
}

func (s *server) reactionTest(w http.ResponseWriter, r *http.Request) error {
	var t api.ReactionTest
	if err := body(w, r, maxNew, &t); err != nil {
		return err
	}
	runs, err := s.Reactions.Test(r.Context(), t)
	return ok(w, runs, err)
}

func (s *server) scheduleTarget(r *http.Request, _ []byte) string {
	return s.Schedules.Version(ref(r))
}

func (s *server) scheduleList(w http.ResponseWriter, _ *http.Request) error {
	return ok(w, s.Schedules.List(), nil)
}

func (s *server) scheduleGet(w http.ResponseWriter, r *http.Request) error {
	v, err := s.Schedules.Get(ref(r))
	return ok(w, v, err)
}

func (s *server) scheduleAdd(w http.ResponseWriter, r *http.Request) error {
	var n api.NewSchedule
	if err := body(w, r, maxNew, &n); err != nil {
		return err
	}
	list := []api.NewTask{n.Task}
	if list[0].Env == nil {
		list[0].Env = s.Env
	}
	if err := addEnv(list); err != nil {
		return err
	}
	n.Task, n.Request = list[0], attemptOf(r.Context()).id
	v, err := s.Schedules.Add(context.WithoutCancel(r.Context()), n)
	if err != nil {
		return err
	}
	answer(w, http.StatusCreated, v)
	return nil
}

func (s *server) scheduleEdit(w http.ResponseWriter, r *http.Request) error {
	var e api.EditSchedule
	if err := body(w, r, maxNew, &e); err != nil {
		return err
	}
	v, err := s.Schedules.Edit(r.Context(), ref(r), e)
	return ok(w, v, err)
}

func (s *server) scheduleRun(w http.ResponseWriter, r *http.Request) error {
	v, err := s.Schedules.RunNow(context.WithoutCancel(r.Context()), ref(r), attemptOf(r.Context()).id)
	return ok(w, v, err)
}

func (s *server) schedulePause(w http.ResponseWriter, r *http.Request) error {
	v, err := s.Schedules.Pause(ref(r))
	return ok(w, v, err)
}

func (s *server) scheduleResume(w http.ResponseWriter, r *http.Request) error {
	v, err := s.Schedules.Resume(ref(r))
	return ok(w, v, err)
}

func (s *server) scheduleRemove(w http.ResponseWriter, r *http.Request) error {
	return done(w, removed(r, s.Schedules.Remove(ref(r))))
}
