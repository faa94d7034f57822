// Package hooks is the daemon's endpoint for hook processes (hooks/call). Payloads that
// no daemon took in time are in the session's spool, which package sessions reads.
//
// Contract: within one daemon the registry gets each call once, although hook processes
// retry with the same id when a connection breaks. Across daemons, and for calls that are
// in the spool too, the registry deduplicates by the id. A call that the registry refused
// is forgotten, and its retry reaches the registry again.
package hooks

import (
	"context"
	"time"

	"ccdir/api"
)

// Registry takes hook calls: sessions.Registry.
type Registry interface {
	// Hook takes one call. token authorises it, hookID is the same in retries (which must
	// not become a second event), at is when the hook fired. payload belongs to the
	// registry. Hook blocks until the reply is known; ctx ends when the hook process hangs
	// up. The code of its error decides what the hook process does: after a status of 500
	// or more it spools or retries the call, after others it gives up.
	Hook(ctx context.Context, session, token, hook, hookID string, at time.Time, payload []byte) (api.HookReply, error)
}

// Rejecter is implemented by a Registry that records calls refused by the endpoint.
type Rejecter interface {
	RejectHook(session, hook, why string)
}

// Outside is implemented by a Registry that takes hook calls of agents outside ccdir. Such
// a call has no token: only the user's own processes can connect to the socket. pid is the
// agent's process according to the caller.
type Outside interface {
	ExternalHook(ctx context.Context, pid int, hook, hookID string, at time.Time, payload []byte) error
}

// RoleClaims is implemented by a Registry that records false roles in the environments of
// hooks.
type RoleClaims interface {
	// RoleClaimed reports the role in the environment of a session's hook. The session's
	// role does not change.
	RoleClaimed(ctx context.Context, session, token, role string)
}
