package agents

// Printer is an adapter whose agent has a one-shot mode: the prompt comes on
// standard input, the result goes to standard output.
type Printer interface {
	// PreparePrint is Prepare for the one-shot mode, within bounds where the agent
	// can be told of them.
	PreparePrint(s Start, b Bounds) (Launch, error)
	// PrintResult reads what was printed on standard output. ok is false if it
	// is not a whole result.
	PrintResult(stdout []byte) (r PrintResult, ok bool)
}

// Bounds are those of a one-shot run; 0 is none. Cost is in US dollars.
type Bounds struct {
	Turns int
	Cost  float64
}
