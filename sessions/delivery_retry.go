package sessions

import (
	"ccdir/sessions/hostlink"
	"context"
	"errors"
	"time"
)

// silentPause is between two requests to a host that does not answer.
const silentPause = time.Second

// askAgain reports, after a pause, whether a request of a delivery is to be made once more:
// its host does not answer, or there is no connection to it now, and the delivery waits
// for whatever it has to. Transactions have ids and everything else only looks, so nothing
// is typed twice. The end of the process, of which the next request tells, and of ctx end
// that. It is used by the one that holds session.sending.
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
