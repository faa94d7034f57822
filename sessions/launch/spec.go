package launch

import (
	"ccdir/agents"
	"ccdir/api"
	"ccdir/config"
	"time"
)

// SpecFile is the name of a Spec in the session's directory. Restarts read it, and so does
// a daemon whose database has lost the session's row.
const SpecFile = "session.json"

// Spec is the content of session.json.
type Spec struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Agent string `json:"agent"`
	Kind  string `json:"kind"`
	// Role is "" in files from before there were roles: a dev's.
	Role string `json:"role,omitempty"`
	// Parent is the session whose agent started it.
	Parent string `json:"parent,omitempty"`
	// Command and Args before the adapter's additions; Custom: they were given
	// by the caller and not by the configuration.
	Command string   `json:"command"`
	Args    []string `json:"args"`
	Custom  bool     `json:"custom,omitempty"`
	CWD     string   `json:"cwd"`
	// Env is the environment before what is made per start (token, …).
	Env        []string  `json:"env"`
	Cols       int       `json:"cols"`
	Rows       int       `json:"rows"`
	Scrollback int       `json:"scrollback"`
	Created    time.Time `json:"created"`
	// Version is what the agent's executable said at the last start, "" if
	// not known.
	Version string `json:"version,omitempty"`
	// Request is the caller's id of the call that made it, "" if it gave none.
	Request string `json:"request,omitempty"`
	// Run is the attempt of a task that the session was made for, nil for none.
	Run *TaskRun `json:"run,omitempty"`
}

// NoStatus: the caller wants the program status (OSC 7501) left unanswered.
func (s Spec) NoStatus() bool { return agents.Getenv(s.Env, api.EnvNoStatus) != "" }

// TaskRun is the attempt of a task that a session was made for. It is written
// to session.json before the host is started, so that whoever finds the session
// knows whose it is.
type TaskRun struct {
	Task    string `json:"task"`
	Attempt int    `json:"attempt"`
	// Print: the agent's one-shot mode with Prompt, which is written to the
	// session's directory and not to the record.
	Print  bool   `json:"print,omitempty"`
	Prompt string `json:"-"`
	// MaxTurns and MaxCost are told to the agent where they can be; 0 is no bound.
	MaxTurns int     `json:"max_turns,omitempty"`
	MaxCost  float64 `json:"max_cost,omitempty"`
}

// Plain: a command or a shell, not an agent.
func (spec *Spec) Plain() bool {
	return spec.Agent == config.CommandAgent || spec.Kind == agents.KindShell
}

// Runs is what Session.Plain says of it: an agent's name before a bare shell makes no
// agent of that.
func (spec *Spec) Runs() string {
	given := spec.Custom || spec.Kind == agents.KindGeneric
	switch {
	case spec.Kind == agents.KindShell, given && agents.BareShell(spec.Command, spec.Args):
		return api.PlainShell
	case spec.Agent == config.CommandAgent:
		return api.PlainCommand
	}
	return ""
}
