package agents

import "ccdir/api"

// FailureTeller is an adapter that knows its agent's words about turns that failed.
type FailureTeller interface {
	// FailureOf classifies a failure by the agent's message about it.
	FailureOf(message string) api.FailureKind
}
