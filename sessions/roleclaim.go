package sessions

import (
	"context"

	"ccdir/agents"
)

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
	if last := s.claimed.Swap(&role); last != nil && *last == role {
		return
	}
	why := "the environment claims the role " + agents.Visible(role, maxRoleShown) + ": the session's is " + c.Role
	r.log.Warn("a role was claimed by the environment", "session", s.id, "why", why)
	r.o.Policy.Refused(s.id, "role", why)
}

// maxRoleShown bounds a claimed role in a record, in runes.
const maxRoleShown = 64
