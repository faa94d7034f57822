package start

import "os"

const tmuxVariable = "TMUX"

// hidden is the value of TMUX, "" if it was not set or has been restored.
var hidden = hideTmux()

func hideTmux() string {
	value := os.Getenv(tmuxVariable)
	if value != "" {
		_ = os.Unsetenv(tmuxVariable) // fails for bad names only
	}
	return value
}

// ShowTmux restores TMUX in the environment of this process. Further calls do nothing.
func ShowTmux() {
	if hidden != "" {
		_ = os.Setenv(tmuxVariable, hidden)
		hidden = ""
	}
}
