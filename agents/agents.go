// Package agents defines what ccdir needs of an agent CLI: how it is started as a managed
// session, what its hooks say, how a prompt is typed and how it is ended. Every kind of
// agent is an Adapter; abilities of some kinds only (Deliverer, Permissions, Printer, Signs,
// ScreenReader, Connected and others) are small interfaces, a file each, that callers ask an adapter
// for. Package adapters finds the adapter of a kind.
//
// Contract: adapters are stateless values, safe for concurrent use. Only Prepare writes to
// the disk, and only below Start.Dir.
package agents

import (
	"encoding/json"
	"time"

	"ccdir/api"
)

// MaxField bounds a value in Evidence.Fields, in runes.
const MaxField = 200

// Start is the input of Adapter.Prepare.
type Start struct {
	Session, Name string
	// Dir is the session's directory, for generated files: settings, an overlay home.
	Dir string
	CWD string
	// Command and Args come from the configuration: the executable (resolved) and its
	// arguments.
	Command string
	Args    []string
	// Model is the model to use, "" for the agent's default. It is set only for a
	// ModelChooser.
	Model string
	// Env is the environment so far: the caller's, cleaned, plus ccdir's variables.
	Env []string
	// Shim is the absolute path of ccdir-shim, for hook commands.
	Shim string
	// Resume is the conversation to continue, "" for a new one.
	Resume string
	// Fork: continue in a new conversation, and leave that of Resume as it is. It is set only
	// for a Forker.
	Fork bool
	// Fresh: begin a new conversation, whatever Args choose.
	Fresh bool
	// NoContinue: the agent does not go on by itself after a usage limit, because ccdir has it go on.
	NoContinue bool
	// Walled: walls that hold a profile whole will be around the agent. A sandbox of its own, which does not begin behind
	// them, stays off; what it asks about, and its hooks, stay.
	Walled bool
	// Version is the agent's version, "" if unknown.
	Version string
	// MCP: give the agent ccdir's tools. Preapproved are the tools for which the agent
	// shows no permission dialog of its own.
	MCP         bool
	Preapproved []string
}

// Launch is the command line of the agent's process.
type Launch struct {
	Argv []string
	Env  []string
	// Conversation is the agent's own conversation id if we chose it, "" if the first
	// hook will report it.
	Conversation string
	// Control is how ccdir reaches the agent beside its terminal; the zero Control for most.
	Control Control
	// Unguarded says why no policy holds for the process, for people; "" if one can hold.
	Unguarded string
	// Mode is the permission mode that the arguments choose, of an agent that does not report its
	// mode; "": they choose none, or it will be reported.
	Mode string
}

// Fields of a hook's evidence that the core reads besides those that api.EventKind names.
const (
	FieldDelegates  = "delegates"   // of a tool call: it runs a subagent
	FieldCleared    = "cleared"     // of a conversation: it begins empty in place of another
	FieldSteers     = "steers"      // of a prompt: during a turn it becomes part of that turn
	FieldOwnRefusal = "own_refusal" // of a refused call: the agent refused it before anybody was asked
	FieldHeldBack   = "held_back"   // of a dialog: it opens when its hook has replied (DialogHolder)
)

// Hook is a decoded hook call.
type Hook struct {
	// Evidence is for the fold. Its Kind and Fields hold the values that rules compare.
	Evidence api.Evidence
	// Conversation is the agent's session id at this moment, "" if the hook lacks it.
	Conversation string
	CWD          string
	// Prompt is the text of a submitted prompt.
	Prompt string
	// Reply is the last message of a turn that ended, bounded.
	Reply string
	// Failure is why the turn failed, of a hook that says so; nil for others. Its message may
	// be "": then it is Reply.
	Failure *api.TurnFailure
	// Transcript is the path of the agent's own file of the conversation, "" if the
	// hook lacks it.
	Transcript string
	// Question is the agent's question to the user, "" if there is none.
	Question string
	// Tool and ToolInput are set for tool and permission hooks. ToolInput has no likely
	// secrets, and long strings are cut: it is saved.
	Tool      string
	ToolInput json.RawMessage
	// FullInput is the input as it is; it aliases the payload. It is never saved.
	FullInput json.RawMessage
	// Dir is the directory in which the call works, as the call names it; "" if it doesn't.
	Dir string
	// Message is one line for the event log.
	Message string
	// Data is the payload for the event log, without likely secrets in inputs and outputs of
	// tools, and with long strings shortened.
	Data json.RawMessage
	// Skip: the hook is not worth an event.
	Skip bool
}

// KillPlan is the polite way to end an agent.
type KillPlan struct {
	// Keys are typed list by list, with a pause of Pause before each.
	Keys  [][]string
	Pause time.Duration
	// Signal is sent to the process group after the keys ("HUP", "TERM", "").
	Signal string
}

// Adapter is one kind of agent.
type Adapter interface {
	// Kind is the name used in config.toml: "claude", "shell", "demo".
	Kind() string
	// Prepare writes the files the agent needs below s.Dir and returns the
	// command line. An error names what is missing and what to do.
	Prepare(s Start) (Launch, error)
	// DecodeHook turns a hook's payload into evidence. at is when the hook
	// fired. An error means that the payload is malformed.
	DecodeHook(name string, at time.Time, payload []byte) (Hook, error)
	// KillPlan says how to end the agent politely.
	KillPlan() KillPlan
	// Managed: hooks report the state; before the first one the session is starting. A
	// command without hooks counts as idle once it runs.
	Managed() bool
	// PromptSteps types a prompt. Up to leftover lines may be in the input already.
	PromptSteps(text string, leftover int) []Step
}

// Step is one step of typing a prompt; see wire.TxStep.
type Step struct {
	Keys  []string
	Paste string
	// Echo waits until the screen has changed and settled, at most that long.
	Echo time.Duration
}
