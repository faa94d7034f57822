package adapters

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"ccdir/agents"
	"ccdir/agents/claude"
	"ccdir/agents/transcript"
	"ccdir/api"
)

// Demo is the adapter of the demo agent, a hidden verb of the shim that behaves
// like an agent CLI and calls the real hook commands.
type Demo struct{}

// Kind returns KindDemo.
func (Demo) Kind() string { return agents.KindDemo }

// Managed is true: the demo agent calls hooks.
func (Demo) Managed() bool { return true }

// Prepare starts `ccdir-shim demo-agent` with the configured arguments. Command
// is not used.
func (Demo) Prepare(s agents.Start) (agents.Launch, error) {
	if s.Shim == "" {
		return agents.Launch{}, errors.New("ccdir-shim was not found: it must lie beside ccdir")
	}
	conversation := s.Resume
	if conversation == "" {
		conversation = agents.NewUUID()
	}
	argv := append([]string{s.Shim, "demo-agent"}, s.Args...)
	return agents.Launch{Argv: append(argv, "--session-id", conversation), Env: s.Env, Conversation: conversation}, nil
}

// DecodeHook reads payloads of Claude Code's shape.
func (Demo) DecodeHook(name string, at time.Time, payload []byte) (agents.Hook, error) {
	return claude.Adapter{}.DecodeHook(name, at, payload)
}

// KillPlan is Claude Code's.
func (Demo) KillPlan() agents.KillPlan { return claude.Adapter{}.KillPlan() }

// PromptSteps are Claude Code's.
func (Demo) PromptSteps(text string, leftover int) []agents.Step {
	return claude.Adapter{}.PromptSteps(text, leftover)
}

// AckOf is Claude Code's for plain texts: the demo agent has no commands.
func (Demo) AckOf(text string) agents.Ack {
	if strings.HasPrefix(text, "/") || strings.HasPrefix(text, "!") {
		return agents.Ack{}
	}
	return agents.Ack{Prompt: true, Again: true}
}

// ReadySigns are none: the demo agent may run without reporting a status.
func (Demo) ReadySigns(string) agents.ReadySigns { return agents.ReadySigns{} }

// DialogRequest is Claude Code's: the demo agent's payloads have its shape.
func (Demo) DialogRequest(h agents.Hook) (api.Request, bool) {
	return claude.Adapter{}.DialogRequest(h)
}

// PermissionReply is Claude Code's.
func (Demo) PermissionReply(d api.Decision) string { return claude.Adapter{}.PermissionReply(d) }

// AsksLine is Claude Code's: the demo agent's tools have its names.
func (Demo) AsksLine(tool string, input json.RawMessage, cwd string) string {
	return claude.Adapter{}.AsksLine(tool, input, cwd)
}

// ToolUse is Claude Code's: the demo agent's payloads have its shape.
func (Demo) ToolUse(h agents.Hook) (api.ToolUse, bool) { return claude.Adapter{}.ToolUse(h) }

// ToolReply is Claude Code's.
func (Demo) ToolReply(v api.Verdict, _ string) string { return claude.Adapter{}.ToolReply(v, "") }

// PreparePrint adds -print.
func (d Demo) PreparePrint(s agents.Start, _ agents.Bounds) (agents.Launch, error) {
	launch, err := d.Prepare(s)
	launch.Argv = append(launch.Argv, "-print")
	return launch, err
}

// PrintResult reads results of Claude Code's shape.
func (Demo) PrintResult(stdout []byte) (agents.PrintResult, bool) {
	return claude.Adapter{}.PrintResult(stdout)
}

// TurnEnds is Claude Code's: the demo agent calls its hooks.
func (Demo) TurnEnds(h agents.Hook) (again, ok bool) { return claude.Adapter{}.TurnEnds(h) }

// ContinueReply is Claude Code's.
func (Demo) ContinueReply(text string) string { return claude.Adapter{}.ContinueReply(text) }

// OpenConversation is Claude Code's: the demo agent writes files of its format.
func (Demo) OpenConversation(c agents.Conversation) transcript.Source {
	if c.Path == "" {
		return nil // it keeps them nowhere else
	}
	return claude.Adapter{}.OpenConversation(c)
}

// ConversationEvents are Claude Code's.
func (Demo) ConversationEvents() (changes, any string) { return claude.Adapter{}.ConversationEvents() }

// ConversationOf is Claude Code's.
func (Demo) ConversationOf(data json.RawMessage) (agents.Conversation, bool) {
	return claude.Adapter{}.ConversationOf(data)
}

// HomeEnv is Claude Code's. The demo agent keeps nothing there.
func (Demo) HomeEnv(dir string) []string { return claude.Adapter{}.HomeEnv(dir) }

// MeterHook is Claude Code's.
func (Demo) MeterHook() string { return claude.Adapter{}.MeterHook() }

// ReadMeter reads status lines of Claude Code's shape.
func (Demo) ReadMeter(at time.Time, payload []byte) (agents.Metered, error) {
	return claude.Adapter{}.ReadMeter(at, payload)
}
