// Package approvals holds the permission requests of agents until somebody
// answers them, or until they no longer need an answer.
//
// An agent's hook process asks and waits (Hold). The same question stands in a
// dialog in the agent's pane at the same time, and the first answer wins: a
// request that was answered there is retired by what the agent does next
// (Observe). Whatever ends a request without an answer leaves the dialog as it
// is, so nothing is ever allowed by default.
//
// Contract:
//
//   - Each request ends exactly once. Its end is given to the Ledger, then to
//     the Observer, then to the waiting hook, and at last to the caller of Answer:
//     when the hook has it, which is waited for a second at most. An approval that
//     the Ledger refuses is not given. Only Close leaves requests without an end:
//     their hooks ask the next daemon.
//   - A call that is made again with the same id (the hook process redialled)
//     joins the request that it made before, also shortly after its end.
//   - The order is policy (Decider, at once), lead (LeadAsker), person. People
//     see a request as soon as the policy has passed it on, and may answer while
//     the lead thinks.
//   - Bounds: requests per session and in all, the size of an input, the ended
//     requests remembered, the tool calls remembered per session. A request
//     beyond a bound ends at once, with OutcomeLimit.
//   - Other requests are not held up while Decider, LeadAsker, Ledger or Observer
//     run, and these may call List; Ledger and Observer must not answer the
//     request that they are told of. A panic in one of them costs its own answer.
package approvals

import (
	"context"

	"ccdir/api"
)

// Decider answers by rules. It is asked before anybody sees the request and
// must be quick; ok is false where it has no answer, and the context ends after
// Options.DecideTime.
type Decider interface {
	Decide(ctx context.Context, r api.Request) (answer api.Answer, ok bool)
}

// LeadAsker asks the agent that leads the session's. It may take long; the
// context ends when the request does. ok is false where there is no lead or it
// leaves the answer to people.
type LeadAsker interface {
	AskLead(ctx context.Context, r api.Request) (answer api.Answer, ok bool)
}

// Ledger keeps decisions, one row each. Record returns when the row is durable.
type Ledger interface {
	Record(d api.Decision) error
}

// Observer is told of each request that people can see: once when it opens and
// then once when it ends, in that order. A request that ended before it was
// seen (by policy, by a bound) only has its end.
type Observer interface {
	RequestOpened(r api.Request)
	RequestEnded(d api.Decision)
}
