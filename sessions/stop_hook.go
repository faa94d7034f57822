package sessions

import (
	"context"
	"maps"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/sessions/state"
)

// continued asks, when an agent's turn ends, whether there is something that it is
// to go on with. If there is, the hook's evidence says that the turn goes on, and
// the hook's reply is returned; "" leaves the turn at its end.
func (r *Registry) continued(ctx context.Context, s *session, h *agents.Hook) (reply string) {
	c, ok := s.adapter.(agents.Continuer)
	if !ok || r.o.AtStop == nil || s.outside {
		return ""
	}
	again, ends := c.TurnEnds(*h)
	if !ends {
		return ""
	}
	text := r.o.AtStop(ctx, s.id, again)
	if text == "" {
		return ""
	}
	if reply = c.ContinueReply(text); reply != "" {
		fields := maps.Clone(h.Evidence.Fields)
		fields[state.FieldContinued] = "messages"
		h.Evidence.Fields, h.Evidence.Says = fields, api.StateWorking
	}
	return reply
}
