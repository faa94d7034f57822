package daemon

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"ccdir/internal/api"
	"ccdir/internal/hostwire"
	"ccdir/internal/textsafe"
	"ccdir/orchestrator"
)

// history archives what sessions showed when they end, and answers questions
// about the past.
type history struct {
	d     *daemon
	tasks *tasks
}

// run archives until ctx ends: those that ended while no daemon ran first.
func (h history) run(ctx context.Context) {
	var wg sync.WaitGroup
	defer wg.Wait()
	w := h.d.events.Watch()
	defer w.Close()
	running := make(chan struct{}, maxArchiving)
	known := map[string]time.Time{} // ends that were seen
	look := func(s api.Session) {
		if !s.State.Ended() || s.External || known[s.ID].Equal(s.Since) {
			return
		}
		known[s.ID] = s.Since
		wg.Go(func() { h.archiveOnce(ctx, s, running) })
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
			delete(known, m.Removed)
		}
	}
}

const (
	// maxArchiving bounds the sessions that are archived at the same time.
	maxArchiving = 4
	// archiveTries is how often it is tried, with archiveAgain between: the disk may
	// be full, or the database locked.
	archiveTries = 20
	archiveAgain = 30 * time.Second
)

// archiveOnce archives a session, at last. running bounds how many do so at once.
func (h history) archiveOnce(ctx context.Context, s api.Session, running chan struct{}) {
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
		h.d.log.Error("the transcript of a session cannot be archived now", "session", s.ID, "error", err)
		select {
		case <-time.After(archiveAgain):
		case <-ctx.Done():
			return
		}
		if now, there := h.d.events.Session(s.ID); !there || !now.Since.Equal(s.Since) {
			return // it was removed, or begun again
		}
	}
}

func (h history) archive(ctx context.Context, s api.Session) error {
	if known, err := h.d.store.Archived(ctx, s.ID, s.Since); known || err != nil {
		return err
	}
	styled, err := h.d.registry.Buffer(ctx, s.ID, hostwire.OutputParams{Format: hostwire.FormatANSI, Scrollback: true})
	if err != nil && api.CodeOf(err) != api.CodeNotFound {
		return err
	}
	plain, _ := h.d.registry.Buffer(ctx, s.ID, hostwire.OutputParams{Format: hostwire.FormatText, Scrollback: true})
	e := api.HistoryEntry{Kind: "session", ID: s.ID, Name: s.Name, Agent: s.Agent, CWD: s.CWD, Task: s.Task, State: string(s.State),
		ExitCode: s.ExitCode, Started: s.Created, Ended: s.Since, Text: s.Prompt, Conversation: s.Conversation}
	if err := h.d.store.Archive(e, styled.Text, plain.Text); err != nil || s.Task == "" {
		return err
	}
	return h.clearTasks(ctx)
}

// taskRows is how many ended sessions of tasks are kept as rows of the grid; the
// transcripts of others are in the archive.
const taskRows = 20

// clearTasks removes the oldest ended sessions of ended tasks beyond taskRows.
func (h history) clearTasks(ctx context.Context) error {
	var ended []api.Session
	for _, s := range h.d.events.Sessions() {
		if s.Task != "" && s.State.Ended() {
			ended = append(ended, s)
		}
	}
	slices.SortFunc(ended, func(a, b api.Session) int { return b.Since.Compare(a.Since) })
	for _, s := range ended[min(len(ended), taskRows):] {
		if t, err := h.tasks.queue.Task(ctx, s.Task); err != nil && api.CodeOf(err) != api.CodeNotFound || err == nil && !t.State.Ended() {
			continue
		}
		if known, err := h.d.store.Archived(ctx, s.ID, s.Since); err != nil || !known {
			continue
		}
		if err := h.d.registry.Remove(ctx, s.ID); err != nil && api.CodeOf(err) != api.CodeNotFound {
			return err
		}
	}
	return nil
}

// Limits of answers about the past.
const (
	historyDefault = 50
	historyMax     = 10_000
)

