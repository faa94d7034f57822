package claude

import (
	"strconv"

	"ccdir/agents"
)

// sinceBudget is the oldest version seen with --max-budget-usd.
var sinceBudget = agents.Version{2, 1, 294}

// PreparePrint adds -p with the prompt on standard input, and one JSON object per line
// on standard output: the messages, then the result.
func (c Adapter) PreparePrint(s agents.Start, b agents.Bounds) (agents.Launch, error) {
	launch, err := c.Prepare(s)
	if err != nil {
		return launch, err
	}
	launch.Argv = append(launch.Argv, "-p", "--output-format", "stream-json", "--verbose")
	if b.Turns > 0 {
		launch.Argv = append(launch.Argv, "--max-turns", strconv.Itoa(b.Turns))
	}
	if version, ok := agents.ParseVersion(s.Version); ok && b.Cost > 0 && !version.Before(sinceBudget) {
		launch.Argv = append(launch.Argv, "--max-budget-usd", strconv.FormatFloat(b.Cost, 'f', -1, 64))
	}
	return launch, nil
}
