package agents

import (
	"time"

	"ccdir/usage"
)

// CostTeller is an adapter whose agent records the cost of an ended session.
type CostTeller interface {
	// Cost is the cost of the conversation in US dollars, as the agent recorded it when
	// the session ended; transcript is the agent's own file of it. ok is false if the
	// agent recorded nothing, or another conversation's cost since.
	Cost(transcript, conversation string) (usd float64, ok bool)
}

// Meter is an adapter whose agent tells its usage by a report beside its hooks, on its own
// account and often.
type Meter interface {
	// MeterHook is the name under which its report comes.
	MeterHook() string
	// ReadMeter decodes one. at is when it was made.
	ReadMeter(at time.Time, payload []byte) (Metered, error)
}

// Metered is what an agent tells of its usage. What it does not tell is nil, 0 or "".
type Metered struct {
	Conversation string
	// Samples are of the limits of the account that the agent uses, which the adapter does not
	// know. They repeat what the agent was told last: Work counts how often that may have been, so
	// that a repetition is known.
	Samples []usage.Sample
	Work    int64
	// ContextTokens is how many tokens the conversation takes, ContextLeft how much of the model's
	// context is left, in percent.
	ContextTokens int64
	ContextLeft   *int
	// CostUSD is what the conversation has cost.
	CostUSD *float64
	Model   string
}

// LimitTeller is an adapter whose agent can be asked for the windows of its account, by a process that is
// started for that and sends no message to a model.
type LimitTeller interface {
	// UsageProbe are the arguments of the process, and what it reads.
	UsageProbe() (args []string, input []byte)
	// ReadUsageProbe reads a line of what it writes. done: it is the answer; without a sample it says why.
	ReadUsageProbe(at time.Time, line []byte) (list []usage.Sample, done bool, why string)
}

// LimitReader is an adapter that finds samples of limits in a line of its agent's one-shot
// output or of its own file of a conversation.
type LimitReader interface {
	// ReadLimits returns the samples in the line, nil for most. at is used where the line tells no
	// time of its own.
	ReadLimits(at time.Time, line []byte) []usage.Sample
}
