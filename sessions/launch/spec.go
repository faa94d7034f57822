package launch

import (
	"ccdir/agents"
	"ccdir/api"
	"ccdir/config"
	"ccdir/sandbox"
	"time"
)

// SpecFile is the name of a Spec in the session's directory. Restarts read it, and so does
// a daemon whose database has lost the session's row.
const SpecFile = "session.json"

// Spec describes what a session runs: the content of session.json.
type Spec struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Agent string `json:"agent"`
	Kind  string `json:"kind"`
	// Role is "" in files of versions without roles; it then counts as dev.
	Role string `json:"role,omitempty"`
	// Sandbox is the name of the profile of its walls, "" for none; Git the repository around CWD
	// as it was before anything ran behind them.
	Sandbox string       `json:"sandbox,omitempty"`
	Git     *sandbox.Git `json:"git,omitempty"`
	// SandboxTried: nobody has named the profile, so where it cannot be held whole at the first start, there are no walls,
	// and Unwalled (api.Session) says why.
	SandboxTried bool   `json:"sandbox_tried,omitempty"`
	Unwalled     string `json:"unwalled,omitempty"`
	// Wished is the profile that the project's .ccdir.toml asked for and did not get, since it lets
	// more through; "" for none.
	Wished string `json:"wished,omitempty"`
	// Allowed is what the person lets through for this session besides the profile.
	Allowed []string `json:"allowed,omitempty"`
	// Parent is the id of the session whose agent started this one; "" for none.
	Parent string `json:"parent,omitempty"`
	// Beside is api.Session.Beside.
	Beside *api.Beside `json:"beside,omitempty"`
	// Account is api.Session.Account; what it adds is part of Env.
	Account string `json:"account,omitempty"`
	// Own is what the environment said of the variables of Account before that was chosen: K=V, K= for nothing.
	Own []string `json:"own_sign_in,omitempty"`
	// AccountSince is when the session got another account (restart --account); zero: it has that of
	// its first start.
	AccountSince time.Time `json:"account_since,omitzero"`
	// Resume and Priority are api.Session.ResumeAfterLimit and Priority.
	Resume   api.ResumeMode `json:"resume_after_limit,omitempty"`
	Priority int            `json:"priority,omitempty"`
	// Command and Args are those before the adapter's additions. Custom: the caller gave
	// them, not the configuration.
	Command string   `json:"command"`
	Args    []string `json:"args"`
	Custom  bool     `json:"custom,omitempty"`
	// Given is the end of Args that the caller gave for an agent; Model is the one it chose,
	// "" for the agent's default.
	Given []string `json:"given,omitempty"`
	Model string   `json:"model,omitempty"`
	CWD   string   `json:"cwd"`
	// Env is the environment without the variables that each start adds (token, …).
	Env []string `json:"env"`
	// LoginDisplay: the variables of a display are those of the caller's login; neither the
	// caller's -e nor the configuration chose them. A later start takes those of the newest login.
	LoginDisplay bool `json:"login_display,omitempty"`
	// Withheld are the names of variables that Env lacks: their values are secrets, and the
	// session has ended.
	Withheld   []string  `json:"withheld,omitempty"`
	Cols       int       `json:"cols"`
	Rows       int       `json:"rows"`
	Scrollback int       `json:"scrollback"`
	Created    time.Time `json:"created"`
	// Version is the version that the agent's executable reported at the last start; "" if
	// unknown.
	Version string `json:"version,omitempty"`
	// Request is the idempotency key of the call that made the session; "" for none.
	Request string `json:"request,omitempty"`
	// ForkOf is the conversation that the session's own goes on from, until that has content;
	// "" for none. Fresh: the next process begins a new conversation, whatever Args choose.
	ForkOf string `json:"fork_of,omitempty"`
	Fresh  bool   `json:"fresh,omitempty"`
	// Run is the attempt of the task that the session was made for; nil for none.
	Run *TaskRun `json:"run,omitempty"`
}

// NoStatus reports whether the host leaves queries of the program status (OSC 7501)
// unanswered, as the caller wants.
func (s Spec) NoStatus() bool { return agents.Getenv(s.Env, api.EnvNoStatus) != "" }

// TaskRun is the attempt of a task that a session was made for. It is saved in session.json
// before the host starts, so that a later daemon knows the session's task.
type TaskRun struct {
	Task    string `json:"task"`
	Attempt int    `json:"attempt"`
	// Print is the agent's one-shot mode with Prompt, which is saved in the session's
	// directory, not in session.json.
	Print  bool   `json:"print,omitempty"`
	Prompt string `json:"-"`
	// MaxTurns and MaxCost are passed to agents that support them; 0 is no bound.
	MaxTurns int     `json:"max_turns,omitempty"`
	MaxCost  float64 `json:"max_cost,omitempty"`
	// Setup is api.TaskResult.Setup.
	Setup string `json:"setup,omitempty"`
}

// Plain reports whether the session runs a command or a shell, not an agent.
func (spec *Spec) Plain() bool {
	return spec.Agent == config.CommandAgent || spec.Kind == agents.KindShell
}

// Runs is the value of Session.Plain: a bare shell is a shell, even under an agent's name.
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
