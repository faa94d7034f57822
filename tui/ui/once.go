package ui

import (
	"crypto/rand"
	"errors"
	"slices"

	"ccdir/api"
)

// What is made (a session, a task) has a name of its own, by which it is made once,
// however often the client asks: it repeats a call while the daemon is away. If the
// person gives up meanwhile, or it takes too long, and nobody knows whether it was made,
// the same thing asked for again is the same call.

// Making is a call to make something whose outcome is unknown; the zero value is none.
type Making struct {
	Session *api.NewSession
	Task    *api.NewTask
	// Kept: an earlier grid asked for it, perhaps from elsewhere: the text alone says
	// whether it is the same.
	Kept bool
}

// NewRequest names a call.
func NewRequest() string { return "tui-" + rand.Text() }

// NamedSession gives the call that makes n its name: that of the one before if this is
// the same, which the size of the terminal is no part of.
func (u *Making) NamedSession(n api.NewSession) api.NewSession {
	if old := u.Session; old != nil && u.Kept && old.Prompt == n.Prompt {
		return *old
	}
	if old := u.Session; old != nil && old.Prompt == n.Prompt && old.CWD == n.CWD && old.Agent == n.Agent && old.Model == n.Model && old.Role == n.Role && old.Name == n.Name &&
		old.Worktree == n.Worktree && old.AskSetup == n.AskSetup && slices.Equal(old.Env, n.Env) {
		return *old
	}
	n.Request = NewRequest()
	return n
}

// NamedTask is NamedSession for a task.
func (u *Making) NamedTask(n api.NewTask) api.NewTask {
	if old := u.Task; old != nil && u.Kept && old.Prompt == n.Prompt {
		return *old
	}
	if old := u.Task; old != nil && old.Prompt == n.Prompt && old.CWD == n.CWD && old.Agent == n.Agent && old.Model == n.Model &&
		old.Worktree == n.Worktree && old.Base == n.Base && old.Priority == n.Priority && old.Retries == n.Retries && slices.Equal(old.After, n.After) && slices.Equal(old.Env, n.Env) {
		return *old
	}
	n.Request = NewRequest()
	return n
}

// unsureHint follows the reason why a call has no answer.
func unsureHint(where string) string {
	return "; " + where + " shows it when the daemon is back. Sent again as it is, none is made twice"
}

// NotMade says why something was not made, or that this is not known.
func NotMade(made, not string, where string, cancelled bool, err error) string {
	switch {
	case api.Unsure(err) && cancelled:
		return "cancelled: whether it was " + made + " is not known" + unsureHint(where)
	case api.Unsure(err):
		return "whether it was " + made + " is not known (" + Problem(Unwrapped(err)) + ")" + unsureHint(where)
	case cancelled:
		return "cancelled: it was not " + made
	}
	return not + Problem(err)
}

// Unwrapped is the reason of an error that leaves open what happened.
func Unwrapped(err error) error {
	var e *api.UnsureError
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}
