package daemon

import (
	"context"

	"ccdir/agents"
	"ccdir/agents/adapters"
	"ccdir/api"
	"ccdir/daemon/conversations"
	"ccdir/daemon/store"
	"ccdir/internal/proc"
)

// newConversations joins the conversations with journal, history and adapters.
func (d *daemon) newConversations() *conversations.Conversations {
	return conversations.New(conversations.Options{
		Session: d.conversationSession, Events: d.events.Events,
		Agent: d.conversationalist, Send: d.registry.Send, Wait: d.events.Wait, Decisions: d.store.Decisions, Dir: d.o.Paths.Conversations(), Env: d.o.Env,
	})
}

// openIndex opens the index of conversations. The daemon works without it.
func (d *daemon) openIndex() {
	said, err := store.OpenSaid(d.o.Paths.SaidIndex(), d.log)
	if err != nil {
		d.log.Error("conversations cannot be searched", "error", err)
		return
	}
	d.said = said
	d.indexer = conversations.NewIndexer(conversations.IndexOptions{
		Conversations: d.conversations, Index: said, Watch: d.events.Watch, Of: conversationOf,
		Past: d.pastConversations, Latest: d.latestTurn, Took: d.tookUsage, Used: proc.OwnTime, Pause: d.o.Pause, Logger: d.log,
	})
}

// latestTurn shows a session's newest turn in the list.
func (d *daemon) latestTurn(ctx context.Context, session string, t api.Turn) {
	if err := d.registry.SetTurn(ctx, session, t); err != nil && ctx.Err() == nil {
		d.log.Warn("what a conversation tells of its session is not shown", "session", session, "error", err)
	}
}

// historyPage is how many sessions of the past are read at once.
const historyPage = 500

// pastConversations are the sessions of the archive, each once, newest first.
func (d *daemon) pastConversations(ctx context.Context) (list []conversations.Session, err error) {
	var after api.HistoryPlace
	seen := map[string]bool{}
	for {
		page, err := d.store.History(ctx, after, historyPage)
		if err != nil {
			return nil, err
		}
		for _, e := range page {
			if after = e.Place(); !seen[e.ID] {
				seen[e.ID] = true
				list = append(list, conversations.Session{ID: e.ID, Name: e.Name, Agent: e.Agent, CWD: e.CWD, Conversation: e.Conversation, Resting: e.Ended, Ended: true})
			}
		}
		if len(page) < historyPage {
			return list, nil
		}
	}
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

// pastSession finds a session that was removed (reviews.Options.Past).
func (d *daemon) pastSession(ctx context.Context, ref string) (api.Session, error) {
	past, err := d.history.Transcript(ctx, ref)
	return api.Session{ID: past.ID, Name: past.Name, Agent: past.Agent, CWD: past.CWD, State: api.StateExited}, err
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
