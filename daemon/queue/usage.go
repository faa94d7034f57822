package queue

import (
	"context"
	"time"

	"ccdir/agents"
	"ccdir/agents/adapters"
	"ccdir/api"
	"ccdir/orchestrator"
	"ccdir/sessions"
)

// spent is the last reported consumption.
type spent struct {
	turns  int
	tokens int64
	cost   float64
	// denials is the number of denied permissions.
	denials int
}

// spendEvery is the interval of reads of a transcript while its agent works.
const spendEvery = 3 * time.Second

// readOnTime bounds how long the end of a turn waits for what the turn cost: what comes later counts when it is read.
const readOnTime = 3 * time.Second

// readOn reads on what the agent has written, so that what it cost is known before a next task starts, and
// returns the session with it.
func (f *follower) readOn(ctx context.Context, t sessions.TaskSession) sessions.TaskSession {
	if f.o.ReadOn == nil {
		return t
	}
	bounded, end := context.WithTimeout(ctx, readOnTime)
	defer end()
	f.o.ReadOn(bounded, f.session)
	f.quota.spent(bounded)
	if now, err := f.o.Sessions.TaskSession(bounded, f.session); err == nil {
		t.Session.CostUSD, t.Session.CostEstimate = now.Session.CostUSD, now.Session.CostEstimate
	}
	return t
}

// use reports the consumption of the attempt so far, and the files that it changed.
func (f *follower) use(ctx context.Context, t sessions.TaskSession) {
	t = f.readOn(ctx, t)
	files := f.filesOf(ctx, t)
	turns, tokens := f.consumed(ctx, t)
	denials := f.denials(ctx, f.session, t.Session.Created, f.usage.refused)
	now := spent{turns, tokens, f.cost(t), len(denials)}
	if f.usage.told == now && files == nil {
		return
	}
	f.usage.told = now
	f.report(orchestrator.Used{Ref: f.ref, Turns: turns, Tokens: tokens, Cost: now.cost, Denials: denials, Files: files, Conversation: t.Session.Conversation})
}

// spend reports the consumption of a running attempt, so that its limits apply; at most
// once per spendEvery.
func (f *follower) spend(ctx context.Context, t sessions.TaskSession) {
	if t.Session.State != api.StateWorking || time.Since(f.spent) < spendEvery {
		return
	}
	f.spent = time.Now()
	turns, tokens := f.consumed(ctx, t)
	now := spent{turns, tokens, f.cost(t), f.usage.told.denials}
	if f.usage.told == now {
		return
	}
	f.usage.told = now
	f.report(orchestrator.Used{Ref: f.ref, Turns: turns, Tokens: tokens, Cost: now.cost})
}

// cost is what the conversation of the attempt has cost so far in US dollars, as far as that is known; 0: not at all.
func (f *follower) cost(t sessions.TaskSession) float64 {
	usd := f.costOf(t)
	if f.o.Cost != nil { // a sum that lacks something is not shown, and counts
		usd = max(usd, f.o.Cost(t.Session.Conversation))
	}
	return usd
}

func (f *follower) costOf(t sessions.TaskSession) float64 {
	if usd := t.Session.CostUSD; usd > 0 && !t.Session.CostEstimate || !t.Session.State.Ended() {
		return usd
	}
	adapter, _ := adapters.Lookup(f.o.Config().Agents[t.Session.Agent].Kind)
	if teller, ok := adapter.(agents.CostTeller); ok {
		if cost, ok := teller.Cost(t.Transcript, t.Session.Conversation); ok {
			return cost
		}
	}
	return t.Session.CostUSD
}
