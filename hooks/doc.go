// Package hooks is the daemon's side of hook calls: the endpoint that hook
// processes (hooks/call) post to. The spool that they leave when no
// daemon answered in time belongs to the session and is read by its owner, package
// sessions.
//
// Contract: within one daemon a call is made known to the registry once,
// whatever the hook process does: it may post the same id again after the
// connection broke. Across daemons, and against the spool, the registry sees to
// that by the id.
package hooks

import (
	"context"
	"time"

	"ccdir/api"
)

// Registry takes hook calls: the sessions' registry does.
type Registry interface {
	// Hook is one call: token authorises it, hookID is the same for every repeat
	// of it (a repeat must not become a second event), at is when it fired.
	// payload belongs to the registry. Hook blocks until the reply is known; ctx
	// ends when the hook process hangs up. Its error's api.Code decides what the
	// hook process does next: codes with a status of 500 and more make it spool
	// the call or try again, others end it.
	Hook(ctx context.Context, session, token, hook, hookID string, at time.Time, payload []byte) (api.HookReply, error)
}

// Rejecter is what a Registry also is that records calls that were refused before
// they reached it.
type Rejecter interface {
	RejectHook(session, hook, why string)
}

// Outside is what a Registry also is that takes hook calls of agents outside
// ccdir. Such a call has no token: the socket lets only the user's own processes
// in. pid is what the caller says is the agent's process.
type Outside interface {
	ExternalHook(ctx context.Context, pid int, hook, hookID string, at time.Time, payload []byte) error
}

// RoleClaims is what a Registry also is that records roles which an environment
// claims.
type RoleClaims interface {
	// RoleClaimed notes that the environment of a session's hook names a role. It
	// gives none.
	RoleClaimed(ctx context.Context, session, token, role string)
}
