package agents

import (
	"encoding/json"

	"ccdir/api"
)

// Guarded is what adapters have whose hooks can stop a tool before it runs.
type Guarded interface {
	// ToolUse is what a decoded hook is about; ok is false for hooks that do not
	// come before a tool.
	ToolUse(h Hook) (u api.ToolUse, ok bool)
	// ToolReply is what the hook process prints for a verdict. version is the
	// agent's, "" if it is not known. EffectNone is "", which leaves the decision
	// to the agent's own permission mode.
	ToolReply(v api.Verdict, version string) string
}

// ToolUse is what a PreToolUse hook is about.
func (Claude) ToolUse(h Hook) (api.ToolUse, bool) {
	if h.Evidence.Name != "PreToolUse" || h.Tool == "" {
		return api.ToolUse{}, false
	}
	return api.ToolUse{Tool: h.Tool, Input: h.FullInput, Hook: h.Evidence.Name, ID: h.Evidence.Fields["tool_use_id"], At: h.Evidence.At}, true
}

// claudePreTool is the first version that reads permissionDecision, which alone
// can force a dialog; before there were approve and block.
var claudePreTool = Version{1, 0, 59}

// ToolReply is the reply of Claude Code's PreToolUse hook (seen with 2.1.329: ask
// forces the dialog in every mode; the user's own permissions.deny beats allow).
func (Claude) ToolReply(v api.Verdict, version string) string {
	if v.Effect != api.EffectAllow && v.Effect != api.EffectAsk && v.Effect != api.EffectDeny {
		return ""
	}
	reason := v.Reason
	if v.Rule != "" {
		reason = "policy " + v.Rule + ": " + reason
	}
	if parsed, known := ParseVersion(version); known && parsed.Before(claudePreTool) {
		return oldToolReply(v.Effect, reason)
	}
	var reply struct {
		Output struct {
			Event    string `json:"hookEventName"`
			Decision string `json:"permissionDecision"`
			Reason   string `json:"permissionDecisionReason,omitempty"`
		} `json:"hookSpecificOutput"`
	}
	reply.Output.Event, reply.Output.Decision, reply.Output.Reason = "PreToolUse", v.Effect, reason
	out, err := json.Marshal(reply)
	if err != nil {
		return "" // texts alone: it cannot fail
	}
	return string(out)
}

// oldToolReply is the form before permissionDecision. There a dialog cannot be
// forced, so what would be asked about is stopped, with the reason.
func oldToolReply(effect, reason string) string {
	reply := struct {
		Decision string `json:"decision"`
		Reason   string `json:"reason,omitempty"`
	}{"block", reason}
	switch effect {
	case api.EffectAllow:
		reply.Decision = "approve"
	case api.EffectAsk:
		reply.Reason = "this needs a person's permission, and this version of the agent cannot be made to ask: " + reason
	}
	out, err := json.Marshal(reply)
	if err != nil {
		return ""
	}
	return string(out)
}

// ToolUse is Claude Code's: the demo agent's payloads have its shape.
func (Demo) ToolUse(h Hook) (api.ToolUse, bool) { return Claude{}.ToolUse(h) }

// ToolReply is Claude Code's.
func (Demo) ToolReply(v api.Verdict, _ string) string { return Claude{}.ToolReply(v, "") }
