// Package agents defines what ccdir needs of an agent CLI: how it is started as a managed
// session, what its hooks say, how a prompt is typed and how it is ended. Every kind of
// agent is an Adapter; abilities of some kinds only (Deliverer, Permissions, Printer, Signs,
// ScreenReader and others) are small interfaces, a file each, that callers ask an adapter
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

// Start is what an adapter turns into a command.
type Start struct {
	Session, Name string
	// Dir is the session's directory, for generated files.
	Dir string
	CWD string
	// Command and Args come from the configuration: the executable (resolved)
	// and its arguments.
	Command string
	Args    []string
	// Env is the environment so far: the caller's, cleaned, with ours added.
	Env []string
	// Shim is the absolute path of ccdir-shim, for hook commands.
	Shim string
	// Resume is the conversation to continue, "" for a new one.
	Resume string
	// Version is the agent's version where known, "" otherwise.
	Version string
	// MCP: give the agent ccdir's tools. Preapproved are those that need no
	// permission of the agent's own.
	MCP         bool
	Preapproved []string
}

// Launch is how to start the agent's process.
type Launch struct {
	Argv []string
	Env  []string
	// Conversation is the agent's own id where it was chosen by us, "" where
	// the first hook will tell.
	Conversation string
}

// Hook is a decoded hook call.
type Hook struct {
	// Evidence for the fold. Fields hold what rules look at.
	Evidence api.Evidence
	// Conversation is the agent's session id at this moment, "" if not told.
	Conversation string
	CWD          string
	// Prompt is the text of a submitted prompt.
	Prompt string
	// Reply is the last message of a turn that ended, at most maxReply bytes.
	Reply string
	// Transcript is the agent's own file of the conversation, "" if not told.
	Transcript string
	// Question is what the agent asks a person, "" if it doesn't.
	Question string
	// Tool and ToolInput are set for tool and permission hooks.
	Tool      string
	ToolInput json.RawMessage
	// FullInput is ToolInput as it came, nothing shortened; part of the payload.
	FullInput json.RawMessage
	// Message is one line for the event log.
	Message string
	// Data is the payload for the event log, long strings shortened.
	Data json.RawMessage
	// Skip: nothing worth an event.
	Skip bool
}

// KillPlan is the polite way to end an agent.
type KillPlan struct {
	// Keys are typed, each list after a pause of Pause.
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
	// KillPlan is how to end it politely.
	KillPlan() KillPlan
	// Managed: hooks will tell the state; before the first the session is
	// starting. A command without hooks counts as idle once it runs.
	Managed() bool
	// PromptSteps is how a prompt is typed when as many lines as leftover may be
	// in the input already.
	PromptSteps(text string, leftover int) []Step
}

// Step is one step of typing a prompt; see hostwire.TxStep.
type Step struct {
	Keys  []string
	Paste string
	// Echo waits for the screen to change and settle, at most that long.
	Echo time.Duration
}
