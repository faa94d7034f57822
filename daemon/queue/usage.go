package queue

import (
	"context"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/orchestrator"
	"ccdir/sessions"
)

// spent is what was reported last.
type spent struct {
	turns  int
	tokens int64
	cost   float64
	// denials is how many refusals there were.
	denials int
}

// spendEvery is how often a transcript is read while its agent works.
const spendEvery = 3 * time.Second

// use reports what the attempt used so far, and the files it changed.
func (f *follower) use(ctx context.Context, t sessions.TaskSession) {
	files := f.filesOf(ctx, t)
	turns, tokens := f.usage.read(t.Transcript, t.Session.Created)
	denials := f.denials(ctx, f.session, t.Session.Created, f.usage.refused)
	now := spent{turns, tokens, f.cost(t), len(denials)}
	if f.usage.told == now && files == nil {
		return
	}
	f.usage.told = now
	f.report(orchestrator.Used{Ref: f.ref, Turns: turns, Tokens: tokens, Cost: now.cost, Denials: denials, Files: files, Conversation: t.Session.Conversation})
}

// spend reports what the attempt used while it runs, so that its bounds hold;
// at most once in spendEvery.
func (f *follower) spend(t sessions.TaskSession) {
	if t.Session.State != api.StateWorking || time.Since(f.spent) < spendEvery {
		return
	}
	f.spent = time.Now()
	turns, tokens := f.usage.read(t.Transcript, t.Session.Created)
	now := spent{turns, tokens, f.usage.told.cost, f.usage.told.denials}
	if f.usage.told == now {
		return
	}
	f.usage.told = now
	f.report(orchestrator.Used{Ref: f.ref, Turns: turns, Tokens: tokens, Cost: now.cost})
}

// cost is what the session cost, in US dollars, where its agent leaves that behind
// when it ends; 0 before, and if it does not.
func (f *follower) cost(t sessions.TaskSession) float64 {
	if !t.Session.State.Ended() {
		return 0
	}
	adapter, _ := agents.Lookup(f.o.Config().Agents[t.Session.Agent].Kind)
	teller, ok := adapter.(agents.CostTeller)
	if !ok {
		return 0
	}
	cost, _ := teller.Cost(t.Transcript, t.Session.Conversation)
	return cost
}
