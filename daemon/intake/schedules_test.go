package intake

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	_ "time/tzdata" // the same rules on every machine

	"ccdir/api"
	"ccdir/config"
)

// world is the daemon around schedules: what is saved outlives them.
type world struct {
	mu      sync.Mutex
	rows    map[string][]byte
	tasks   []api.Task
	prompts []api.PendingPrompt
	told    []string
	broken  error
	refuse  error
	config  *config.Loaded
	zone    *time.Location
	env     []string
	absent  string // a session that is not there
	pause   func(string)
}

func newWorld() *world {
	return &world{rows: map[string][]byte{}, config: &config.Loaded{}, zone: time.UTC, pause: func(string) {}}
}

func (w *world) SaveIntake(kind, id string, record []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.broken != nil {
		return w.broken
	}
	if w.rows[kind+"/"+id] = record; record == nil {
		delete(w.rows, kind+"/"+id)
	}
	return nil
}

func (w *world) Intake(_ context.Context, kind string) (map[string][]byte, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	rows := map[string][]byte{}
	for k, v := range w.rows {
		if id, ok := strings.CutPrefix(k, kind+"/"); ok {
			rows[id] = v
		}
	}
	return rows, nil
}

func (w *world) AddApproved(_ context.Context, list []api.NewTask) ([]api.Task, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.refuse != nil {
		return nil, w.refuse
	}
	for _, t := range w.tasks {
		if t.Request == list[0].Request {
			return []api.Task{t}, nil
		}
	}
	t := api.Task{ID: fmt.Sprintf("t%d", len(w.tasks)+1), NewTask: list[0], State: api.TaskRunning}
	w.env = list[0].Env
	w.tasks = append(w.tasks, t)
	return []api.Task{t}, nil
}

func (w *world) Lookup(_ context.Context, ref string) (api.Task, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, t := range w.tasks {
		if t.ID == ref {
			return t, nil
		}
	}
	return api.Task{}, api.Errorf(api.CodeNotFound, "no task")
}

func (w *world) Usable(context.Context, api.NewTask) error { return nil }

func (w *world) Add(_ context.Context, ref string, n api.NewPending) (api.PendingPrompt, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := api.PendingPrompt{ID: fmt.Sprintf("p%d", len(w.prompts)+1), Session: ref, Text: n.Text, State: api.PendingWaits}
	w.prompts = append(w.prompts, p)
	return p, w.refuse
}

func (w *world) List(context.Context, string) ([]api.PendingPrompt, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]api.PendingPrompt(nil), w.prompts...), nil
}

func (w *world) Get(_ context.Context, ref string) (api.Session, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if ref == "nobody" || ref == w.absent {
		return api.Session{}, api.Errorf(api.CodeNotFound, "no session")
	}
	return api.Session{ID: "id-" + ref, Name: ref}, nil
}

func (w *world) Append(m api.WatchMessage, _ []byte, _ string) <-chan error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.told = append(w.told, m.Event.Message)
	done := make(chan error)
	close(done)
	return done
}

// end ends every task.
func (w *world) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range w.tasks {
		w.tasks[i].State = api.TaskDone
	}
}

// count is how many tasks there are.
func (w *world) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.tasks)
}

// has reports whether something was told.
func (w *world) has(text string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Contains(strings.Join(w.told, "\n"), text)
}

func (w *world) loaded() *config.Loaded {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.config
}

