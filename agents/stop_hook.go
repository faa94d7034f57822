package agents

// Continuer is an adapter whose hook at the end of a turn can make the agent continue.
type Continuer interface {
	// TurnEnds reports whether a decoded hook ends a turn of the conversation that
	// its reply can continue; again: a reply of a hook has continued it already.
	TurnEnds(h Hook) (again, ok bool)
	// ContinueReply is the hook process's output that makes the agent continue with text.
	ContinueReply(text string) string
}
