package adapters

import (
	"errors"
	"time"

	"ccdir/agents"
)

// plain is the common part of agents without hooks: a command in a terminal.
type plain struct{}

func (plain) prepare(s agents.Start) (agents.Launch, error) {
	if s.Command == "" {
		return agents.Launch{}, errors.New("no command is given: set command in config.toml")
	}
	if s.Resume != "" {
		return agents.Launch{}, errors.New("this agent has no conversations to resume: leave --resume out")
	}
	return agents.Launch{Argv: append([]string{s.Command}, s.Args...), Env: s.Env}, nil
}

// DecodeHook fails: there are no hooks.
func (plain) DecodeHook(string, time.Time, []byte) (agents.Hook, error) {
	return agents.Hook{}, errors.New("this agent has no hooks")
}

// Managed is false: only the process tells the state.
func (plain) Managed() bool { return false }

// PromptSteps pastes the text and presses Enter.
func (plain) PromptSteps(text string, _ int) []agents.Step {
	return []agents.Step{{Paste: agents.PromptText(text)}, {Echo: 200 * time.Millisecond}, {Keys: []string{"Enter"}}}
}

// Shell is the adapter of interactive shells.
type Shell struct{ plain }

// Kind returns KindShell.
func (Shell) Kind() string { return agents.KindShell }

// Prepare starts Command, or the user's shell if there is none.
func (Shell) Prepare(s agents.Start) (agents.Launch, error) {
	if s.Command == "" {
		if s.Command = agents.Getenv(s.Env, "SHELL"); s.Command == "" {
			s.Command = "/bin/sh"
		}
	}
	return plain{}.prepare(s)
}

// KillPlan hangs up, which a shell passes on to its jobs.
func (Shell) KillPlan() agents.KillPlan { return agents.KillPlan{Signal: "HUP"} }

// Generic is the adapter of any other command.
type Generic struct{ plain }

// Kind returns KindGeneric.
func (Generic) Kind() string { return agents.KindGeneric }

// Prepare starts Command with its arguments.
func (Generic) Prepare(s agents.Start) (agents.Launch, error) { return plain{}.prepare(s) }

// KillPlan hangs up, as a closed terminal window does.
func (Generic) KillPlan() agents.KillPlan { return agents.KillPlan{Signal: "HUP"} }
