package far

import (
	"context"
	"slices"
	"time"

	"ccdir/api"
	"ccdir/client"
	"ccdir/client/machines"
	"ccdir/web"
	"ccdir/wire"
)

// Join lets the page show the nodes beside this machine.
func (f *Far) Join(d *web.Deps) {
	d.Nodes = f
	d.Log = joinedLog{d.Log, f}
	d.Sessions = joinedSessions{d.Sessions, f}
	d.Approvals = joinedApprovals{d.Approvals, f}
	d.Conversations = joinedConversations{d.Conversations, f}
	d.Pending = joinedPending{d.Pending, f}
	d.Reviews = joinedReviews{d.Reviews, f}
	d.Ledger = joinedLedger{d.Ledger, f}
	d.Queue = joinedQueue{d.Queue, f}
	d.Trees = joinedTrees{d.Trees, f}
	d.Usage = joinedUsage{d.Usage, f}
	d.Past = joinedPast{d.Past, f}
}

// Host dials the host of a node's session, for a terminal.
func (f *Far) Host(ctx context.Context, id, name string, readOnly bool) (*wire.Conn, wire.Welcome, error) {
	ms, err := f.reach(id)
	if err != nil {
		return nil, wire.Welcome{}, err
	}
	return ms.HostAs(ctx, name, id, client.HostOptions{ReadOnly: readOnly})
}

type joinedLog struct {
	web.Log
	far *Far
}

// Sessions implements web.Log.
func (l joinedLog) Sessions() []api.Session { return append(l.Log.Sessions(), l.far.sessions()...) }

// Watch implements web.Log.
func (l joinedLog) Watch() (func(context.Context) ([]api.WatchMessage, error), func()) {
	return l.far.watch(l.Log.Watch())
}

// Events implements web.Log.
func (l joinedLog) Events(ctx context.Context, q api.EventFilter) ([]api.Event, error) {
	if !elsewhere(q.Session) {
		return l.Log.Events(ctx, q)
	}
	return on(ctx, l.far, q.Session, func(ctx context.Context, ms *machines.Client) ([]api.Event, error) {
		return ms.Events(ctx, client.EventFilter{Since: q.Since, Before: q.Before, Session: q.Session, Type: q.Type, Limit: q.Limit})
	})
}

type joinedSessions struct {
	web.Sessions
	far *Far
}

// Get implements web.Sessions.
func (s joinedSessions) Get(ctx context.Context, ref string) (api.Session, error) {
	if !elsewhere(ref) {
		return s.Sessions.Get(ctx, ref)
	}
	return s.far.session(ref)
}

// Send implements web.Sessions.
func (s joinedSessions) Send(ctx context.Context, ref string, p api.SendPrompt) (api.SendResult, error) {
	if !elsewhere(ref) {
		return s.Sessions.Send(ctx, ref, p)
	}
	return on(ctx, s.far, ref, func(ctx context.Context, ms *machines.Client) (api.SendResult, error) {
		return ms.SendPrompt(ctx, ref, p)
	})
}

// Kill implements web.Sessions.
func (s joinedSessions) Kill(ctx context.Context, ref string, k api.Kill) (api.Session, error) {
	if !elsewhere(ref) {
		return s.Sessions.Kill(ctx, ref, k)
	}
	return on(ctx, s.far, ref, func(ctx context.Context, ms *machines.Client) (api.Session, error) {
		return ms.KillSession(ctx, ref, k)
	})
}

// Restart implements web.Sessions.
func (s joinedSessions) Restart(ctx context.Context, ref string) (api.Session, error) {
	if !elsewhere(ref) {
		return s.Sessions.Restart(ctx, ref)
	}
	return on(ctx, s.far, ref, func(ctx context.Context, ms *machines.Client) (api.Session, error) {
		return ms.RestartSession(ctx, ref)
	})
}

// Seen implements web.Sessions.
func (s joinedSessions) Seen(ctx context.Context, ref string) error {
	if !elsewhere(ref) {
		return s.Sessions.Seen(ctx, ref)
	}
	return did(ctx, s.far, ref, func(ctx context.Context, ms *machines.Client) error { return ms.Seen(ctx, ref) })
}

