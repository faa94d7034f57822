package agents

// Printer is an adapter whose agent has a one-shot mode: prompt on standard input,
// result on standard output.
type Printer interface {
	// PreparePrint is Prepare for the one-shot mode, with bounds if the agent supports
	// them.
	PreparePrint(s Start, b Bounds) (Launch, error)
	// PrintResult parses standard output. ok is false if it has no complete result.
	PrintResult(stdout []byte) (r PrintResult, ok bool)
}

// Bounds limit a one-shot run; 0 is no limit. Cost is in US dollars.
type Bounds struct {
	Turns int
	Cost  float64
}
