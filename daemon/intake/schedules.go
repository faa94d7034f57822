package intake

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"ccdir/api"
	"ccdir/config"
	"ccdir/internal/contain"
	"ccdir/internal/tune/timer"
	"ccdir/orchestrator/calendar"
)

const (
	// maxSchedules bounds the schedules that calls make.
	maxSchedules = 500
	// atLeast is how often the due times are looked at while a schedule is on: the machine may
	// have slept, and its clock may have been set.
	atLeast = time.Minute
	// tryAgain is when what could not be saved is tried again.
	tryAgain = 10 * time.Second
	// grace is how late a run may begin without counting as missed.
	grace = 2 * time.Minute
	// doneKept is how long a schedule that was due once is listed after its run.
	doneKept = 7 * 24 * time.Hour
	// kindSchedule is the kind of the records in the store.
	kindSchedule = "schedule"
)

// Points of a run at which tests stop the daemon (Options.Pause).
const (
	PauseClaimed = "schedule-claimed" // it is recorded that a due time will be dealt with
	PauseAdded   = "schedule-added"   // the task was added, which is not recorded
)

// Store keeps records: daemon/store.
type Store interface {
	SaveIntake(kind, id string, record []byte) error
	Intake(ctx context.Context, kind string) (map[string][]byte, error)
}

// Tasks is the queue: daemon/queue.
type Tasks interface {
	// AddApproved adds tasks that also start while the queue is in mode manual. With the Request
	// of an earlier call it returns the tasks of that.
	AddApproved(ctx context.Context, list []api.NewTask) ([]api.Task, error)
	Lookup(ctx context.Context, ref string) (api.Task, error)
	// Usable fails if a task like that would be refused.
	Usable(ctx context.Context, n api.NewTask) error
}

// Prompts keeps prompts for sessions: daemon/pending.
type Prompts interface {
	Add(ctx context.Context, ref string, n api.NewPending) (api.PendingPrompt, error)
	List(ctx context.Context, session string) ([]api.PendingPrompt, error)
}

// Sessions finds sessions.
type Sessions interface {
	Get(ctx context.Context, ref string) (api.Session, error)
}

// Journal publishes events.
type Journal interface {
	Append(msg api.WatchMessage, record []byte, key string) <-chan error
}

// Options join the schedules with the daemon. All but Alarms are needed.
type Options struct {
	Store    Store
	Tasks    Tasks
	Prompts  Prompts
	Sessions Sessions
	Journal  Journal
	// Config returns the configuration in force.
	Config func() *config.Loaded
	// Env is the environment of tasks of the configuration.
	Env    []string
	Now    func() time.Time
	Local  *time.Location
	Alarms *timer.Clock
	// Pause is called at the points named Pause…, for tests.
	Pause  func(point string)
	Logger *slog.Logger
}

// record is a schedule as it is saved.
type record struct {
	api.Schedule
	// Env is the environment of its tasks, for one that a call made; Extra are K=V pairs of one that
	// a file has.
	Env   []string `json:"env,omitempty"`
	Extra []string `json:"extra,omitempty"`
	// Through is the time up to which due times were dealt with.
	Through time.Time `json:"through"`
	// Claim is the due time that is being dealt with; nil: none.
	Claim *claim `json:"claim,omitempty"`
	// Request is the call that made it.
	Request string `json:"request,omitempty"`
	rule    calendar.Rule
}

// claim is what is known of a run before it begins.
type claim struct {
	Due    time.Time `json:"due"`
	Key    string    `json:"key"`
	Missed int       `json:"missed,omitempty"`
	Late   string    `json:"late,omitempty"`
	Force  bool      `json:"force,omitempty"` // by hand
}

// Schedules runs schedules. Make one with Open; Run it once. Its methods are safe for concurrent use.
type Schedules struct {
	o    Options
	wake chan struct{} // one slot

	mu sync.Mutex
	// all are the schedules by id; what is in it is not changed but replaced.
	all map[string]*record
	// from is the configuration whose schedules are among them.
	from *config.Loaded
}

