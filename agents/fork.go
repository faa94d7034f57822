package agents

// Forker is an adapter whose agent can go on from a conversation in a second one (Start.Fork).
type Forker interface {
	// CanFork reports whether that version can; "" is an unknown one.
	CanFork(version string) bool
}
