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

// HostedBy returns the session whose host is the process; ok is false if it is
// no host of a session that is known.
func (r *Registry) HostedBy(pid int, start string) (id string, ok bool) {
	for _, s := range r.all() {
		if p := s.hostProcess.Load(); p != nil && p.pid == pid && p.start == start {
			return s.id, true
		}
	}
	return "", false
}

// Marked returns the session that an environment names; ok is false if it names
// none that is known. proven: the token in it is that session's.
func (r *Registry) Marked(env []string) (id string, proven, ok bool) {
	named := agents.Getenv(env, api.EnvSession)
	if named == "" {
		return "", false, false
	}
	r.mu.Lock()
	s := r.sessions[named]
	r.mu.Unlock()
	if s == nil || s.outside {
		return "", false, false
	}
	return s.id, s.knows(agents.Getenv(env, api.EnvToken)), true
}

// SpeaksForPerson reports whether processes of the session count as the
// person's own: a shell or a plain command, where config.toml says so.
func (r *Registry) SpeaksForPerson(ctx context.Context, id string) bool {
	s, err := r.find(id)
	if err != nil || s.outside {
		return false
	}
	cfg, own := r.o.Config(), false
	if !cfg.ShellsAreYours {
		return false
	}
	err = s.do(ctx, func() { own = s.spec.Plain() })
	return err == nil && own
}

// noteHost remembers which process the host is, for HostedBy.
func (s *session) noteHost(pid int, start string) {
	s.hostProcess.Store(&processRef{pid: pid, start: start})
}

// RoleClaimed implements hooks.RoleClaims: that the environment of a session claims
// another role than it has is recorded once, and changes nothing. Calls without the
// session's token are left to Hook, which refuses them.
func (r *Registry) RoleClaimed(ctx context.Context, id, token, role string) {
	s, err := r.authorise(id, token)
	if err != nil || r.o.Policy == nil {
		return
	}
	c, err := r.Caller(ctx, s.id)
	if err != nil || c.Role == role {
		return
	}
	if last := s.roleClaimed.Swap(&role); last != nil && *last == role {
		return
	}
	why := "the environment claims the role " + agents.Visible(role, maxRoleShown) + ": the session's is " + c.Role
	r.log.Warn("a role was claimed by the environment", "session", s.id, "why", why)
	r.o.Policy.Refused(s.id, "role", why)
}

// maxRoleShown bounds a claimed role in a record, in runes.
const maxRoleShown = 64