// open begins schedules in the world; stop ends them.
func (w *world) open(t *testing.T) (s *Schedules, stop func()) {
	t.Helper()
	s, err := Open(t.Context(), Options{Store: w, Tasks: w, Prompts: w, Sessions: w, Journal: w, Config: w.loaded,
		Env: []string{"A=daemon"}, Now: time.Now, Local: w.zone, Pause: w.pause, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.Run(ctx)
	}()
	return s, func() { cancel(); <-ended }
}

func (w *world) add(t *testing.T, s *Schedules, n api.NewSchedule) api.Schedule {
	t.Helper()
	if n.Task.Prompt == "" {
		n.Task = api.NewTask{Prompt: "go on", CWD: "/"}
	}
	v, err := s.Add(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestDays: each due time of ten days is one task, while the one before is not over it is skipped
// and told, and by hand it runs all the same. The bubble's time begins on 1 January 2000, a Saturday.
func TestDays(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		s, stop := w.open(t)
		defer stop()
		v := w.add(t, s, api.NewSchedule{When: "0 7 * * 1-5"})
		if v.Next == nil || v.Next.Format(time.RFC3339) != "2000-01-03T07:00:00Z" {
			t.Fatalf("%+v", v)
		}
		for range 10 {
			time.Sleep(24 * time.Hour)
			synctest.Wait()
			w.end()
		}
		if w.count() != 5+1 || w.tasks[0].Labels[0] != "schedule:s1" {
			t.Errorf("%d tasks: %+v", w.count(), w.tasks)
		}
		w.mu.Lock()
		w.tasks[5].State = api.TaskRunning
		w.mu.Unlock()
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		v, err := s.Get("s1")
		if err != nil || w.count() != 6 || v.Last.Outcome != api.RunSkipped || v.Last.Task != "t6" || !w.has("skipped: task t6 of the run before is running") {
			t.Errorf("%v %+v %q", err, v.Last, w.told)
		}
		if v, err = s.RunNow(t.Context(), "s1", "by hand"); err != nil || v.Last.Task != "t7" {
			t.Errorf("%v %+v", err, v.Last)
		}
		if v, err = s.RunNow(t.Context(), "s1", "by hand"); err != nil || v.Last.Task != "t7" || w.count() != 7 {
			t.Errorf("the call was repeated: %v %+v", err, v.Last)
		}
	})
}

// TestMissed: due times at which no daemon ran are made up for by one run, or skipped, and told.
func TestMissed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		s, stop := w.open(t)
		w.add(t, s, api.NewSchedule{When: "0 7 * * *"})
		w.add(t, s, api.NewSchedule{When: "0 7 * * *", Missed: api.MissedSkip})
		w.add(t, s, api.NewSchedule{At: "2000-01-02 09:00"})
		w.add(t, s, api.NewSchedule{At: "2000-01-02 09:00", Missed: api.MissedSkip})
		stop()
		time.Sleep(3*24*time.Hour + 12*time.Hour)
		s, stop = w.open(t)
		defer stop()
		synctest.Wait()
		if w.count() != 2 {
			t.Errorf("%+v", w.tasks)
		}
		for id, want := range map[string]string{"s1": "started 4 on", "s2": "missed 4 on", "s3": "started 1 done", "s4": "missed 1 done"} {
			v, err := s.Get(id)
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(v.Last.Outcome, " ", v.Last.Missed, " ", v.State); got != want {
				t.Errorf("%s: %s, want %s", id, got, want)
			}
		}
		if !w.has("s1: added task t1 for 4 missed: ccdir did not run at 2000-01-04 07:00:00") || !w.has("s2: missed 4: ccdir did not run then") {
			t.Errorf("%q", w.told)
		}
		w.end()
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		if w.count() != 4 {
			t.Errorf("the next morning: %+v", w.tasks)
		}
		time.Sleep(doneKept)
		synctest.Wait()
		if list := s.List(); len(list) != 2 {
			t.Errorf("what is done is forgotten: %+v", list)
		}
	})
}

// TestNotSaved: a due time that cannot be recorded waits, and one whose task cannot be added now is
// tried again with the same key.
func TestNotSaved(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		s, stop := w.open(t)
		defer stop()
		w.add(t, s, api.NewSchedule{When: "0 7 * * *"})
		w.broken = errors.New("disk full")
		time.Sleep(8 * time.Hour)
		synctest.Wait()
		if w.count() != 0 {
			t.Fatal("a task without a record of it")
		}
		w.mu.Lock()
		w.broken, w.refuse = nil, api.Errorf(api.CodeInternal, "disk full")
		w.mu.Unlock()
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		w.mu.Lock()
		w.refuse = nil
		w.mu.Unlock()
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if w.count() != 1 || !strings.HasPrefix(w.tasks[0].Request, "s1-") {
			t.Errorf("%+v", w.tasks)
		}
		w.end()
		w.mu.Lock()
		w.refuse = api.Errorf(api.CodeNoAgent, "no agent is called x")
		w.mu.Unlock()
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		if v, _ := s.Get("s1"); v.Last.Outcome != api.RunFailed || v.State != api.ScheduleOn || !w.has("failed: no agent is called x") {
			t.Errorf("%+v %q", v, w.told)
		}
	})
}

// TestPrompts: a prompt for a session is kept once a due time, and not while the one before is
// pending; without its session the schedule pauses.
func TestPrompts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		s, stop := w.open(t)
		defer stop()
		if _, err := s.Add(t.Context(), api.NewSchedule{When: "@daily", To: "nobody", Task: api.NewTask{Prompt: "x"}}); api.CodeOf(err) != api.CodeNotFound {
			t.Error(err)
		}
		if v := w.add(t, s, api.NewSchedule{When: "@daily", To: "api"}); v.To != "id-api" || v.Task != nil {
			t.Errorf("%+v", v)
		}
		time.Sleep(49 * time.Hour)
		synctest.Wait()
		v, _ := s.Get("s1")
		if len(w.prompts) != 1 || v.Last.Outcome != api.RunSkipped || v.Last.Pending != "p1" {
			t.Errorf("%+v %+v", w.prompts, v.Last)
		}
		w.mu.Lock()
		w.prompts[0].State, w.refuse = api.PendingDelivered, api.Errorf(api.CodeNotFound, "no session")
		w.mu.Unlock()
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		if v, _ = s.Get("s1"); v.State != api.SchedulePaused || v.Next != nil || !strings.Contains(v.Reason, "--to SESSION") {
			t.Errorf("%+v", v)
		}
	})
}

