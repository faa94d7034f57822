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
