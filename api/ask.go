package api

// Ask is the body of POST /v1/sessions/ID/ask.
type Ask struct {
	Text string `json:"text"`
	// ID is that of SendPrompt: a prompt with the same id is typed once.
	ID string `json:"id,omitempty"`
}

// AskEvent is one element of the answer to Ask: one of its fields is set, and the last one
// has End.
type AskEvent struct {
	// Status is that of SendResult, when the agent has taken the prompt.
	Status string `json:"status,omitempty"`
	// Turn is the turn of the prompt as it grows: texts and tool calls, from the places From
	// and ToolsFrom on.
	Turn *Turn `json:"turn,omitempty"`
	// End is how it ended.
	End AskEnd `json:"end,omitempty"`
	// Answer is the turn's answer, with End. Reason is why there is none, or what the agent
	// asks.
	Answer string `json:"answer,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// AskEnd is how the answer to Ask ended.
type AskEnd string

// The ends of an answer: those of turns, and those without.
const (
	AskDone        AskEnd = "done"
	AskFailed      AskEnd = "failed"
	AskInterrupted AskEnd = "interrupted"
	AskAsks        AskEnd = "asks"  // the agent waits for a person; the turn goes on after that
	AskEnded       AskEnd = "ended" // its process ended
)