// Open reads the schedules.
func Open(ctx context.Context, o Options) (*Schedules, error) {
	s := &Schedules{o: o, wake: make(chan struct{}, 1), all: map[string]*record{}}
	rows, err := o.Store.Intake(ctx, kindSchedule)
	if err != nil {
		return nil, err
	}
	for id, row := range rows {
		var r record
		if err := json.Unmarshal(row, &r); err != nil {
			o.Logger.Error("a schedule cannot be read and is left out", "schedule", id, "error", err)
			continue
		}
		if r.rule, err = ruleOf(r.Schedule, o.Local); err != nil && r.State != api.ScheduleFaulty { // its time zone is not there any more
			r.State, r.Reason = api.ScheduleFaulty, err.Error()
		}
		s.all[id] = &r
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readConfig()
	return s, nil
}

// ruleOf is the rule of a schedule.
func ruleOf(v api.Schedule, local *time.Location) (calendar.Rule, error) {
	if at, err := time.Parse(time.RFC3339, v.When); err == nil {
		return calendar.At(at), nil
	}
	zone, err := calendar.Zone(v.Zone, local)
	if err != nil {
		return calendar.Rule{}, err
	}
	return calendar.Cron(v.When, zone)
}

// Run runs what is due until ctx ends.
func (s *Schedules) Run(ctx context.Context) {
	for {
		next := s.look(ctx)
		var due chan struct{}
		var alarm *timer.Alarm
		if !next.IsZero() {
			due = make(chan struct{})
			alarm = s.o.Alarms.AfterFunc(max(time.Millisecond, min(atLeast, next.Sub(s.o.Now()))), func() { close(due) })
		}
		select {
		case <-due:
		case <-s.wake:
		case <-ctx.Done():
		}
		if alarm != nil {
			alarm.Stop()
		}
		if ctx.Err() != nil {
			return
		}
	}
}

// Changed has the schedules of the configuration read again.
func (s *Schedules) Changed() { s.ring() }

func (s *Schedules) ring() {
	select {
	case s.wake <- struct{}{}:
	default: // it will look
	}
}

// look deals with what is due, and returns when to look again; zero: when something changes.
func (s *Schedules) look(ctx context.Context) (next time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readConfig()
	for _, id := range slices.Sorted(maps.Keys(s.all)) {
		if ctx.Err() != nil {
			return next
		}
		_ = contain.Call(s.o.Logger, func() error { s.tend(ctx, *s.all[id]); return nil })
		r := s.all[id]
		if r == nil {
			continue
		}
		at := time.Time{}
		switch {
		case r.Claim != nil, r.Next != nil && !r.Next.After(s.o.Now()): // it could not be saved, or its task not added
			at = s.o.Now().Add(tryAgain)
		case r.Next != nil:
			at = *r.Next
		case r.State == api.ScheduleFaulty:
			at = s.o.Now().Add(atLeast)
		}
		if !at.IsZero() && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	return next
}

// tend deals with the due times of a schedule.
func (s *Schedules) tend(ctx context.Context, r record) {
	now := s.o.Now()
	switch {
	case r.Claim != nil:
		s.finish(ctx, r)
		return
	case r.State == api.ScheduleDone && r.Last != nil && now.Sub(r.Last.At) > doneKept:
		_ = s.drop(r.ID)
		return
	case r.State != api.ScheduleOn:
		return
	case r.Through.After(now.Add(24 * time.Hour)): // the clock was put back
		r.Through = now
		_ = s.save(r)
		return
	case r.Next == nil || r.Next.After(now):
		return
	}
	due, missed := r.rule.Due(r.Through, now)
	if due.IsZero() { // other rules of the time zone than when it was saved
		_ = s.save(r)
		return
	}
	r.Through = due
	late := now.Sub(due) > grace
	if late && r.Missed == api.MissedSkip {
		s.ended(r, api.ScheduleRun{Due: due.UTC(), Outcome: api.RunMissed, Missed: missed + 1, Reason: "ccdir did not run then"}, false)
		return
	}
	r.Claim = &claim{Due: due, Missed: missed, Key: fmt.Sprintf("%s-%x-%x", r.ID[:min(20, len(r.ID))], r.Created.Unix(), due.Unix())}
	if late {
		r.Claim.Missed, r.Claim.Late = missed+1, "ccdir did not run at "+due.In(s.o.Local).Format(time.DateTime)
	}
	if s.save(r) != nil {
		return // the due time is as it was: it is looked at again
	}
	s.o.Pause(PauseClaimed)
	s.finish(ctx, r)
}

// finish carries out the claim of a schedule. One that cannot be carried out now stays.
func (s *Schedules) finish(ctx context.Context, r record) {
	run := api.ScheduleRun{Due: r.Claim.Due.UTC(), Missed: r.Claim.Missed, Reason: r.Claim.Late, Outcome: api.RunStarted}
	busy := ""
	if !r.Overlap && !r.Claim.Force {
		busy = s.busy(ctx, r)
	}
	var err error
	switch {
	case busy != "":
		run.Outcome, run.Reason = api.RunSkipped, busy
	case r.To != "":
		var p api.PendingPrompt
		p, err = s.o.Prompts.Add(ctx, r.To, api.NewPending{Text: r.Prompt, Request: r.Claim.Key})
		run.Pending = p.ID
	default:
		n := *r.Task
		n.Env, n.Request = r.Env, r.Claim.Key
		if r.Source != "" {
			n.Env = s.o.Env
		}
		n.Env = slices.Concat(n.Env, r.Extra)
		n.Labels = append(n.Labels[:len(n.Labels):len(n.Labels)], "schedule:"+r.ID)
		var list []api.Task
		if list, err = s.o.Tasks.AddApproved(ctx, []api.NewTask{n}); err == nil {
			run.Task = list[0].ID
		}
	}
	if code := api.CodeOf(err); err != nil && (code == api.CodeInternal || ctx.Err() != nil) {
		s.o.Logger.Warn("a schedule cannot run now, and will be tried again", "schedule", r.ID, "error", err)
		s.all[r.ID] = &r
		return
	}
	if err != nil {
		run.Outcome, run.Reason = api.RunFailed, err.Error()
		if r.To != "" && api.CodeOf(err) == api.CodeNotFound {
			r.State, r.Reason = api.SchedulePaused, "its session was removed: `ccdir schedule edit "+r.ID+" --to SESSION`, then `schedule resume`"
		}
	} else if busy == "" {
		s.o.Pause(PauseAdded)
	}
	byHand := r.Claim.Force
	r.Claim = nil
	s.ended(r, run, byHand)
}

// busy says that the task or prompt of the run before is not done, "" if it is.
func (s *Schedules) busy(ctx context.Context, r record) string {
	switch {
	case r.Last == nil:
	case r.Last.Task != "":
		if t, err := s.o.Tasks.Lookup(ctx, r.Last.Task); err == nil && !t.State.Ended() && t.Request != r.Claim.Key {
			return fmt.Sprintf("task %s of the run before is %s", t.ID, t.State)
		}
	case r.Last.Pending != "":
		list, err := s.o.Prompts.List(ctx, r.To)
		if err == nil && slices.ContainsFunc(list, func(p api.PendingPrompt) bool { return p.ID == r.Last.Pending && p.State == api.PendingWaits }) {
			return fmt.Sprintf("the prompt %s of the run before is still pending", r.Last.Pending)
		}
	}
	return ""
}

// ended records and tells what became of a due time.
func (s *Schedules) ended(r record, run api.ScheduleRun, byHand bool) {
	run.At = s.o.Now().UTC()
	if run.Task == "" && run.Pending == "" && r.Last != nil { // what an overlap is measured by
		run.Task, run.Pending = r.Last.Task, r.Last.Pending
	}
	r.Last = &run
	if r.rule.Once() && r.State == api.ScheduleOn && !byHand {
		r.State = api.ScheduleDone
	}
	if s.save(r) == nil {
		s.tell(s.all[r.ID].Schedule, said(run))
	}
}

// said is a run in words.
func said(run api.ScheduleRun) string {
	text := ""
	switch run.Outcome {
	case api.RunStarted:
		text = "added task " + run.Task
		if run.Pending != "" {
			text = "kept prompt " + run.Pending
		}
		if run.Missed > 0 {
			text += fmt.Sprintf(" for %d missed", run.Missed)
		}
	case api.RunSkipped:
		text = "skipped"
	case api.RunMissed:
		text = fmt.Sprintf("missed %d", run.Missed)
	case api.RunFailed:
		text = "failed"
	}
	if run.Reason != "" {
		text += ": " + run.Reason
	}
	return text
}

// save saves a schedule with its next due time, and has it in place of the one before.
func (s *Schedules) save(r record) error {
	r.Next = nil
	if r.State == api.ScheduleOn {
		if next := r.rule.Next(r.Through); !next.IsZero() {
			next = next.UTC()
			r.Next = &next
		}
	}
	data, err := json.Marshal(r)
	if err == nil {
		err = s.o.Store.SaveIntake(kindSchedule, r.ID, data)
	}
	if err != nil {
		s.o.Logger.Error("a schedule cannot be saved", "schedule", r.ID, "error", err)
		return err
	}
	s.all[r.ID] = &r
	return nil
}

func (s *Schedules) drop(id string) error {
	if err := s.o.Store.SaveIntake(kindSchedule, id, nil); err != nil {
		return err
	}
	delete(s.all, id)
	return nil
}

// tell publishes an event and waits until it is visible.
func (s *Schedules) tell(v api.Schedule, message string) {
	data, _ := json.Marshal(v) // cannot fail
	<-s.o.Journal.Append(api.WatchMessage{Event: &api.Event{At: s.o.Now().UTC(), Session: v.To, Type: api.EventSchedule, Source: "daemon",
		Message: cmp.Or(v.Name, v.ID) + ": " + message, Data: data}}, nil, "")
}

// number is the number in an id that a call made, 0 for others.
func number(id string) int {
	digits, found := strings.CutPrefix(id, "s")
	n, err := strconv.Atoi(digits)
	if !found || err != nil {
		return 0
	}
	return n
}
