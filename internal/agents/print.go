package agents

import "strconv"

// Printer is an adapter whose agent has a one-shot mode: the prompt comes on
// standard input, the result goes to standard output.
type Printer interface {
	// PreparePrint is Prepare for the one-shot mode. maxTurns bounds the turns
	// where the agent can be told so; 0 is no bound.
	PreparePrint(s Start, maxTurns int) (Launch, error)
	// PrintResult reads what was printed on standard output. ok is false if it
	// is not a whole result.
	PrintResult(stdout []byte) (r PrintResult, ok bool)
}

// PreparePrint adds -p with the prompt on standard input, and one JSON object a
// line on standard output: the messages, then the result.
func (c Claude) PreparePrint(s Start, maxTurns int) (Launch, error) {
	launch, err := c.Prepare(s)
	if err != nil {
		return launch, err
	}
	launch.Argv = append(launch.Argv, "-p", "--output-format", "stream-json", "--verbose")
	if maxTurns > 0 {
		launch.Argv = append(launch.Argv, "--max-turns", strconv.Itoa(maxTurns))
	}
	return launch, nil
}

// PreparePrint adds -print.
func (d Demo) PreparePrint(s Start, _ int) (Launch, error) {
	launch, err := d.Prepare(s)
	launch.Argv = append(launch.Argv, "-print")
	return launch, err
}

// PrintResult reads results of Claude Code's shape.
func (Demo) PrintResult(stdout []byte) (PrintResult, bool) { return Claude{}.PrintResult(stdout) }
