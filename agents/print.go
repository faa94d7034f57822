package agents

import "strconv"

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

// claudeBudget is the first version that was seen with --max-budget-usd.
var claudeBudget = Version{2, 1, 294}

// PreparePrint adds -p with the prompt on standard input, and one JSON object a
// line on standard output: the messages, then the result.
func (c Claude) PreparePrint(s Start, b Bounds) (Launch, error) {
	launch, err := c.Prepare(s)
	if err != nil {
		return launch, err
	}
	launch.Argv = append(launch.Argv, "-p", "--output-format", "stream-json", "--verbose")
	if b.Turns > 0 {
		launch.Argv = append(launch.Argv, "--max-turns", strconv.Itoa(b.Turns))
	}
	if version, ok := ParseVersion(s.Version); ok && b.Cost > 0 && !version.Before(claudeBudget) {
		launch.Argv = append(launch.Argv, "--max-budget-usd", strconv.FormatFloat(b.Cost, 'f', -1, 64))
	}
	return launch, nil
}

// PreparePrint adds -print.
func (d Demo) PreparePrint(s Start, _ Bounds) (Launch, error) {
	launch, err := d.Prepare(s)
	launch.Argv = append(launch.Argv, "-print")
	return launch, err
}

// PrintResult reads results of Claude Code's shape.
func (Demo) PrintResult(stdout []byte) (PrintResult, bool) { return Claude{}.PrintResult(stdout) }
