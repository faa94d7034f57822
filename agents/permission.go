package agents

import (
	"ccdir/api"
)

// Permissions is an adapter whose permission requests can be answered by the hook's
// reply.
type Permissions interface {
	// PermissionRequest describes the request in a decoded hook; ok is false for other
	// hooks. The caller fills in Session, ids and times.
	PermissionRequest(h Hook) (r api.Request, ok bool)
	// PermissionReply is the hook process's output for a decision; "" leaves the
	// request to the dialog.
	PermissionReply(d api.Decision) string
}
