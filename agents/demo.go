package agents

import (
	"errors"
	"time"
)

// Demo is the adapter of the demo agent, a hidden verb of the shim that behaves
// like an agent CLI and calls the real hook commands.
type Demo struct{}

// Kind returns KindDemo.
func (Demo) Kind() string { return KindDemo }

// Managed is true: the demo agent calls hooks.
func (Demo) Managed() bool { return true }

// Prepare starts `ccdir-shim demo-agent` with the configured arguments. Command
// is not used.
func (Demo) Prepare(s Start) (Launch, error) {
	if s.Shim == "" {
		return Launch{}, errors.New("ccdir-shim was not found: it must lie beside ccdir")
	}
	conversation := s.Resume
	if conversation == "" {
		conversation = newUUID()
	}
	argv := append([]string{s.Shim, "demo-agent"}, s.Args...)
	return Launch{Argv: append(argv, "--session-id", conversation), Env: s.Env, Conversation: conversation}, nil
}

// DecodeHook reads payloads of Claude Code's shape.
func (Demo) DecodeHook(name string, at time.Time, payload []byte) (Hook, error) {
	return Claude{}.DecodeHook(name, at, payload)
}

// KillPlan is Claude Code's.
func (Demo) KillPlan() KillPlan { return Claude{}.KillPlan() }

// PromptSteps are Claude Code's.
func (Demo) PromptSteps(text string, leftover int) []Step {
	return Claude{}.PromptSteps(text, leftover)
}
