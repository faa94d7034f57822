package agents

import (
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
