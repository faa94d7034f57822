package agents

// CostTeller is an adapter whose agent leaves behind what an ended session cost.
type CostTeller interface {
	// Cost is what the conversation cost in US dollars, as its agent wrote it down
	// when the session ended; transcript is the agent's own file of it. ok is false
	// if the agent wrote nothing, or has written of another conversation since.
	Cost(transcript, conversation string) (usd float64, ok bool)
}
