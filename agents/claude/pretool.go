package claude

import (
	"ccdir/agents"
	"ccdir/agents/payload"
	"ccdir/api"
)

// ToolUse reads a PreToolUse hook.
func (Adapter) ToolUse(h agents.Hook) (api.ToolUse, bool) {
	return payload.ToolUse(h)
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
	reason := payload.Reason(v)
	if parsed, known := agents.ParseVersion(version); known && parsed.Before(sincePreTool) {
		return oldToolReply(v.Effect, reason)
	}
	return payload.ToolDecision(HookPreToolUse, v.Effect, reason)
}

// oldToolReply is the form before permissionDecision. It cannot force a dialog, so ask
// becomes block, with the reason.
func oldToolReply(effect, reason string) string {
	switch effect {
	case api.EffectAllow:
		return payload.Decision("approve", reason)
	case api.EffectAsk:
		reason = "this needs a person's permission, and this version of the agent cannot be made to ask: " + reason
	}
	return payload.Decision("block", reason)
}
