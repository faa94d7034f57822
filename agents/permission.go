package agents

import (
	"ccdir/api"
)

// Permissions is what adapters have whose permission requests can be answered
// by their hook's reply.
type Permissions interface {
	// PermissionRequest describes the request that a decoded hook makes; ok is
	// false for hooks that make none. Session, ids and times are the caller's.
	PermissionRequest(h Hook) (r api.Request, ok bool)
	// PermissionReply is what the hook process prints for a decision. One that
	// answers nothing is "", which leaves the request to the dialog.
	PermissionReply(d api.Decision) string
}
