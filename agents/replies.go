package agents

import (
	"encoding/json"

	"ccdir/api"
)

// Permissions is an adapter whose permission requests can be answered by the hook's
// reply.
type Permissions interface {
	// DialogRequest describes the request in a decoded hook; ok is false for other
	// hooks. The caller fills in Session, ids and times.
	DialogRequest(h Hook) (r api.Request, ok bool)
	// PermissionReply is the hook process's output for a decision; "" leaves the
	// request to the dialog.
	PermissionReply(d api.Decision) string
	// AsksLine describes what a tool call asks for, in one line for people: the command,
	// the file and the operation, the site, or the question itself. Paths below cwd are
	// relative to it. "" for input without such content.
	AsksLine(tool string, input json.RawMessage, cwd string) string
}

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

// Continuer is an adapter whose hook at the end of a turn can make the agent continue.
type Continuer interface {
	// TurnEnds reports whether a decoded hook ends a turn of the conversation that
	// its reply can continue; again: a reply of a hook has continued it already.
	TurnEnds(h Hook) (again, ok bool)
	// ContinueReply is the hook process's output that makes the agent continue with text.
	ContinueReply(text string) string
}
