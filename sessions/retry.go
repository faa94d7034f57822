package sessions

import (
	"time"

	"ccdir/agents"
	"ccdir/api"
)

// retryShows is how long a retry that is due may stand without being shown on the screen: the
// request is under way, and an overloaded API refuses it at once.
const retryShows = 5 * time.Second

// noteRetry keeps that the agent asks its API again, until it has gone on.
func (w *weighing) noteRetry() {
	was, now := w.cur.Retry, agents.RetryOf(w.e)
	switch {
	case w.fold.State != api.StateWorking:
		w.cur.Retry = nil
	case now != nil:
		w.cur.Retry = now
	case was != nil && retryOver(*was, w.e, w.r.now()):
		w.cur.Retry = nil
	}
}

// retryOver reports whether evidence without a retry shows that the agent has gone on.
func retryOver(r api.Retry, e api.Evidence, now time.Time) bool {
	switch e.Source {
	case api.SourceHook, api.SourcePSP:
		return true
	case api.SourceScreen:
		return e.Name == agents.EvidenceRetry && now.After(r.Next.Add(retryShows))
	}
	return false
}

// seesRetry weighs what a screen shows of a retry, if that is new; in the actor.
func (s *session) seesRetry(r *api.Retry, at time.Time) {
	was := s.cur.Retry
	switch {
	case s.fold.State != api.StateWorking, r == nil && was == nil:
		return
	case r != nil && was != nil && r.Attempt == was.Attempt && r.Status == was.Status:
		return // counted down
	case r == nil && !s.r.now().After(was.Next.Add(retryShows)):
		return
	}
	s.weigh(agents.RetryEvidence(r, at), change{})
}
