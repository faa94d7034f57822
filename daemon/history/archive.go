package history

import (
	"context"
	"time"

	"ccdir/api"
	"ccdir/internal/contain"
	"ccdir/wire"
)

// Run archives the transcripts of sessions that end, beginning with those that ended
// while no daemon ran, and deletes old ones, until ctx ends. It waits for what it started.
func (h *History) Run(ctx context.Context) {
	wg := contain.Group{Log: h.o.Logger}
	ctx, cancel := context.WithCancel(ctx)
	defer wg.Wait()
	defer cancel()
	wg.Keep(ctx, h.keepPruned)
	p := &panes{wake: make(chan struct{}, 1)}
	wg.Keep(ctx, func(ctx context.Context) { h.givePanesBack(ctx, p) })
	w := h.o.Journal.Watch()
	defer w.Close()
	running := make(chan struct{}, maxArchiving)
	known := map[string]time.Time{} // when each session ended, by id
	look := func(s api.Session) {
		if !s.State.Ended() || s.External || known[s.ID].Equal(s.Since) {
			return
		}
		known[s.ID] = s.Since
		wg.Go(func() {
			h.archiveOnce(ctx, s, running)
			p.lookAtPanes()
		})
	}
	for {
		messages, err := w.Next(ctx)
		if err != nil {
			return
		}
		for _, m := range messages {
			if m.Snapshot != nil {
				for _, s := range m.Snapshot.Sessions {
					look(s)
				}
			}
			if m.Session != nil {
				look(*m.Session)
			}
			if m.Session != nil && m.Session.State.Ended() && (m.Session.Task != "" || m.Session.Closed()) || m.Task != nil || m.TaskGone != "" {
				p.lookAtPanes()
			}
			delete(known, m.Removed)
		}
	}
}

const (
	// maxArchiving bounds the sessions that are archived at the same time.
	maxArchiving = 4
	// archiveTries bounds the attempts to archive a session, archiveAgain apart: the disk
	// may be full, or the database locked.
	archiveTries = 20
	archiveAgain = 30 * time.Second
)

// archiveOnce archives a session, with retries. running has one slot for each that may do
// so at the same time.
func (h *History) archiveOnce(ctx context.Context, s api.Session, running chan struct{}) {
	for range archiveTries {
		select {
		case running <- struct{}{}:
		case <-ctx.Done():
			return
		}
		err := h.archive(ctx, s)
		<-running
		if err == nil || ctx.Err() != nil {
			return
		}
		h.o.Logger.Error("the transcript of a session cannot be archived now", "session", s.ID, "error", err)
		select {
		case <-time.After(archiveAgain):
		case <-ctx.Done():
			return
		}
		if now, there := h.o.Journal.Session(s.ID); !there || !now.Since.Equal(s.Since) {
			return // it was removed or restarted
		}
	}
}

func (h *History) archive(ctx context.Context, s api.Session) error {
	if known, err := h.o.Store.Archived(ctx, s.ID, s.Since); known || err != nil {
		return err
	}
	told, err := h.o.Conversations().Save(ctx, s.ID)
	if err != nil {
		return err
	}
	// What scrolled away is in the conversation, if there is one.
	styled, err := h.o.Sessions.Buffer(ctx, s.ID, wire.OutputParams{Format: wire.FormatANSI, Scrollback: !told})
	if err != nil && api.CodeOf(err) != api.CodeNotFound {
		return err
	}
	plain, _ := h.o.Sessions.Buffer(ctx, s.ID, wire.OutputParams{Format: wire.FormatText, Scrollback: !told})
	e := api.HistoryEntry{Kind: "session", ID: s.ID, Name: s.Name, Agent: s.Agent, CWD: s.CWD, Task: s.Task, State: string(s.State),
		ExitCode: s.ExitCode, Started: h.began(s), Ended: s.Since, Text: s.Prompt, Conversation: s.Conversation}
	if err := h.o.Store.Archive(e, styled.Text, plain.Text); err != nil {
		return err
	}
	// A session that is still in the list may have ended before the oldest transcript that
	// is kept.
	return h.prune(ctx)
}

// began is when the process that ended was started: later than the session, if that was
// restarted.
func (h *History) began(s api.Session) time.Time {
	final, err := wire.ReadFinal(h.o.SessionDir(s.ID))
	if err != nil || final.Started.Before(s.Created) || final.Started.After(s.Since) {
		return s.Created
	}
	return final.Started.UTC()
}

// pruneEvery is how often old transcripts are deleted.
const pruneEvery = 6 * time.Hour

func (h *History) keepPruned(ctx context.Context) {
	tick := h.o.Alarms.NewTicker(pruneEvery)
	defer tick.Stop()
	for {
		if err := h.prune(ctx); err != nil && ctx.Err() == nil {
			h.o.Logger.Error("cannot delete old transcripts", "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// prune deletes the transcripts beyond the configured number and age.
func (h *History) prune(ctx context.Context) error {
	cfg := h.o.Config().Queue
	var oldest time.Time
	if cfg.MaxAge > 0 {
		oldest = time.Now().Add(-cfg.MaxAge)
	}
	if err := h.o.Store.PruneArchive(cfg.Kept, oldest); err != nil {
		return err
	}
	return h.pruneConversations(ctx)
}
