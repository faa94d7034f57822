package claude

import (
	"encoding/json"

	"ccdir/agents"
	"ccdir/api"
)

// ToolUse reads a PreToolUse hook.
func (Adapter) ToolUse(h agents.Hook) (api.ToolUse, bool) {
	if h.Evidence.Kind != api.KindToolBegins || h.Tool == "" {
		return api.ToolUse{}, false
	}
	return api.ToolUse{Tool: h.Tool, Input: h.FullInput, Hook: h.Evidence.Name, ID: h.Evidence.Fields["tool_use_id"], At: h.Evidence.At}, true
}

// sincePreTool is the first version that reads permissionDecision, which alone can
// force a dialog; earlier ones have approve and block.
var sincePreTool = agents.Version{1, 0, 59}

// ToolReply is the output of Claude Code's PreToolUse hook (seen with 2.1.329: ask
// forces the dialog in every mode; the user's own permissions.deny beats allow).
func (Adapter) ToolReply(v api.Verdict, version string) string {
	if v.Effect != api.EffectAllow && v.Effect != api.EffectAsk && v.Effect != api.EffectDeny {
		return ""
	}
	reason := v.Reason
	if v.Rule != "" {
		reason = "policy " + v.Rule + ": " + reason
	}
	if parsed, known := agents.ParseVersion(version); known && parsed.Before(sincePreTool) {
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

// oldToolReply is the form before permissionDecision. It cannot force a dialog, so ask
// becomes block, with the reason.
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
