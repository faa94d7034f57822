package agents

import (
	"ccdir/api"
)

// Guarded is an adapter whose hooks can stop a tool before it runs.
type Guarded interface {
	// ToolUse is the tool call of a decoded hook; ok is false for hooks that are not
	// called before a tool.
	ToolUse(h Hook) (u api.ToolUse, ok bool)
	// ToolReply is the hook process's output for a verdict. version is the agent's, ""
	// if unknown. EffectNone is "", which leaves the decision to the agent's own
	// permission mode.
	ToolReply(v api.Verdict, version string) string
}

// FolderBound is an adapter whose agent starts its hooks in the session's folder: none of them runs
// while there is no such folder, and no policy holds.
type FolderBound interface {
	// HooksNeedFolder does nothing.
	HooksNeedFolder()
}
