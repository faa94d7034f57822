// Package hooks is the daemon's side of hook calls: the endpoint that hook
// processes post to, and the spool that they leave when there was no daemon.
//
// Contract: a call is made known to the registry once, whatever the hook
// process does: it may post the same id again after the connection broke, on a
// new daemon too, and the call may be in the spool as well. Within one daemon
// the endpoint sees to that; across daemons the registry does, by the id. Calls
// of one session arrive in the order of their ids when they come from the
// spool, and in the order of their posts otherwise.
package hooks

import (
	"context"
	"time"

	"ccdir/internal/api"
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
