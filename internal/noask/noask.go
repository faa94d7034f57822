// Package noask keeps packages from asking tmux while they are initialised: it hides
// that the program runs inside of tmux until Done is called.
//
// lipgloss finds out the colours of standard output when its package is initialised,
// whoever links it, and inside of tmux runs `tmux info` for it, without a limit of
// time: each verb cost that, and a tmux server that hung stopped them all. What needs
// tmux's word asks for it itself (tui).
//
// It works because this package imports os alone and its path comes before that of
// lipgloss: of the packages that are ready, Go initialises the first by path.
package noask

import "os"

const name = "TMUX"

// hidden is what TMUX was, "" if it was not set.
var hidden = hide()

func hide() string {
	value := os.Getenv(name)
	if value != "" {
		_ = os.Unsetenv(name) // fails for bad names alone
	}
	return value
}

// Done brings TMUX back into the environment of this process.
func Done() {
	if hidden != "" {
		_ = os.Setenv(name, hidden)
		hidden = ""
	}
}
