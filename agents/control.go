package agents

import (
	"context"

	"ccdir/api"
)

// Control is how ccdir reaches a running agent beside its terminal: the address of a server
// that the agent runs for this session alone. It is saved in the session's
// directory, readable by the user alone, so that the next daemon can connect too.
type Control struct {
	// Network is "unix" or "tcp"; "": there is no such address.
	Network string `json:"network"`
	// Address is a socket's path, or a loopback address with its port.
	Address string `json:"address"`
	// Secret is the server's password; "" for none.
	Secret string `json:"secret,omitempty"`
	// Conversations is where the agent keeps its conversations, "" if that is not known.
	Conversations string `json:"conversations,omitempty"`
	// Fork is the conversation from which Connect has the agent go on in a new one, unless
	// Conversation is known; "": from none.
	Fork string `json:"fork,omitempty"`
	// Conversation is the one that the agent is in as far as ccdir knows, "" before the first.
	// Connect gets it; it is not saved here.
	Conversation string `json:"-"`
}

// Connected is an adapter whose agent takes calls and reports events at Launch.Control, in
// place of hooks or beside them.
type Connected interface {
	// Connect opens a line to the agent. It blocks, and fails while the agent is starting:
	// the caller retries with a back-off until the session ends.
	Connect(ctx context.Context, c Control) (Line, error)
}

// Line is a connection to a running agent. One goroutine calls Next; the other methods may be
// called at the same time. After an error of Next the caller closes the line and connects
// again; a new line reports requests that are still open once more, under the same keys.
type Line interface {
	// Next blocks for the next report. Reports that the adapter does not know are passed on
	// with Hook.Skip or as notes, never an error.
	Next(ctx context.Context) (Report, error)
	// Answer answers the open request with that key. Unknown keys are no error: another
	// answer was first.
	Answer(ctx context.Context, key string, d api.Decision) error
	// Prompt gives the agent a prompt; it returns when the agent has accepted it. The
	// acknowledgement is a report, as for typed prompts (Deliverer.AckOf). handled is false
	// if the agent cannot take it on this line now (no conversation yet): it is typed then.
	Prompt(ctx context.Context, id, text string) (handled bool, err error)
	// Close ends the line; Next returns.
	Close() error
}

// GuardedLine is a Line to an agent that says itself whether it asks about all that the policy decides.
type GuardedLine interface {
	// Unguarded says why no policy holds, for people, as Launch.Unguarded; "" if one can hold.
	Unguarded() string
}

// Report is one message of a line.
type Report struct {
	// Hook is what the agent reports; it is weighed like a call of a hook.
	Hook Hook
	// ID is its idempotency key; "": it has none.
	ID string
	// Opens is the key of the request that Hook opens (Permissions.DialogRequest describes
	// it), Closes that of a request which was answered elsewhere; "" for none.
	Opens, Closes string
	// Unasked is the key of the request that this report is about, if the agent opens it only so
	// that the policy decides: people are asked if the policy says so, and without a word of the
	// policy the call runs. "" for all others.
	Unasked string
}
