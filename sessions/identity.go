package sessions

import (
	"context"
	"slices"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/internal/text/textsafe"
)

// Identity is the session that a token belongs to.
type Identity struct {
	Session api.Session
	// Env is the environment of its process, without ccdir's own variables.
	Env []string
}

// Identify returns the session of a token. id is its id, or "" if the caller
// knows the token alone. The error is CodeForbidden for a token that is nobody's
// and for that of a session without a process.
func (r *Registry) Identify(ctx context.Context, id, token string) (Identity, error) {
	refused := api.Errorf(api.CodeForbidden, "the token is not that of a running session: a restart makes a new one")
	var found *session
	for _, s := range r.all() {
		// All are compared: the time must not tell which one it was.
		if (id == "" || s.id == id) && s.knows(token) {
			found = s
		}
	}
	if found == nil || found.outside {
		return Identity{}, refused
	}
	var who Identity
	err := found.do(ctx, func() {
		who.Session = found.cur
		who.Session.State, who.Session.Role = found.fold.State, found.spec.Role
		who.Env = slices.Clone(agents.TerminalEnv(found.spec.Env, api.Version))
	})
	if err != nil {
		return Identity{}, err
	}
	if who.Session.State.Ended() {
		return Identity{}, refused
	}
	if who.Session.Role == "" {
		who.Session.Role = api.RoleDev
	}
	return who, nil
}

// maxProgress bounds a line of progress, in runes.
const maxProgress = 120

// Progress notes what the session's agent says that it is doing; "" clears it.
func (r *Registry) Progress(ctx context.Context, ref, text string) error {
	s, err := r.find(ref)
	if err != nil {
		return err
	}
	line := []rune(textsafe.Line(text))
	if len(line) > maxProgress {
		line = append(line[:maxProgress-1], '…')
	}
	return s.commit(ctx, func() (<-chan error, error) {
		if s.cur.Progress == string(line) {
			return nil, nil
		}
		s.cur.Progress = string(line)
		return s.publish(change{}, true), nil
	})
}
