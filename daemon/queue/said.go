package queue

import (
	"context"
	"time"

	"ccdir/agents"
	"ccdir/agents/adapters"
	"ccdir/agents/transcript"
	"ccdir/api"
	"ccdir/sessions"
)

// said sums up the consumption of an agent whose conversations only its adapter reads
// (agents.Conversationalist), as they grow.
type said struct {
	source transcript.Source // nil: not opened yet
	path   string            // of the conversation that source reads
	// turns are the model's answers and tokens of each turn: one answer more than tool calls.
	turns map[int]spent
}

// read reads on and returns the answers and tokens so far. Turns from before since do not
// count.
func (u *said) read(ctx context.Context, a agents.Conversationalist, c agents.Conversation, since time.Time) (turns int, tokens int64) {
	if u.source == nil || u.path != c.Path {
		u.source, u.path, u.turns = a.OpenConversation(c), c.Path, map[int]spent{}
	}
	if u.source != nil {
		_ = u.source.Read(ctx, func(t api.Turn) error { // what could be read counts
			if !t.At.Before(since) && (len(u.turns) < maxTurns || u.turns[t.Turn] != (spent{})) {
				used := t.Tokens
				u.turns[t.Turn] = spent{turns: t.ToolsFrom + len(t.Tools) + 1, tokens: used.Input + used.Output + used.CacheRead + used.CacheWrite}
			}
			return nil
		})
	}
	for _, t := range u.turns {
		turns += t.turns
		tokens += t.tokens
	}
	return turns, tokens
}

// consumed returns the turns and tokens of an attempt so far.
func (f *follower) consumed(ctx context.Context, t sessions.TaskSession) (turns int, tokens int64) {
	if t.Transcript == "" {
		return f.usage.read("", t.Session.Created)
	}
	adapter, _ := adapters.Lookup(f.o.Config().Agents[t.Session.Agent].Kind)
	if a, ok := adapter.(agents.Conversationalist); ok && adapter.Kind() != agents.KindClaude && adapter.Kind() != agents.KindDemo {
		return f.said.read(ctx, a, agents.Conversation{ID: t.Session.Conversation, Path: t.Transcript, CWD: t.Session.CWD}, t.Session.Created)
	}
	return f.usage.read(t.Transcript, t.Session.Created) // the format of Claude Code
}
