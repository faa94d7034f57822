package sessions

import (
	"context"
	"slices"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/internal/text/textsafe"
	"ccdir/sessions/process"
)

// Identity is a session that has proved itself by its token.
type Identity struct {
	Session api.Session
	// Env is the environment of its process without ccdir's own variables.
	Env []string
	// Walls are those around its process.
	Walls Walls
}

// Identify returns the session of a token. id is the session's id, or "" if the caller
// knows only the token. The error is CodeForbidden if no session has the token, or its
// process has ended.
func (r *Registry) Identify(ctx context.Context, id, token string) (Identity, error) {
	refused := api.Errorf(api.CodeForbidden, "the token is not that of a running session: a restart makes a new one")
	var found *session
	for _, s := range r.all() {
		// Every token is compared, so that the duration reveals nothing.
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
		who.Walls = found.walls()
		who.Env = slices.Clone(agents.TerminalEnv(found.spec.Env, api.Version))
	})
	if err != nil {
		return Identity{}, err
	}
	if who.Session.State.Stopped() {
		return Identity{}, refused
	}
	if who.Session.Role == "" {
		who.Session.Role = api.RoleDev
	}
	return who, nil
}

// ToolsListed notes that the agent of a session has been sent the list of our tools.
func (r *Registry) ToolsListed(ctx context.Context, id string) {
	if s, err := r.find(id); err == nil {
		_ = s.do(ctx, func() { s.lacksTools = false }) // without it the first prompt waits its time
	}
}

// maxProgress bounds Session.Progress, in runes.
const maxProgress = 120

// Progress publishes the agent's own line about its work; "" clears it.
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

// HostedBy returns the session whose host is the given process; ok is false if there is
// none.
func (r *Registry) HostedBy(pid int, start string) (id string, ok bool) {
	for _, s := range r.all() {
		if p := s.seen().host; p.PID == pid && p.Start == start {
			return s.id, true
		}
	}
	return "", false
}

// Marked returns the session that an environment names; ok is false if there is none.
// proven: the environment holds that session's token.
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

// SpeaksForPerson reports whether processes of the session act for the person: it is a
// shell or a plain command, and config.toml allows that.
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

// noteHost sets the process that HostedBy knows as the host.
func (s *session) noteHost(pid int, start string) {
	s.tellAll(func(v *shared) { v.host = process.Ref{PID: pid, Start: start} })
}

// RoleClaimed implements hooks.RoleClaims: a role claimed by the environment that is not
// the session's is recorded once and changes nothing. Calls with a wrong token are left to
// Hook, which refuses them.
func (r *Registry) RoleClaimed(ctx context.Context, id, token, role string) {
	s, err := r.authorise(id, token)
	if err != nil || r.o.Policy == nil {
		return
	}
	own, fresh := "", false
	err = s.do(ctx, func() {
		own = s.caller().Role
		if fresh = own != role && s.roleClaimed != role; fresh {
			s.roleClaimed = role
		}
	})
	if err != nil || !fresh {
		return
	}
	why := "the environment claims the role " + agents.Visible(role, maxRoleShown) + ": the session's is " + own
	r.log.Warn("a role was claimed by the environment", "session", s.id, "why", why)
	r.o.Policy.Refused(s.id, "role", why)
}

// maxRoleShown bounds a claimed role in a record, in runes.
const maxRoleShown = 64