// TestSessionLater: a schedule of the file whose session begins later than the daemon runs then, and is listed so at once.
func TestSessionLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		l := config.Parse([]byte("[[schedule]]\nname = 'standup'\nwhen = '45 8 * * *'\nto = 'api'\nprompt = 'say'\n"), "f", "/home/me")
		w.config, w.absent = &l, "api"
		s, stop := w.open(t)
		defer stop()
		synctest.Wait()
		if list := s.List(); len(list) != 1 || list[0].State != api.ScheduleFaulty || !strings.Contains(list[0].Reason, "no session") {
			t.Fatalf("%+v", list)
		}
		w.mu.Lock()
		w.absent = ""
		w.mu.Unlock()
		if list := s.List(); list[0].State != api.ScheduleOn || list[0].Next == nil || list[0].Reason != "" || !w.has("standup: can run now") {
			t.Errorf("%+v %q", list, w.told)
		}
		time.Sleep(25 * time.Hour)
		synctest.Wait()
		if len(w.prompts) != 1 {
			t.Errorf("%+v", w.prompts)
		}
	})
}

// TestOfConfig: schedules of the file come, change, go on and go with it; what a person did to them
// stays; faults are told.
func TestOfConfig(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		load := func(text string) {
			l := config.Parse([]byte(text), "f", "/home/me")
			if len(l.Problems) > 0 {
				t.Fatal(l.Problems)
			}
			w.mu.Lock()
			w.config = &l
			w.mu.Unlock()
		}
		const nightly = "[[schedule]]\nname = 'nightly'\nwhen = '30 2 * * *'\nprompt = 'update'\ndir = '~/src'\nenv = ['B=file']\nlabels = ['deps']\n"
		load(nightly + "[[schedule]]\nname = 'late'\nat = '1999-12-31 07:00'\nprompt = 'x'\ndir = '/'\n[[schedule]]\nname = 'odd'\nat = '2h'\nprompt = 'x'\ndir = '/'\n[[schedule]]\nname = 'wrong'\nwhen = '0 99 * * *'\nprompt = 'x'\ndir = '/'\n")
		s, stop := w.open(t)
		for id, want := range map[string]api.ScheduleState{"nightly": api.ScheduleOn, "late": api.ScheduleDone, "odd": api.ScheduleFaulty, "wrong": api.ScheduleFaulty} {
			if v, err := s.Get(id); err != nil || v.State != want || v.Source != "config" {
				t.Errorf("%s: %v %+v, want %s", id, err, v, want)
			}
		}
		if v, _ := s.Get("nightly"); v.Task.CWD != "/home/me/src" || v.Task.ExtraEnv != nil {
			t.Errorf("%+v", v.Task)
		}
		if err := s.Remove("nightly"); api.CodeOf(err) != api.CodeConflict {
			t.Error(err)
		}
		time.Sleep(3 * time.Hour)
		synctest.Wait()
		if w.count() != 1 || strings.Join(w.env, " ") != "A=daemon B=file" {
			t.Errorf("%+v %q", w.tasks, w.env)
		}
		w.end()
		told := len(w.told)
		stop()
		time.Sleep(48 * time.Hour)
		s, stop = w.open(t)
		defer stop()
		synctest.Wait()
		if v, _ := s.Get("nightly"); w.count() != 2 || v.Last.Missed != 2 || len(w.told) != told+1 {
			t.Errorf("after a restart: %d tasks, %+v, %q", w.count(), v, w.told)
		}
		w.end()
		if _, err := s.Pause("nightly"); err != nil {
			t.Fatal(err)
		}
		load(strings.Replace(nightly, "update", "update all", 1))
		s.Changed()
		synctest.Wait()
		if v, _ := s.Get("nightly"); v.State != api.SchedulePaused || v.Prompt != "update all" || len(s.List()) != 1 {
			t.Errorf("%+v", v)
		}
		load("")
		s.Changed()
		synctest.Wait()
		if len(s.List()) != 0 || !w.has("nightly: removed from config.toml") {
			t.Errorf("%+v", s.List())
		}
	})
}
