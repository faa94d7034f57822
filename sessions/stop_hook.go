package sessions

import (
	"context"
	"maps"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/sessions/state"
)

// continued asks AtStop whether an agent whose turn ends has something to go on with. If
// so, it marks the hook's evidence as continued and returns the hook's reply; "" lets the
// turn end.
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
