package sessions

import (
	"fmt"

	"ccdir/api"
)

// Errors of calls that the session's state does not allow, with advice; in the actor.

// notRunning is the error of a call that needs a process.
func (s *session) notRunning() error {
	more := "`ccdir output %s` shows what it left"
	if s.fold.State == api.StateLost { // a host that died saved no screen
		more = "`ccdir explain %s` tells what is known"
	}
	return api.Errorf(api.CodeNotRunning, "session %s is %s: %s, %s", s.cur.Name, s.fold.State, s.howAgain(), fmt.Sprintf(more, s.cur.Name))
}

// endedAlready is the error of ending a session that has ended.
func (s *session) endedAlready() error {
	return api.Errorf(api.CodeNotRunning, "session %s has ended already (%s): `ccdir rm %[1]s` takes it out of the list, %[3]s", s.cur.Name, s.fold.State, s.howAgain())
}

// howAgain says how to run the session again.
func (s *session) howAgain() string {
	switch {
	case s.spec.Run != nil && s.spec.Run.Print && s.spec.Run.Prompt == "":
		return "`ccdir task add` does its task's prompt once more"
	case s.outside:
		return "it begins again where it ran"
	}
	return fmt.Sprintf("`ccdir restart %s` begins it again", s.cur.Name)
}

// nameTaken is the error of a name that another session has; the caller holds mu.
func (r *Registry) nameTaken(name string) error {
	old := r.sessions[r.names[name]]
	if old != nil && !old.seen().running {
		return api.Errorf(api.CodeConflict, "the name %q is in use: choose another, or `ccdir rm` the old session", name)
	}
	return api.Errorf(api.CodeConflict, "the name %q is in use: choose another, or `ccdir rename` the session that has it", name)
}
