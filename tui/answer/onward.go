package answer

import (
	"slices"
	"time"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/tui/ui"
)

// After an answer the bar goes on to what else waits. Nobody has read the next request when
// it comes, so keys are no answers to it at first.
const (
	unread = 700 * time.Millisecond // as long as a key that is held down takes to repeat
	// again is the pause in typing after which a key is an answer to it.
	again = 500 * time.Millisecond
)

// After is the bar for a request that came to the front by an answer to another one.
func After(env ui.Env, r api.Request) ui.Component {
	d := New(env, r).(bar)
	d.unread = env.Now.Add(unread)
	return d
}

// heldBack reports whether a key that would answer is for nobody yet, and says so.
func (d bar) heldBack(k ui.Key) (bar, bool) {
	if !k.At.Before(d.unread) {
		return d, false
	}
	switch k.Name {
	case "Up", "Down", "PPage", "NPage", "Home", "End", "Tab":
		return d, false
	}
	d.unread = k.At.Add(again)
	d.problem = "this is the next request: read it, then answer"
	return d, true
}

// onward asks for the request that comes after this one was answered, if one does; else what
// was typed meanwhile is for the pane.
func (d bar) onward(env ui.Env) []ui.Effect {
	if r := d.following(env); r != nil {
		return []ui.Effect{ui.Do{Action: keymap.Attention, Arg: r.ID}}
	}
	return []ui.Effect{ui.Arrived{}}
}

// stillWait says how many other sessions wait, unless one of them comes to the front now.
func (d bar) stillWait(env ui.Env) string {
	if d.following(env) != nil {
		return ""
	}
	return env.StillWait(d.req.Session)
}

// following is the request that comes after this one: of the same session, else by age and
// round and round. Those that were put off, that this answer was for, or that only their
// own terminal shows do not come.
func (d bar) following(env ui.Env) *api.Request {
	var first *api.Request
	at := slices.IndexFunc(env.Requests, func(r api.Request) bool {
		return r.Since.After(d.req.Since) || r.Since.Equal(d.req.Since) && r.ID > d.req.ID
	})
	for i := range env.Requests {
		r := &env.Requests[(max(at, 0)+i)%len(env.Requests)]
		v := env.Session(r.Session)
		if slices.Contains(d.answered, r.ID) || v == nil || v.External || env.Snoozed(*v, env.Now) {
			continue
		}
		if r.Session == d.req.Session {
			return r
		}
		if first == nil {
			first = r
		}
	}
	return first
}
