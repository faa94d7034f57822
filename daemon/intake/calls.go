package intake

import (
	"cmp"
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"ccdir/api"
	"ccdir/orchestrator"
	"ccdir/orchestrator/calendar"
)

// nameOK: a name becomes a word of the command line.
var nameOK = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$`) })

// List lists the schedules: those that are due next first, then the others.
func (s *Schedules) List() []api.Schedule {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readConfig()
	list := make([]api.Schedule, 0, len(s.all))
	for _, r := range s.all {
		list = append(list, r.Schedule)
	}
	slices.SortFunc(list, func(a, b api.Schedule) int {
		if (a.Next == nil) != (b.Next == nil) {
			return map[bool]int{true: 1, false: -1}[a.Next == nil]
		}
		if a.Next != nil && !a.Next.Equal(*b.Next) {
			return a.Next.Compare(*b.Next)
		}
		return cmp.Or(cmp.Compare(number(a.ID), number(b.ID)), cmp.Compare(a.ID, b.ID))
	})
	return list
}

// Get returns a schedule by its id or name.
func (s *Schedules) Get(ref string) (api.Schedule, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.find(ref)
	return r.Schedule, err
}

// find returns a schedule by its id or name; the caller holds mu.
func (s *Schedules) find(ref string) (record, error) {
	if r := s.all[ref]; r != nil {
		return *r, nil
	}
	for _, r := range s.all {
		if r.Name == ref && ref != "" {
			return *r, nil
		}
	}
	return record{}, api.Errorf(api.CodeNotFound, "no schedule %.40q: `ccdir schedule ls` lists them", ref)
}

// Add makes a schedule. A call with the Request of an earlier one returns what that made.
func (s *Schedules) Add(ctx context.Context, n api.NewSchedule) (api.Schedule, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	made, last := 0, 0
	for _, r := range s.all {
		if n.Request != "" && r.Request == n.Request {
			return r.Schedule, nil
		}
		if r.Source == "" {
			made++
		}
		last = max(last, number(r.ID))
	}
	if made >= maxSchedules {
		return api.Schedule{}, api.Errorf(api.CodeLimit, "there are %d schedules already: remove some (`ccdir schedule rm`)", made)
	}
	now := s.o.Now()
	r := record{Request: n.Request, Env: n.Task.Env, Through: now, Schedule: api.Schedule{
		ID: "s" + itoa(last+1), Created: now.UTC(), State: api.ScheduleOn, Missed: n.Missed, Overlap: n.Overlap, Zone: n.Zone,
	}}
	n.Task.Env = nil
	if err := s.name(&r, n.Name); err != nil {
		return api.Schedule{}, err
	}
	if err := s.due(&r, n.When, n.At, false); err != nil {
		return api.Schedule{}, err
	}
	if err := s.what(ctx, &r, n.To, n.Task); err != nil {
		return api.Schedule{}, err
	}
	if err := s.save(r); err != nil {
		return api.Schedule{}, err
	}
	v := s.all[r.ID].Schedule
	s.tell(v, "made"+nextIn(v, s.o.Local))
	s.ring()
	return v, nil
}

// nextIn is the next due time in words.
func nextIn(v api.Schedule, local *time.Location) string {
	if v.Next == nil {
		return ""
	}
	return ", next at " + v.Next.In(local).Format("2006-01-02 15:04 MST")
}

// name gives a schedule a name that no other one has.
func (s *Schedules) name(r *record, name string) error {
	if name != "" && (!nameOK().MatchString(name) || number(name) > 0) {
		return api.Errorf(api.CodeInvalid, "the name %.40q is not allowed: use letters, digits, '-', '_' and '.', and not s with a number", name)
	}
	if other, err := s.find(name); err == nil && other.ID != r.ID {
		return api.Errorf(api.CodeConflict, "schedule %s is called %q: choose another name", other.ID, name)
	}
	r.Name = name
	return nil
}

// due sets when a schedule is due, by a cron expression or a time (past: one that has passed, too),
// and what becomes of missed runs.
func (s *Schedules) due(r *record, when, at string, past bool) (err error) {
	r.Missed = cmp.Or(r.Missed, api.MissedOnce)
	if r.Missed != api.MissedOnce && r.Missed != api.MissedSkip {
		return api.Errorf(api.CodeInvalid, "missed is %q or %q, not %.40q", api.MissedOnce, api.MissedSkip, string(r.Missed))
	}
	zone, err := calendar.Zone(r.Zone, s.o.Local)
	if err != nil {
		return api.Errorf(api.CodeInvalid, "%v", err)
	}
	if (when == "") == (at == "") {
		return api.Errorf(api.CodeInvalid, "a schedule needs a cron expression or a time (at), and not both")
	}
	if at == "" {
		r.rule, err = calendar.Cron(when, zone)
		r.When = strings.Join(strings.Fields(when), " ")
	} else {
		var moment time.Time
		if moment, err = calendar.Moment(at, zone, s.o.Now()); err == nil && !past && !moment.After(s.o.Now()) {
			return api.Errorf(api.CodeInvalid, "%.40q has passed", at)
		}
		moment = moment.Add(time.Second - 1).Truncate(time.Second)
		r.rule, r.When = calendar.At(moment), moment.In(zone).Format(time.RFC3339)
	}
	if err != nil {
		return api.Errorf(api.CodeInvalid, "%v", err)
	}
	return nil
}

// what sets what a schedule does: a prompt for a session, or a task.
func (s *Schedules) what(ctx context.Context, r *record, to string, n api.NewTask) error {
	r.Prompt = n.Prompt
	if to == "" {
		r.Task, r.To = &n, ""
		if strings.TrimSpace(n.Prompt) == "" && len(n.Steps) == 0 {
			return api.Errorf(api.CodeInvalid, "the prompt is empty")
		}
		if len(n.After) > 0 || n.Continue != "" || n.Conversation != "" || n.Name != "" {
			return api.Errorf(api.CodeInvalid, "the tasks of a schedule have no name, follow no other task and go on with no conversation: --to SESSION gives a prompt to a session")
		}
		return s.o.Tasks.Usable(ctx, n)
	}
	session, err := s.o.Sessions.Get(ctx, to)
	switch {
	case err != nil:
		return err
	case session.External:
		return api.Errorf(api.CodeConflict, "session %s has no pane, so nothing can be typed into it", session.Name)
	case strings.TrimSpace(n.Prompt) == "":
		return api.Errorf(api.CodeInvalid, "the prompt is empty")
	case len(n.Prompt) > maxPrompt:
		return api.Errorf(api.CodeTooLarge, "the prompt is longer than %d bytes", maxPrompt)
	}
	r.To, r.Task = session.ID, nil
	return nil
}

// maxPrompt bounds a prompt for a session, in bytes.
const maxPrompt = 1 << 20

// RunNow runs a schedule at once, whatever else is due. A call with the key of an earlier one runs
// it once; key "": it runs.
func (s *Schedules) RunNow(ctx context.Context, ref, key string) (api.Schedule, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.find(ref)
	if err != nil {
		return api.Schedule{}, err
	}
	if r.State == api.ScheduleFaulty {
		return r.Schedule, api.Errorf(api.CodeConflict, "schedule %s cannot run: %s", r.ID, r.Reason)
	}
	if r.Claim != nil {
		return r.Schedule, api.Errorf(api.CodeConflict, "schedule %s runs already", r.ID)
	}
	now := s.o.Now()
	r.Claim = &claim{Due: now, Force: true, Key: cmp.Or(key, r.ID+"-"+itoa(int(now.UnixNano())))}
	if err := s.save(r); err != nil {
		return r.Schedule, err
	}
	s.finish(ctx, r)
	v := s.all[r.ID].Schedule
	if v.Last != nil && v.Last.Outcome == api.RunFailed {
		return v, api.Errorf(api.CodeConflict, "schedule %s: %s", r.ID, v.Last.Reason)
	}
	return v, nil
}

// Pause keeps a schedule from running.
func (s *Schedules) Pause(ref string) (api.Schedule, error) {
	return s.change(ref, func(r *record) (string, error) {
		switch r.State {
		case api.SchedulePaused:
			r.Reason = ""
			return "", nil
		case api.ScheduleOn:
			r.State, r.Reason = api.SchedulePaused, ""
			return "paused", nil
		}
		return "", api.Errorf(api.CodeConflict, "schedule %s is %s: there is nothing to pause", r.ID, r.State)
	})
}

// Resume lets a schedule run again, from now on.
func (s *Schedules) Resume(ref string) (api.Schedule, error) {
	return s.change(ref, func(r *record) (string, error) {
		switch {
		case r.State == api.ScheduleOn:
			return "", nil
		case r.State != api.SchedulePaused:
			return "", api.Errorf(api.CodeConflict, "schedule %s is %s: `ccdir schedule edit` gives it other times", r.ID, r.State)
		case r.rule.Once() && r.rule.Next(s.o.Now()).IsZero():
			return "", api.Errorf(api.CodeConflict, "the time of schedule %s has passed: `ccdir schedule edit %[1]s --once AT` gives it another one, `schedule run` runs it now", r.ID)
		}
		r.State, r.Reason, r.Through = api.ScheduleOn, "", s.o.Now()
		return "resumed", nil
	})
}

// change changes a schedule and tells it; what is "" if nothing is to be told.
func (s *Schedules) change(ref string, do func(*record) (what string, err error)) (api.Schedule, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.find(ref)
	if err != nil {
		return api.Schedule{}, err
	}
	what, err := do(&r)
	if err != nil {
		return r.Schedule, err
	}
	if err := s.save(r); err != nil {
		return r.Schedule, err
	}
	v := s.all[r.ID].Schedule
	if what != "" {
		s.tell(v, what+nextIn(v, s.o.Local))
	}
	s.ring()
	return v, nil
}

// Remove forgets a schedule; its tasks and prompts stay.
func (s *Schedules) Remove(ref string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.find(ref)
	if err != nil {
		return err
	}
	if r.Source == fromConfig {
		return api.Errorf(api.CodeConflict, "schedule %s is written in config.toml: take it out there, or `ccdir schedule pause %[1]s`", r.ID)
	}
	if err := s.drop(r.ID); err != nil {
		return err
	}
	s.tell(r.Schedule, "removed")
	return nil
}

// Edit changes a schedule. Other due times count from now on.
func (s *Schedules) Edit(ctx context.Context, ref string, e api.EditSchedule) (api.Schedule, error) {
	return s.change(ref, func(r *record) (string, error) {
		if r.Source != "" {
			return "", api.Errorf(api.CodeConflict, "schedule %s is written in %s: change it there", r.ID, map[bool]string{true: "config.toml", false: r.Source}[r.Source == fromConfig])
		}
		if e.Name != nil {
			if err := s.name(r, *e.Name); err != nil {
				return "", err
			}
		}
		if e.Missed != nil {
			r.Missed = *e.Missed
		}
		if e.Overlap != nil {
			r.Overlap = *e.Overlap
		}
		if e.When != nil || e.At != nil || e.Zone != nil || e.Missed != nil {
			if err := s.editDue(r, e); err != nil {
				return "", err
			}
		}
		n := api.NewTask{Prompt: r.Prompt}
		if r.Task != nil {
			n = *r.Task
		}
		to := r.To
		if e.To != nil {
			to = *e.To
		}
		if to == "" && r.Task == nil {
			return "", api.Errorf(api.CodeInvalid, "schedule %s gives its prompt to a session: name another one with --to, or make a schedule of tasks with `ccdir schedule add`", r.ID)
		}
		return "changed", s.what(ctx, r, to, orchestrator.Edited(n, e.Task))
	})
}

// editDue changes when a schedule is due. One that was done is on again.
func (s *Schedules) editDue(r *record, e api.EditSchedule) error {
	when, at := "", ""
	switch {
	case e.When != nil || e.At != nil:
		if e.When != nil {
			when = *e.When
		}
		if e.At != nil {
			at = *e.At
		}
	case r.rule.Once():
		at = r.When
	default:
		when = r.When
	}
	if e.Zone != nil {
		r.Zone = *e.Zone
	}
	if e.When == nil && e.At == nil && r.State == api.ScheduleDone { // its time stays
		return nil
	}
	if err := s.due(r, when, at, false); err != nil {
		return err
	}
	if r.State == api.ScheduleDone {
		r.State = api.ScheduleOn
	}
	r.Through = s.o.Now()
	return nil
}

// Version is the state of a schedule for preconditions, "" if it is not there.
func (s *Schedules) Version(ref string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.find(ref)
	if err != nil {
		return ""
	}
	return r.ID
}

// gone are the ids of those of the configuration that are not in it any more.
func gone(all map[string]*record, names map[string]bool) (ids []string) {
	for id := range maps.Keys(all) {
		if all[id].Source == fromConfig && !names[id] {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}
