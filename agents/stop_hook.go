package agents

// Continuer is what adapters have whose hook at the end of a turn can have the
// agent go on.
type Continuer interface {
	// TurnEnds reports whether a decoded hook ends a turn of the conversation that
	// its reply can continue; again: a reply of a hook has continued it already.
	TurnEnds(h Hook) (again, ok bool)
	// ContinueReply is what the hook process prints to have the agent go on with
	// text.
	ContinueReply(text string) string
}
