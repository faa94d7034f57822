package sessions

import (
	"ccdir/sessions/hostlink"
	"context"
	"errors"
	"time"
)

// silentPause is the pause between two requests to a host that does not answer.
const silentPause = time.Second

// askAgain pauses and reports whether a delivery retries a request: the host did not
// answer, or is not connected, and the delivery is patient. Retries are idempotent:
// transactions have ids, other requests only read. The retries end with ctx, or when a
// request reports the end of the process. The caller holds session.sending.
func (s *session) askAgain(ctx context.Context, err error) bool {
	var silent *hostlink.SilentHost
	if !s.patient || !errors.As(err, &silent) && !errors.Is(err, hostlink.ErrNoHost) {
		return false
	}
	if !s.hostMissed {
		s.hostMissed = true
		s.r.log.Warn("a prompt waits for a host that does not answer", "session", s.id)
	}
	select {
	case <-time.After(silentPause):
		return true
	case <-ctx.Done():
		return false
	}
}
