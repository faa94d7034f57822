package agents

// CostTeller is an adapter whose agent records the cost of an ended session.
type CostTeller interface {
	// Cost is the cost of the conversation in US dollars, as the agent recorded it when
	// the session ended; transcript is the agent's own file of it. ok is false if the
	// agent recorded nothing, or another conversation's cost since.
	Cost(transcript, conversation string) (usd float64, ok bool)
}
