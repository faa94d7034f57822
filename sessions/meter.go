package sessions

import (
	"context"
	"time"

	"ccdir/agents"
	"ccdir/api"
)

// Limits learns what agents tell of their accounts' limits. Its methods are safe for concurrent use and
// do not block.
type Limits interface {
	// Told takes the report of a session's agent, which is of that kind; account is the session's.
	Told(session, agent, account string, m agents.Metered)
}

// metered takes an agent's report of its usage. It is no event: the next one replaces it.
func (s *session) metered(ctx context.Context, meter agents.Meter, at time.Time, payload []byte) error {
	m, err := meter.ReadMeter(at, payload)
	if err != nil {
		return api.Errorf(api.CodeInvalid, "%s", err)
	}
	if s.r.o.Limits != nil && len(m.Samples) > 0 {
		account := ""
		if err := s.do(ctx, func() { account = s.cur.Account }); err != nil {
			return err
		}
		s.r.o.Limits.Told(s.id, s.adapter.Kind(), account, m)
	}
	return s.commit(ctx, func() (<-chan error, error) {
		if m.Conversation != "" && s.cur.Conversation != "" && m.Conversation != s.cur.Conversation {
			return s.publish(change{}, false), nil // of one that it has left
		}
		before := s.cur
		if m.ContextLeft != nil && m.ContextTokens > 0 {
			s.cur.ContextLeft, s.cur.ContextTokens, s.meter.context = m.ContextLeft, m.ContextTokens, true
		}
		if m.CostUSD != nil {
			s.cur.CostUSD, s.meter.cost = *m.CostUSD, true
		}
		if s.cur.Model == "" {
			s.cur.Model = agents.Visible(m.Model, maxModelShown)
		}
		return s.publish(change{}, !sameSession(before, s.cur)), nil
	})
}

// meter is what the agent's process tells by itself since it started: its file of the conversation knows
// that later, or not as well.
type meter struct{ context, cost bool }
