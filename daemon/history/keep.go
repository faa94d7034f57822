package history

import (
	"context"
	"errors"
	"slices"

	"ccdir/api"
)

// pruneConversations deletes the copies of conversations of sessions that are neither in the
// list nor in the archive.
func (h *History) pruneConversations(ctx context.Context) error {
	kept, err := h.o.Store.ArchivedSessions(ctx)
	if err != nil {
		return err
	}
	return h.o.Conversations().Prune(func(session string) bool {
		_, listed := h.o.Journal.Session(session)
		return listed || slices.Contains(kept, session)
	})
}

// Keep archives a session that has ended, unless that is done, before it is removed. One that
// runs is no error: it cannot be removed.
func (h *History) Keep(ctx context.Context, session string) error {
	s, there := h.o.Journal.Session(session)
	if !there || !s.State.Ended() || s.External {
		return nil
	}
	return h.archive(ctx, s)
}

// Purge deletes what is kept of a session that is not in the list any more: what it showed, and
// its conversations. Its events stay, and the files that the agent itself keeps.
func (h *History) Purge(ctx context.Context, session string) error {
	found, err := h.o.Store.PurgeArchive(session)
	if err == nil && !found {
		err = api.Errorf(api.CodeNotFound, "nothing is kept of session %.40q: `ccdir history` lists what is", session)
	}
	if h.o.Said != nil {
		err = errors.Join(err, h.o.Said.Forget(ctx, session))
	}
	return errors.Join(err, h.o.Conversations().Forget(session))
}
