package history

import (
	"context"
	"slices"
	"time"

	"ccdir/api"
	"ccdir/config"
)

const (
	// taskRows bounds the ended sessions of tasks in the list of sessions, whatever the
	// configuration keeps.
	taskRows = 20
	// lookedAt is how long the pane of a failed task stays after a person has looked at it.
	lookedAt = 10 * time.Minute
)

// panes takes ended sessions of tasks, and tools that were closed, out of the list of sessions. The goroutine of
// givePanesBack owns seen; the others wake it.
type panes struct {
	wake chan struct{} // one slot
	// seen is when each kept session was first found looked at, by id.
	seen map[string]time.Time
}

// lookAtPanes makes givePanesBack look at all panes again.
func (p *panes) lookAtPanes() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// givePanesBack removes the sessions that are not to be kept whenever something has
// changed, until ctx ends.
func (h *History) givePanesBack(ctx context.Context, p *panes) {
	for {
		var later <-chan time.Time
		if wait := h.clearPanes(ctx, p); wait > 0 {
			later = time.After(wait)
		}
		select {
		case <-p.wake:
		case <-later:
		case <-ctx.Done():
			return
		}
	}
}

// clearPanes removes every ended session of a task that is not to be kept and whose
// transcript is in the store. wait is when to look again at the latest; 0: at the next
// change.
func (h *History) clearPanes(ctx context.Context, p *panes) (wait time.Duration) {
	var ended []api.Session
	for _, s := range h.o.Journal.Sessions() {
		if s.Closed() { // there is no pane that would show it
			if _, left := h.giveBack(ctx, s); left > 0 {
				wait = left
			}
			continue
		}
		if s.Task != "" && s.State.Ended() && !s.External {
			ended = append(ended, s)
		}
	}
	slices.SortFunc(ended, func(a, b api.Session) int { return b.Since.Compare(a.Since) })
	seen := map[string]time.Time{}
	kept := 0
	for _, s := range ended {
		var task *api.Task
		t, err := h.o.Tasks.Lookup(ctx, s.Task)
		switch {
		case err == nil:
			task = &t
		case api.CodeOf(err) != api.CodeNotFound:
			return 0 // the queue has ended
		}
		var looked time.Duration
		if !s.Unread {
			if seen[s.ID] = p.seen[s.ID]; seen[s.ID].IsZero() {
				seen[s.ID] = time.Now()
			}
			looked = max(1, time.Since(seen[s.ID]))
		}
		keep, left := keeps(h.o.Config().Queue.EndedPanes, s, task, looked)
		over := kept >= taskRows && (task == nil || task.State.Ended())
		if !keep || over {
			var gone bool
			if gone, left = h.giveBack(ctx, s); gone {
				continue
			}
		}
		kept++
		if left > 0 && (wait == 0 || left < wait) {
			wait = left
		}
	}
	p.seen = seen
	return wait
}

// removeAgain is when to try again what could not be removed: its host may still end.
const removeAgain = 5 * time.Second

// giveBack removes a session whose transcript is in the store. again is when to try again,
// 0: at the next change.
func (h *History) giveBack(ctx context.Context, s api.Session) (gone bool, again time.Duration) {
	if known, err := h.o.Store.Archived(ctx, s.ID, s.Since); err != nil || !known {
		return false, 0 // archiving it is another wake-up
	}
	if err := h.o.Sessions.Remove(ctx, s.ID); err != nil && api.CodeOf(err) != api.CodeNotFound {
		h.o.Logger.Debug("the session of an ended task stays in the list for now", "session", s.ID, "error", err)
		return false, removeAgain
	}
	return true, 0
}

// keeps reports whether the ended session of a task stays in the list of sessions. task
// is nil if it is forgotten; looked is how long ago a person looked at the session, 0 if
// nobody has. left is when to ask again, 0 if time alone changes nothing.
func keeps(mode string, s api.Session, task *api.Task, looked time.Duration) (keep bool, left time.Duration) {
	switch {
	case task == nil:
		return false, 0
	case !task.State.Ended():
		// A later attempt has a session of its own.
		return mode == config.PanesAll || task.Session == "" || task.Session == s.ID, 0
	case task.Session == s.ID && s.ExitCode != nil && task.Result.ExitCode == nil:
		return true, 0 // the queue has not read its end yet
	case mode != config.PanesFailed:
		return mode == config.PanesAll, 0
	case task.Session != s.ID || task.State != api.TaskFailed && task.State != api.TaskTimedOut:
		return false, 0
	case looked == 0:
		return true, 0
	}
	return looked < lookedAt, max(0, lookedAt-looked)
}
