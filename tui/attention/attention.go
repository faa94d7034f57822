// Package attention calls a person who looks elsewhere: it knows which changes of sessions
// and tasks are to be told, waits until a state has lasted, tells by the ways that are
// configured, and brings back what was put off.
//
// It owns what is about to be told, whether the terminal is in front, which waits it has seen put
// off, what the person has looked at here, and the title of the window. It may ask for lines in the status line (ui.Say, ui.Warn), bytes for
// the terminal (ui.Emit), calls of the daemon, and the menu of times. What is pending is
// bounded: one notice a session, and maxTasks of tasks, of which further ones are dropped.
//
// Several grids may be attached: at a desk, from home, in two windows. Which of them the
// person will look at next nobody knows, so the bell and a terminal's notification go to
// each of them, once; a command, which does not belong to a terminal, runs once for all.
// If the person works in one of them and has the pane in view there, the others are silent.
package attention

import (
	"fmt"
	"time"

	"ccdir/api"
	"ccdir/tui/attention/notify"
	"ccdir/tui/ui"
)

// Notify says how a person who looks elsewhere is told of what happens.
type Notify struct {
	// Ways are the ways to tell, by the kind of event: "permission", "question",
	// "done", "failed" and "lost". Without any there are no notices.
	Ways map[string][]string
	// Command is run where a way is "command".
	Command []string
	// Claims keeps several grids from running it for the same event.
	Claims notify.Claims
}

// Means are the ways to the person from this terminal.
type Means struct {
	Notify
	Via notify.Via
	Env []string // of the command
}

// Times of notifications.
const (
	// settleFor is how long a state must last to be told: what a policy or the
	// lead answers at once is nobody's business.
	settleFor = time.Second
	// presentFor is how long after a key a person is thought to look at a
	// terminal that does not tell whether it is in front.
	presentFor = 2 * time.Minute
)

// State holds the notices that are due soon. The zero value is ready; the program's goroutine
// owns it.
type State struct {
	due   map[string]notice // pending notices, by session
	tasks []notify.Message  // pending notices of tasks
	// away: the terminal is not in front; tells: it says whether it is.
	away, tells bool
	// back is when the next snoozed wait comes back, next when the next notice is due; zero
	// if none.
	back, next time.Time
	// snoozes are until when sessions are put off, as last seen. The zero time stands
	// for those that were taken back here.
	snoozes map[string]time.Time
	looks
	returned bool   // what happened since the person left was said, or there was nothing
	since    string // the line that says it, until the person is here
	title    string // of the terminal's window, as it was set last
}

// notice is a change of a session, shown when it has lasted for settleFor.
type notice struct {
	event string
	state api.State
	since time.Time
	at    time.Time // when it is due
	until time.Time // it was put off until then
	seen  bool      // the other grids were told that somebody sees it here
}

// key names what is told: the same in all grids, another after each time that it was
// put off.
func (n notice) key(id string) string {
	key := fmt.Sprintf("%s/%s/%d", id, n.event, n.since.UnixNano())
	if !n.until.IsZero() {
		key += fmt.Sprintf("/%d", n.until.UnixNano())
	}
	return key
}

// InFront notes that the terminal says whether it is in front.
func (s *State) InFront(is bool) { s.away, s.tells = !is, true }

// Away reports whether the terminal said that it is not in front.
func (s *State) Away() bool { return s.away }

// NextWake is when Remind has something to do, the zero time if never.
func (s *State) NextWake() time.Time {
	if s.back.IsZero() || !s.next.IsZero() && s.next.Before(s.back) {
		return s.next
	}
	return s.back
}

// Changed notes what a person may want to be told of; before are the sessions as they
// were.
func (s *State) Changed(env ui.Env, how Notify, before []api.Session) {
	if len(how.Ways) == 0 {
		return
	}
	was := make(map[string]api.Session, len(before))
	for _, v := range before {
		was[v.ID] = v
	}
	for _, v := range env.Sessions {
		old, known := was[v.ID]
		switch {
		case !known && !v.State.NeedsPerson(), known && old.State == v.State && old.Since.Equal(v.Since):
			continue
		}
		delete(s.due, v.ID)
		if event := eventOf(old, v); event != "" && len(how.Ways[event]) > 0 {
			s.put(v.ID, notice{event: event, state: v.State, since: v.Since, at: env.Now.Add(settleFor)})
		}
	}
}

func (s *State) put(id string, n notice) {
	if s.due == nil {
		s.due = map[string]notice{}
	}
	s.due[id] = n
}

// eventOf is the event to notify of for a change of state; "" for none.
func eventOf(old, v api.Session) string {
	switch {
	case v.State == api.StatePermission:
		return "permission"
	case v.State == api.StateInput:
		return "question"
	case v.State == api.StateLost:
		return "lost"
	case v.State == api.StateExited && !old.State.Ended() && old.State != api.StateExiting:
		if v.ExitCode != nil && *v.ExitCode != 0 {
			return "failed"
		}
		return "done"
	case v.State == api.StateIdle && old.State == api.StateWorking && !v.Interrupted:
		return "done"
	}
	return ""
}

// present reports whether somebody is thought to look at this terminal.
func (s *State) present(env ui.Env) bool {
	return !s.away && (s.tells || typedLately(env))
}

// typedLately reports whether a key or the mouse was pressed here not long ago.
func typedLately(env ui.Env) bool { return env.Now.UnixNano()-env.Typed <= int64(presentFor) }