// History lists ended sessions and tasks, newest first, that follow a place.
func (h history) History(ctx context.Context, after api.HistoryPlace, limit int) ([]api.HistoryEntry, error) {
	limit = min(cmp.Or(max(limit, 0), historyDefault), historyMax)
	list, err := h.d.store.History(ctx, after, limit)
	if err != nil {
		return nil, err
	}
	tasks, err := h.tasks.Tasks(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range tasks {
		if place := (api.HistoryPlace{Ended: t.Ended, Kind: "task", ID: t.ID}); t.State.Ended() && place.Follows(after) {
			list = append(list, api.HistoryEntry{Kind: "task", ID: t.ID, Name: t.Name, Agent: t.Agent, CWD: t.CWD, Session: t.Session,
				State: string(t.State), ExitCode: t.Result.ExitCode, Started: cmp.Or(t.Started, t.Created), Ended: t.Ended, Text: t.Brief().Prompt,
				Conversation: t.Result.Conversation})
		}
	}
	slices.SortFunc(list, func(a, b api.HistoryEntry) int { return a.Place().After(b.Place()) })
	return list[:min(len(list), limit)], nil
}

// Transcript returns what an ended session showed; ref is its id, or that of a
// task, whose last session is meant.
func (h history) Transcript(ctx context.Context, ref string) (api.Transcript, error) {
	if t, err := h.tasks.queue.Task(ctx, ref); err == nil && t.Session != "" {
		ref = t.Session
	} else if id, err := h.d.registry.Resolve(ref); err == nil {
		ref = id
	}
	return h.d.store.Transcript(ctx, ref)
}

// Search finds tasks by prompt and result, sessions by transcript and events by
// message; each with all words, newest first.
func (h history) Search(ctx context.Context, text string, limit int) ([]api.SearchHit, error) {
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	if len(words) == 0 {
		return nil, api.Errorf(api.CodeInvalid, "there is no word to search for in %.40q", text)
	}
	limit = min(cmp.Or(max(limit, 0), historyDefault), historyMax)
	hits, err := h.searchTasks(ctx, words, limit)
	if err != nil {
		return nil, err
	}
	found, err := h.d.store.SearchTranscripts(ctx, words, limit)
	if err != nil {
		return nil, err
	}
	for _, hit := range found {
		hit.Line, _ = lineWith(stripStyles(hit.Line), words)
		hits = append(hits, hit)
	}
	found, err = h.d.store.SearchEvents(ctx, words, limit)
	if err != nil {
		return nil, err
	}
	for _, hit := range found {
		hit.Line = textsafe.Cut(textsafe.Line(hit.Line), maxHit)
		hits = append(hits, hit)
	}
	slices.SortStableFunc(hits, func(a, b api.SearchHit) int { return b.At.Compare(a.At) })
	return hits[:min(len(hits), limit)], nil
}

// searchTasks finds tasks by their texts, their result, and what they printed.
func (h history) searchTasks(ctx context.Context, words []string, limit int) (hits []api.SearchHit, err error) {
	ids, err := h.d.store.SearchTasks(ctx, words, limit)
	if err != nil {
		return nil, err
	}
	tasks, err := h.tasks.queue.Several(ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, t := range tasks {
		line, n := lineWith(orchestrator.Record{Task: t}.Text(), words)
		if n < len(words) && t.Kind == api.TaskPrint {
			stdout, stderr, err := h.d.store.Output(ctx, t.ID)
			if err != nil {
				return nil, err
			}
			if printed, m := lineWith(string(stdout)+"\n"+string(stderr), words); m > n {
				line = printed
			}
		}
		hits = append(hits, api.SearchHit{Kind: "task", ID: t.ID, At: cmp.Or(t.Ended, t.Since), Session: t.Session, Line: line})
	}
	return hits, nil
}

// maxHit bounds a line of a hit, in runes.
const maxHit = 300

// lineWith is the first line with the most of the words, and how many it has.
func lineWith(text string, words []string) (line string, best int) {
	best = -1
	for l := range strings.SplitSeq(text, "\n") {
		n, lowered := 0, strings.ToLower(l)
		for _, w := range words {
			if strings.Contains(lowered, strings.ToLower(w)) {
				n++
			}
		}
		if n > best {
			best, line = n, l
		}
	}
	return textsafe.Cut(textsafe.Line(strings.TrimSpace(line)), maxHit), max(best, 0)
}

// stripStyles removes SGR sequences, which are all that a transcript has.
func stripStyles(s string) string {
	var b strings.Builder
	for {
		i := strings.Index(s, "\x1b[")
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		s = s[i+2:]
		end := strings.IndexByte(s, 'm')
		if end < 0 {
			return b.String()
		}
		s = s[end+1:]
	}
}

const (
	staleLook = time.Minute
	// staleClients is how many connections a host has that no person looks at:
	// the daemon's.
	staleClients = 1
)

// endStale ends sessions without output and without a client for stale_timeout,
// until ctx ends. Sessions of tasks have limits of their own.
func (d *daemon) endStale(ctx context.Context, every time.Duration) {
	type quiet struct {
		written uint64
		since   time.Time
	}
	seen := map[string]quiet{}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		limit := d.config.Load().StaleTimeout
		next := map[string]quiet{}
		for _, s := range d.events.Sessions() {
			if limit <= 0 || s.State.Ended() || s.External || s.Task != "" {
				continue
			}
			life, err := d.registry.Life(ctx, s.ID)
			if err != nil {
				continue
			}
			now := time.Now()
			q, known := seen[s.ID]
			if !known || q.written != life.Written || life.Clients > staleClients {
				q = quiet{life.Written, now}
			}
			next[s.ID] = q
			if now.Sub(q.since) >= limit {
				d.endOneStale(ctx, s, limit)
			}
		}
		seen = next
	}
}

func (d *daemon) endOneStale(ctx context.Context, s api.Session, limit time.Duration) {
	d.log.Info("a stale session is ended", "session", s.ID, "after", limit)
	e := api.Event{At: time.Now().UTC(), Session: s.ID, Type: api.EventSessionStale, Source: "daemon", StateFrom: s.State, StateTo: s.State,
		Message: "no output and nobody attached for " + limit.String() + " (stale_timeout): it is ended; `ccdir restart " + s.Name + "` goes on"}
	d.events.Append(api.WatchMessage{Event: &e}, nil, "")
	if _, err := d.registry.Kill(ctx, s.ID, api.Kill{}); err != nil && !errors.Is(err, context.Canceled) {
		d.log.Warn("a stale session does not end", "session", s.ID, "error", err)
	}
}
