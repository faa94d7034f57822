package intake

import (
	"context"
	"reflect"
	"strconv"
	"time"

	"ccdir/api"
	"ccdir/config"
	"ccdir/orchestrator/calendar"
)

// fromConfig is Source of schedules of config.toml.
const fromConfig = "config"

func itoa(n int) string { return strconv.Itoa(n) }

// readConfig takes the schedules of the configuration, if that has changed. What is the same goes
// on as it was; a new one, and other due times, count from now on. One that could not run is looked at each time: its session may
// be there now. The caller holds mu.
func (s *Schedules) readConfig() {
	now := s.o.Config()
	if now.Broken() {
		return
	}
	if now == s.from {
		for _, c := range now.Schedules {
			if r := s.all[c.Name]; r != nil && r.State == api.ScheduleFaulty {
				s.takeConfig(c)
			}
		}
		return
	}
	s.from = now
	names := map[string]bool{}
	for _, c := range now.Schedules {
		names[c.Name] = true
		s.takeConfig(c)
	}
	for _, id := range gone(s.all, names) {
		v := s.all[id].Schedule
		if s.drop(id) == nil {
			s.tell(v, "removed from config.toml")
		}
	}
}

// takeConfig takes one schedule of the configuration.
func (s *Schedules) takeConfig(c config.Schedule) {
	old := s.all[c.Name]
	r := record{Through: s.o.Now(), Extra: c.Task.ExtraEnv, Schedule: api.Schedule{
		ID: c.Name, Source: fromConfig, Created: s.o.Now().UTC(), State: api.ScheduleOn, Missed: c.Missed, Overlap: c.Overlap, Zone: c.Zone,
	}}
	c.Task.ExtraEnv = nil
	err := s.due(&r, c.When, c.At, true)
	if now := s.o.Now(); err == nil && c.At != "" {
		if first, _ := calendar.Moment(c.At, time.UTC, now); !first.Equal(later(c.At, now)) {
			err = api.Errorf(api.CodeInvalid, "at is a day and a time in a file, such as \"2026-12-24 07:30\"")
		}
	}
	if err == nil {
		err = s.what(context.Background(), &r, c.To, c.Task)
	}
	if err != nil {
		r.When, r.State, r.Reason, r.Prompt = c.When+c.At, api.ScheduleFaulty, err.Error(), c.Task.Prompt
	}
	if r.State == api.ScheduleOn && r.rule.Once() && r.rule.Next(r.Through).IsZero() {
		r.State, r.Reason = api.ScheduleDone, "its time had passed when it was read"
	}
	if old != nil {
		r.Created, r.Last, r.Claim = old.Created, old.Last, old.Claim
		if old.When == r.When && old.Zone == r.Zone && (old.State == api.ScheduleFaulty) == (r.State == api.ScheduleFaulty) {
			r.Through = old.Through
		}
		if r.State != api.ScheduleFaulty && old.State == api.ScheduleOn && old.When == r.When {
			r.State, r.Reason = api.ScheduleOn, ""
		}
		if r.State == api.ScheduleOn && (old.State == api.SchedulePaused || old.State == api.ScheduleDone) && old.When == r.When {
			r.State, r.Reason = old.State, old.Reason
		}
		if same(r, *old) {
			s.all[c.Name].rule = r.rule
			return
		}
	}
	if s.save(r) != nil {
		return
	}
	v := s.all[r.ID].Schedule
	switch {
	case r.State == api.ScheduleFaulty:
		s.tell(v, "cannot run: "+r.Reason)
	case old != nil && old.State == api.ScheduleFaulty:
		s.tell(v, "can run now"+nextIn(v, s.o.Local))
	case old == nil:
		s.tell(v, "taken from config.toml"+nextIn(v, s.o.Local))
	default:
		s.tell(v, "changed in config.toml"+nextIn(v, s.o.Local))
	}
}

// later is what a time means a day later.
func later(at string, now time.Time) time.Time {
	t, _ := calendar.Moment(at, time.UTC, now.AddDate(0, 0, 1))
	return t
}

// same reports whether two schedules are the same but for the next due time.
func same(a, b record) bool {
	a.Next, a.rule = nil, b.rule
	b.Next = nil
	return reflect.DeepEqual(a, b)
}
