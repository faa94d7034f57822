package attention

import (
	"context"
	"maps"
	"time"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/lists/chooser"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
)

// The daemon keeps what was put off (api.Session.SnoozedUntil), for all grids and the
// next attach. It ends that itself; here it is looked at as well, so that a wait comes
// back in time also without a daemon.

// snoozeFor are the times for which a session can be put off, by their keys.
var snoozeFor = []struct {
	key, text string
	d         time.Duration
}{
	{"1", "5 minutes", 5 * time.Minute}, {"2", "15 minutes", 15 * time.Minute},
	{"3", "1 hour", time.Hour}, {"4", "4 hours", 4 * time.Hour},
}

// snooze puts a session's wait off.
func snooze(v api.Session, d time.Duration, text string) ui.Effect {
	return ui.Call{What: "putting it off", Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		_, err := c.Snooze(ctx, v.ID, d)
		return ui.Result{Effects: []ui.Effect{ui.Say{Text: textsafe.Line(v.Name) + " asks again in " + text}}}, err
	}}
}

// unsnooze has a session ask again at once. Nobody is told of that: the person did it.
func (s *State) unsnooze(v api.Session) ui.Effect {
	const what = "taking it back"
	s.note(v.ID, time.Time{})
	return ui.Call{What: what,
		Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
			_, err := c.Snooze(ctx, v.ID, 0)
			return ui.Result{Effects: []ui.Effect{ui.Say{Text: textsafe.Line(v.Name) + " is no longer put off"}}}, err
		},
		Failed: func(_ ui.Env, err error) []ui.Effect {
			delete(s.snoozes, v.ID)
			return []ui.Effect{ui.Warn{Text: ui.Failure(what, err)}}
		},
	}
}

func (s *State) note(id string, until time.Time) {
	if s.snoozes == nil {
		s.snoozes = map[string]time.Time{}
	}
	s.snoozes[id] = until
}

// wakeSnoozed looks which waits are put off no more. Those whose time has come, or that
// ask something else, are told.
func (s *State) wakeSnoozed(env ui.Env) (effects []ui.Effect) {
	now := env.Now
	maps.DeleteFunc(s.snoozes, func(id string, until time.Time) bool {
		v := env.Session(id)
		over := v == nil || !v.PutOff(now)
		if !over || v == nil || !env.Waits(*v) || until.IsZero() {
			return over
		}
		if !now.Before(until) {
			effects = append(effects, ui.Warn{Text: textsafe.Line(v.Name) + " still waits for you"})
		}
		s.again(*v, until, now)
		return true
	})
	s.back = time.Time{}
	for _, v := range env.Sessions {
		if !v.PutOff(now) {
			continue
		}
		if old, known := s.snoozes[v.ID]; !known || !old.IsZero() {
			s.note(v.ID, v.SnoozedUntil)
		}
		if s.back.IsZero() || v.SnoozedUntil.Before(s.back) {
			s.back = v.SnoozedUntil
		}
	}
	return effects
}

// again tells of a session that was put off until then, and asks again.
func (s *State) again(v api.Session, until, now time.Time) {
	event := "permission"
	if v.State == api.StateInput {
		event = "question"
	}
	s.put(v.ID, notice{event: event, state: v.State, since: v.Since, at: now.Add(settleFor), until: until})
}

// Snooze asks for how long a session is put off; one that is put off asks again at once.
func (s *State) Snooze(env ui.Env, id string) []ui.Effect {
	v := env.Session(id)
	switch {
	case v == nil:
		return nil
	case env.Snoozed(*v, env.Now):
		return []ui.Effect{ui.Close{All: true}, s.unsnooze(*v)}
	case !env.Waits(*v):
		return []ui.Effect{ui.Say{Text: textsafe.Line(v.Name) + " does not wait for you"}}
	}
	var all []chooser.Pick
	for _, o := range snoozeFor {
		all = append(all, chooser.Pick{Text: o.text, Key: o.key, Effects: []ui.Effect{snooze(*v, o.d, o.text)}})
	}
	menu := chooser.New("not now: "+paint.Cut(textsafe.Line(v.Name), 30)+" asks again in", "", all)
	return []ui.Effect{ui.Close{All: true}, ui.Open{Component: menu}}
}

// SnoozeFocused puts off the focused session, or has it ask again; if it does not wait,
// it is about the one that has waited longest.
func (s *State) SnoozeFocused(env ui.Env) []ui.Effect {
	if v := env.Session(env.Focus); v != nil && env.Waits(*v) {
		return s.Snooze(env, v.ID)
	}
	if all := env.Waiting(env.Now); len(all) > 0 {
		return s.Snooze(env, all[0].ID)
	}
	return []ui.Effect{ui.Say{Text: "no session waits for you" + PutOffNote(env)}}
}

// PutOffNote names a session that is put off, and how it comes back; "" if there is none.
func PutOffNote(env ui.Env) string {
	for _, v := range env.Sessions {
		if env.Snoozed(v, env.Now) {
			return "; " + textsafe.Line(v.Name) + " is " + ui.PutOff(v, env.Now) + ": focus it and press " + env.Keys.Hint(keymap.Snooze) + " to have it ask again"
		}
	}
	return ""
}
