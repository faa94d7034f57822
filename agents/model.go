package agents

// ModelChooser is an adapter whose agent takes a model on its command line (Start.Model).
type ModelChooser interface {
	// Models are names to offer to a person, most capable first; the agent may know others.
	Models() []string
}