// Create implements web.Sessions.
func (s joinedSessions) Create(ctx context.Context, n api.NewSession) (api.Session, error) {
	if n.Node == "" {
		return s.Sessions.Create(ctx, n)
	}
	return on(ctx, s.far, n.Node+"/", func(ctx context.Context, ms *machines.Client) (api.Session, error) { return ms.CreateSession(ctx, n) })
}

// Offers implements web.Sessions.
func (s joinedSessions) Offers(ctx context.Context, node string) (agents []api.AgentInfo, dirs []api.Directory, err error) {
	if node == "" {
		return s.Sessions.Offers(ctx, node)
	}
	err = did(ctx, s.far, node+"/", func(ctx context.Context, ms *machines.Client) (err error) {
		agents, dirs, _, err = ms.NodeOffers(ctx, node)
		return err
	})
	return agents, dirs, err
}

// did is on for calls that return nothing else.
func did(ctx context.Context, f *Far, id string, call func(context.Context, *machines.Client) error) error {
	_, err := on(ctx, f, id, func(ctx context.Context, ms *machines.Client) (struct{}, error) { return struct{}{}, call(ctx, ms) })
	return err
}

type joinedApprovals struct {
	web.Approvals
	far *Far
}

// Requests implements web.Approvals.
func (a joinedApprovals) Requests() []api.Request {
	list := append(a.Approvals.Requests(), a.far.requests()...)
	slices.SortStableFunc(list, func(x, y api.Request) int { return x.Since.Compare(y.Since) })
	return list
}

// Answer implements web.Approvals. On a node it is the person who answers, whatever by says: the node
// finds out itself who calls.
func (a joinedApprovals) Answer(ref, by string, answer api.Answer) (api.Decision, error) {
	if !elsewhere(ref) {
		return a.Approvals.Answer(ref, by, answer)
	}
	return on(context.Background(), a.far, ref, func(ctx context.Context, ms *machines.Client) (api.Decision, error) {
		return ms.AnswerAs(ctx, answer.Client, ref, answer)
	})
}

type joinedConversations struct {
	web.Conversations
	far *Far
}

// Turns implements web.Conversations.
func (c joinedConversations) Turns(ctx context.Context, ref string, last int, each func(api.Turn) error) error {
	if !elsewhere(ref) {
		return c.Conversations.Turns(ctx, ref, last, each)
	}
	return did(ctx, c.far, ref, func(ctx context.Context, ms *machines.Client) error { return ms.Turns(ctx, ref, last, each) })
}

type joinedPending struct {
	web.Pending
	far *Far
}

// Add implements web.Pending.
func (p joinedPending) Add(ctx context.Context, ref string, n api.NewPending) (api.PendingPrompt, error) {
	if !elsewhere(ref) {
		return p.Pending.Add(ctx, ref, n)
	}
	return on(ctx, p.far, ref, func(ctx context.Context, ms *machines.Client) (api.PendingPrompt, error) {
		return ms.SendLater(ctx, ref, n.Text, n.Request)
	})
}

// List implements web.Pending.
func (p joinedPending) List(ctx context.Context, session string) ([]api.PendingPrompt, error) {
	if !elsewhere(session) {
		return p.Pending.List(ctx, session)
	}
	return on(ctx, p.far, session, func(ctx context.Context, ms *machines.Client) ([]api.PendingPrompt, error) {
		return ms.PendingOf(ctx, session)
	})
}

type joinedLedger struct {
	web.Ledger
	far *Far
}

// Decisions implements web.Ledger.
func (l joinedLedger) Decisions(ctx context.Context, q api.LedgerFilter) ([]api.LedgerRow, error) {
	if !elsewhere(q.Session) && !elsewhere(q.Request) {
		return l.Ledger.Decisions(ctx, q)
	}
	return on(ctx, l.far, q.Session+q.Request, func(ctx context.Context, ms *machines.Client) ([]api.LedgerRow, error) {
		return ms.Decisions(ctx, q)
	})
}

// SumDecisions implements web.Ledger.
func (l joinedLedger) SumDecisions(ctx context.Context, session string, since time.Time) (api.LedgerSum, error) {
	if !elsewhere(session) {
		return l.Ledger.SumDecisions(ctx, session, since)
	}
	return on(ctx, l.far, session, func(ctx context.Context, ms *machines.Client) (api.LedgerSum, error) {
		return ms.SumOf(ctx, session, since)
	})
}
