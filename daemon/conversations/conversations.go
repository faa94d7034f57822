// Package conversations reads what the agents of sessions said, from the agents' own files.
//
// Contract: the event log tells which conversations a session had (its hooks name them); here
// are only copies of those of sessions that have ended (Save), for when an agent's own file is
// gone; a conversation whose events were deleted is looked for where its
// agent keeps it. Reads block for the disk. Turns are numbered across the conversations of a
// session in the order in which they are passed on. Each call reads the files on its own and
// keeps one turn in memory, or the last ones that were asked for.
package conversations

import (
	"context"
	"slices"
	"sync"
	"time"

	"ccdir/agents"
	"ccdir/api"
)

// Session is a session, or one of the past.
type Session struct {
	ID, Name, Agent, CWD string
	// Conversation is the agent's id of the last one known; "" if none.
	Conversation string
	// Resting since: its agent works on nothing, or has ended; zero: it works.
	Resting time.Time
	// Ended: no process runs.
	Ended bool
}

// Options join the conversations with the daemon. All are needed.
type Options struct {
	// Session finds a session by id, name or unique prefix, also one of the past, or the last
	// session of a task.
	Session func(ctx context.Context, ref string) (Session, error)
	// Events reads the event log.
	Events func(ctx context.Context, f api.EventFilter) ([]api.Event, error)
	// Agent returns the adapter of an agent; false: its conversations cannot be read.
	Agent func(agent string) (agents.Conversationalist, bool)
	// Send delivers a prompt; Wait blocks until a session satisfies ok. They are needed by Ask
	// alone.
	Send func(ctx context.Context, ref string, p api.SendPrompt) (api.SendResult, error)
	Wait func(ctx context.Context, id string, ok func(api.Session) bool) (api.Session, error)
	// Decisions reads the ledger; nil: nothing is told of it.
	Decisions func(ctx context.Context, f api.LedgerFilter) ([]api.LedgerRow, error)
	// Dir is the folder of the copies of conversations; "": there are none.
	Dir string
	// Env is where agents are looked for that ccdir did not start.
	Env []string
}

// Conversations reads conversations. Make one with New. It is safe for concurrent use.
type Conversations struct {
	o      Options
	places places
	// folders guards that the folder of a new copy is not removed as an empty one.
	folders sync.Mutex
}

// New makes Conversations.
func New(o Options) *Conversations { return &Conversations{o: o} }

// followEvery is how often files are looked at while somebody follows them.
const followEvery = 200 * time.Millisecond

// Turns passes the turns of a session's conversations to each, in order: the last ones by
// number, 0: all. An error of each ends it.
func (c *Conversations) Turns(ctx context.Context, ref string, last int, each func(api.Turn) error) error {
	r, err := c.reading(ctx, ref)
	if err != nil {
		return err
	}
	return r.once(ctx, last, each)
}

// FollowTurns is Turns, and goes on with what is said later until the session has ended. It
// passes on parts of turns, as transcript.Source does, and a turn without a number when all
// that was there has come.
func (c *Conversations) FollowTurns(ctx context.Context, ref string, last int, each func(api.Turn) error) error {
	r, err := c.reading(ctx, ref)
	if err != nil {
		return err
	}
	return r.follow(ctx, last, each)
}

func (c *Conversations) reading(ctx context.Context, ref string) (*reading, error) {
	s, err := c.o.Session(ctx, ref)
	if err != nil {
		return nil, err
	}
	agent, ok := c.o.Agent(s.Agent)
	if !ok {
		return nil, api.Errorf(api.CodeConflict, "session %s has no conversation that can be read: it runs %s (`ccdir output %[1]s` prints its screen)", s.Name, s.Agent)
	}
	return &reading{c: c, agent: agent, session: s, decided: decided{read: c.o.Decisions, session: s.ID}}, nil
}

// list returns the session's conversations, the one used last at the end.
func (c *Conversations) list(ctx context.Context, agent agents.Conversationalist, s Session) ([]agents.Conversation, error) {
	var events []api.Event
	changes, other := agent.ConversationEvents()
	for _, f := range []api.EventFilter{{Type: changes, Limit: maxConversations}, {Type: other, Limit: 1}} {
		f.Session = s.ID
		found, err := c.o.Events(ctx, f)
		if err != nil {
			return nil, err
		}
		events = append(events, found...)
	}
	slices.SortFunc(events, func(a, b api.Event) int { return int(a.Seq - b.Seq) })
	var list []agents.Conversation
	add := func(n agents.Conversation) {
		i := slices.IndexFunc(list, func(o agents.Conversation) bool { return o.ID == n.ID })
		if i < 0 {
			list = append(list, n)
			return
		}
		if n.Path == "" {
			n.Path = list[i].Path
		}
		list = append(slices.Delete(list, i, i+1), n)
	}
	for _, e := range events {
		if n, ok := agent.ConversationOf(e.Data); ok {
			add(n)
		}
	}
	list = append(c.saved(s.ID, append(list, agents.Conversation{ID: s.Conversation})), list...)
	if s.Conversation != "" && (len(list) == 0 || list[len(list)-1].ID != s.Conversation) {
		add(agents.Conversation{ID: s.Conversation, CWD: s.CWD})
	}
	return list, nil
}

// maxConversations bounds the conversations of a session, by starts.
const maxConversations = 1000
