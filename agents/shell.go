package agents

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// plain is what agents without hooks have in common: nothing but a command in
// a terminal.
type plain struct{}

func (plain) prepare(s Start) (Launch, error) {
	if s.Command == "" {
		return Launch{}, errors.New("no command is given: set command in config.toml")
	}
	if s.Resume != "" {
		return Launch{}, errors.New("this agent has no conversations to resume: leave --resume out")
	}
	return Launch{Argv: append([]string{s.Command}, s.Args...), Env: s.Env}, nil
}

// DecodeHook fails: there are no hooks.
func (plain) DecodeHook(string, time.Time, []byte) (Hook, error) {
	return Hook{}, errors.New("this agent has no hooks")
}

// Managed is false: nothing but the process tells the state.
func (plain) Managed() bool { return false }

// PromptSteps pastes the text and presses Enter.
func (plain) PromptSteps(text string, _ int) []Step {
	return []Step{{Paste: PromptText(text)}, {Echo: 200 * time.Millisecond}, {Keys: []string{"Enter"}}}
}

// shells are programs that take commands from their terminal when they are given none.
var shells = []string{"sh", "ash", "bash", "csh", "dash", "elvish", "fish", "ksh", "ksh93", "mksh", "nu", "oksh", "posh", "pwsh", "rbash", "tcsh", "xonsh", "yash", "zsh"}

// BareShell reports whether the command is a shell that takes its commands from the
// terminal: one with options alone, and no command (-c) among them.
func BareShell(command string, args []string) bool {
	if !slices.Contains(shells, strings.TrimPrefix(filepath.Base(command), "-")) {
		return false
	}
	return !slices.ContainsFunc(args, func(a string) bool {
		return !strings.HasPrefix(a, "-") || !strings.HasPrefix(a, "--") && strings.Contains(a, "c")
	})
}

// Shell is the adapter of interactive shells.
type Shell struct{ plain }

// Kind returns KindShell.
func (Shell) Kind() string { return KindShell }

// Prepare starts Command, or the user's shell if there is none.
func (Shell) Prepare(s Start) (Launch, error) {
	if s.Command == "" {
		if s.Command = Getenv(s.Env, "SHELL"); s.Command == "" {
			s.Command = "/bin/sh"
		}
	}
	return plain{}.prepare(s)
}

// KillPlan hangs up, which a shell passes on to its jobs.
func (Shell) KillPlan() KillPlan { return KillPlan{Signal: "HUP"} }

// Generic is the adapter of any other command.
type Generic struct{ plain }

// Kind returns KindGeneric.
func (Generic) Kind() string { return KindGeneric }

// Prepare starts Command with its arguments.
func (Generic) Prepare(s Start) (Launch, error) { return plain{}.prepare(s) }

// KillPlan hangs up, as a closed terminal window does.
func (Generic) KillPlan() KillPlan { return KillPlan{Signal: "HUP"} }
