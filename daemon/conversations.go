package daemon

import (
	"context"

	"ccdir/agents"
	"ccdir/agents/adapters"
	"ccdir/api"
	"ccdir/daemon/conversations"
)

// newConversations joins the conversations with journal, history and adapters.
func (d *daemon) newConversations() *conversations.Conversations {
	return conversations.New(conversations.Options{
		Session: d.conversationSession, Events: d.events.Events,
		Agent: d.conversationalist, Env: d.o.Env,
	})
}

// conversationalist is the adapter of an agent whose conversations can be read. An agent
// that is no longer configured is looked up by its name.
func (d *daemon) conversationalist(agent string) (agents.Conversationalist, bool) {
	kind := agent
	if a, ok := d.config.Load().Agents[agent]; ok {
		kind = a.Kind
	}
	adapter, _ := adapters.Lookup(kind)
	a, ok := adapter.(agents.Conversationalist)
	return a, ok
}

// conversationSession finds a session in the list, or one of the past.
func (d *daemon) conversationSession(ctx context.Context, ref string) (conversations.Session, error) {
	id, err := d.registry.Resolve(ref)
	if err == nil {
		if s, ok := d.events.Session(id); ok {
			return conversationOf(s), nil
		}
	}
	past, pastErr := d.history.Transcript(ctx, ref)
	if pastErr != nil {
		if err == nil {
			err = pastErr // removed just now
		}
		return conversations.Session{}, err
	}
	if s, ok := d.events.Session(past.ID); ok { // of a task
		return conversationOf(s), nil
	}
	return conversations.Session{ID: past.ID, Name: past.Name, Agent: past.Agent, CWD: past.CWD, Conversation: past.Conversation,
		Resting: past.Ended, Ended: true}, nil
}

func conversationOf(s api.Session) conversations.Session {
	out := conversations.Session{ID: s.ID, Name: s.Name, Agent: s.Agent, CWD: s.CWD, Conversation: s.Conversation, Ended: s.State.Ended() && !s.Restarting}
	if out.Ended || s.State == api.StateIdle {
		out.Resting = s.Since
	}
	if s.Plain != "" { // a command has no conversation, whatever the agent's name
		out.Agent = s.Plain
	}
	return out
}
