// Package history answers questions about the past: ended sessions and tasks, their
// transcripts, and a search over them.
//
// Contract: Run archives the transcript and the conversations of each session that ends, also of those that
// ended while no daemon ran, and retries while the store refuses. An ended session of a
// task is removed from the list of sessions only after its transcript is in the store.
// Answers read the store and block for the disk.
package history

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"ccdir/api"
	"ccdir/config"
	"ccdir/daemon/journal"
	"ccdir/internal/text/textsafe"
	"ccdir/internal/tune/timer"
	"ccdir/orchestrator"
	"ccdir/wire"
)

// Store keeps transcripts: daemon/store.
type Store interface {
	History(ctx context.Context, after api.HistoryPlace, limit int) ([]api.HistoryEntry, error)
	Transcript(ctx context.Context, session string) (api.Transcript, error)
	SearchTranscripts(ctx context.Context, words []string, limit int) ([]api.SearchHit, error)
	SearchEvents(ctx context.Context, words []string, limit int) ([]api.SearchHit, error)
	// SessionNames returns the names that archived sessions had at their end.
	SessionNames(ctx context.Context, ids []string) (map[string]string, error)
	SearchTasks(ctx context.Context, words []string, limit int) (ids []string, err error)
	// Output returns the output of a print task.
	Output(ctx context.Context, task string) (stdout, stderr []byte, err error)
	Archive(e api.HistoryEntry, styled, plain string) error
	// Archived reports whether the transcript of the session's process that ended at that
	// time is archived.
	Archived(ctx context.Context, session string, ended time.Time) (bool, error)
	// PruneArchive deletes transcripts beyond a number, and those that ended before a time
	// (zero: none).
	PruneArchive(kept int, oldest time.Time) error
	// ArchivedSessions are the sessions with a transcript, PurgeArchive deletes those of one
	// and reports whether there were any.
	ArchivedSessions(ctx context.Context) ([]string, error)
	PurgeArchive(session string) (found bool, err error)
}

// Conversations keeps what the agents of sessions said: daemon/conversations.
type Conversations interface {
	// Save copies the conversations of a session that has ended, and reports whether there are
	// copies.
	Save(ctx context.Context, session string) (kept bool, err error)
	// Forget deletes the copies of a session, Prune those of all that are not to be kept.
	Forget(session string) error
	Prune(keep func(session string) bool) error
}

// Sessions are the sessions in the list: sessions.Registry.
type Sessions interface {
	// Resolve returns the id of a session by id or name.
	Resolve(ref string) (string, error)
	Buffer(ctx context.Context, ref string, p wire.OutputParams) (wire.OutputResult, error)
	Remove(ctx context.Context, ref string) error
}

// Tasks is the queue: daemon/queue.
type Tasks interface {
	Tasks(ctx context.Context) ([]api.Task, error)
	Lookup(ctx context.Context, ref string) (api.Task, error)
	Several(ctx context.Context, ids []string) ([]api.Task, error)
}

// Said is the full-text index of conversations: store.Said.
type Said interface {
	Search(ctx context.Context, words []string, limit int) ([]api.SearchHit, error)
	Forget(ctx context.Context, session string) error
}

// Options configure a History.
type Options struct {
	Store Store
	// Said may be nil: then no conversation is searched. Indexed is how many of the sessions
	// that it does not have yet were read; both are 0 if it has all.
	Said     Said
	Indexed  func() (done, all int)
	Sessions Sessions
	// Conversations is called, not kept: they need the history themselves.
	Conversations func() Conversations
	Tasks         Tasks
	Journal       *journal.Log
	// Config returns the configuration in force.
	Config func() *config.Loaded
	// SessionDir is the directory of a session's files.
	SessionDir func(session string) string
	Alarms     *timer.Clock
	Logger     *slog.Logger
}

// History answers questions about the past. Make one with New.
type History struct{ o Options }

// New makes a History; Run fills it.
func New(o Options) *History { return &History{o: o} }

// Limits of answers, in entries.
const (
	historyDefault = 50
	historyMax     = 10_000
)

// History lists the ended sessions and tasks that follow a place, newest first.
func (h *History) History(ctx context.Context, after api.HistoryPlace, limit int) ([]api.HistoryEntry, error) {
	limit = min(cmp.Or(max(limit, 0), historyDefault), historyMax)
	list, err := h.o.Store.History(ctx, after, limit)
	if err != nil {
		return nil, err
	}
	tasks, err := h.o.Tasks.Tasks(ctx)
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

// Transcript returns the transcript of an ended session. ref is a session, or a task: its
// last session. A session in the list has precedence over an ended task of that name.
func (h *History) Transcript(ctx context.Context, ref string) (api.Transcript, error) {
	t, err := h.o.Tasks.Lookup(ctx, ref)
	if isTask := err == nil; !isTask || t.ID != ref && t.State.Ended() {
		if id, err := h.o.Sessions.Resolve(ref); err == nil {
			return h.o.Store.Transcript(ctx, id)
		} else if !isTask {
			return h.o.Store.Transcript(ctx, ref)
		}
	}
	if t.Session == "" {
		return api.Transcript{}, noTranscript(t)
	}
	return h.o.Store.Transcript(ctx, t.Session)
}

// noTranscript explains why a task without a session has no transcript.
func noTranscript(t api.Task) error {
	switch {
	case t.Kind == api.TaskPrint:
		return api.Errorf(api.CodeNotFound, "task %s ran without a terminal: `ccdir task logs %[1]s` prints what it wrote", t.ID)
	case t.State.Ended():
		return api.Errorf(api.CodeNotFound, "task %s ended (%s) before it had a session: `ccdir task show %[1]s` tells about it", t.ID, t.State)
	}
	return api.Errorf(api.CodeNotFound, "task %s has no session yet: `ccdir task show %[1]s` tells about it", t.ID)
}

// Search finds what was said in conversations, tasks by prompt and result, sessions by what
// they showed, events by message, and lines that running sessions show. A hit has all words.
// Lines of running sessions come first, then the newest of what was said and done, then
// events: they often tell what a conversation tells. What could not be searched comes last.
// A line of a screen, or an event, that only shows again what was found in the session's
// conversation is left out, and so is an event whose message a newer one of the session has.
func (h *History) Search(ctx context.Context, text string, limit int) ([]api.SearchHit, error) {
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	if len(words) == 0 {
		return nil, api.Errorf(api.CodeInvalid, "there is no word to search for in %.40q", text)
	}
	limit = min(cmp.Or(max(limit, 0), historyDefault), historyMax)
	hits, err := h.searchTasks(ctx, words, limit)
	if err != nil {
		return nil, err
	}
	said, err := h.searchSaid(ctx, words, limit)
	if err != nil {
		return nil, err
	}
	hits = append(hits, said...)
	found, err := h.o.Store.SearchTranscripts(ctx, words, limit)
	if err != nil {
		return nil, err
	}
	for _, hit := range found {
		if hit.Line, _ = lineWith(PlainText(hit.Line), words); !shownAgain(said, hit) {
			hits = append(hits, hit)
		}
	}
	slices.SortStableFunc(hits, newestFirst)
	events, err := h.searchEvents(ctx, words, limit)
	if err != nil {
		return nil, err
	}
	hits = append(hits, slices.DeleteFunc(events, func(hit api.SearchHit) bool { return shownAgain(said, hit) })...)
	var live, left []api.SearchHit
	for _, hit := range h.searchLive(ctx, words) {
		switch {
		case hit.Kind == api.HitPane && shownAgain(said, hit):
		case hit.Kind == api.HitLeftOut:
			left = append(left, hit)
		default:
			live = append(live, hit)
		}
	}
	left = append(left, h.notIndexed()...)
	hits = append(live, hits...)
	hits = append(hits[:min(len(hits), limit)], left...)
	return hits, h.name(ctx, hits)
}

// name gives the hits the names of their sessions.
func (h *History) name(ctx context.Context, hits []api.SearchHit) error {
	ids := make([]string, len(hits))
	for i, hit := range hits {
		ids[i] = hit.Session
	}
	slices.Sort(ids)
	names, err := h.o.Store.SessionNames(ctx, slices.Compact(ids))
	if err != nil {
		return err
	}
	for _, s := range h.o.Journal.Sessions() {
		names[s.ID] = s.Name // newer than the archive's
	}
	for i := range hits {
		hits[i].Name = names[hits[i].Session]
	}
	return nil
}

// maxSaid bounds the passages of conversations that one search looks into.
const maxSaid = 200

// shownAgain reports whether a line shows what was found in the session's conversation.
func shownAgain(said []api.SearchHit, hit api.SearchHit) bool {
	return hit.Session != "" && slices.ContainsFunc(said, func(h api.SearchHit) bool {
		return h.Session == hit.Session && (strings.Contains(hit.Line, h.Line) || strings.Contains(h.Line, hit.Line))
	})
}

func newestFirst(a, b api.SearchHit) int { return b.At.Compare(a.At) }

// searchEvents finds events, newest first, one for each message of a session.
func (h *History) searchEvents(ctx context.Context, words []string, limit int) (hits []api.SearchHit, err error) {
	found, err := h.o.Store.SearchEvents(ctx, words, limit)
	if err != nil {
		return nil, err
	}
	type message struct{ session, line string }
	seen := map[message]bool{}
	for _, hit := range found {
		hit.Line = textsafe.Cut(textsafe.Line(hit.Line), maxHit)
		if m := (message{hit.Session, hit.Line}); !seen[m] {
			seen[m] = true
			hits = append(hits, hit)
		}
	}
	return hits, nil
}

// searchSaid finds passages of conversations. One that a session goes on with, and another
// one had before, is found once.
func (h *History) searchSaid(ctx context.Context, words []string, limit int) (hits []api.SearchHit, err error) {
	if h.o.Said == nil {
		return nil, nil
	}
	found, err := h.o.Said.Search(ctx, words, min(limit, maxSaid))
	if err != nil {
		return nil, err
	}
	type where struct {
		conversation string
		at           time.Time
		part         api.SaidPart
		place        int
	}
	seen := map[where]bool{}
	for _, hit := range found {
		w := where{hit.Conversation, hit.At, hit.Part, hit.Place}
		if seen[w] {
			continue
		}
		seen[w] = true
		hit.Line, _ = lineWith(hit.Line, words)
		hits = append(hits, hit)
	}
	return hits, nil
}

// notIndexed says that there are conversations that were not searched.
func (h *History) notIndexed() []api.SearchHit {
	if h.o.Indexed == nil {
		return nil
	}
	done, all := h.o.Indexed()
	if all == 0 {
		return nil
	}
	return []api.SearchHit{{Kind: api.HitLeftOut, Line: fmt.Sprintf("conversations are being indexed: %d of %d sessions so far, the others were not searched", done, all)}}
}

// searchTasks finds tasks by their texts, results and output.
func (h *History) searchTasks(ctx context.Context, words []string, limit int) (hits []api.SearchHit, err error) {
	ids, err := h.o.Store.SearchTasks(ctx, words, limit)
	if err != nil {
		return nil, err
	}
	tasks, err := h.o.Tasks.Several(ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, t := range tasks {
		line, n := lineWith(orchestrator.Record{Task: t}.Text(), words)
		if n < len(words) && t.Kind == api.TaskPrint {
			stdout, stderr, err := h.o.Store.Output(ctx, t.ID)
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

// lineWith returns the first line with the most words, and their number; of several those
// count more in which words stand by themselves: "os" is in "close", too.
func lineWith(text string, words []string) (line string, best int) {
	best, alone := -1, 0
	for l := range strings.SplitSeq(text, "\n") {
		n, own, lowered := 0, 0, strings.ToLower(l)
		for _, w := range words {
			if w = strings.ToLower(w); strings.Contains(lowered, w) {
				n++
				if standsAlone(lowered, w) {
					own++
				}
			}
		}
		if n > best || n == best && own > alone {
			best, alone, line = n, own, l
		}
	}
	return textsafe.Cut(textsafe.Line(strings.TrimSpace(line)), maxHit), max(best, 0)
}

// standsAlone reports whether a text has a word that is no part of a longer one.
func standsAlone(text, word string) bool {
	inWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	for end := 0; word != ""; {
		i := strings.Index(text[end:], word)
		if i < 0 {
			return false
		}
		before, _ := utf8.DecodeLastRuneInString(text[:end+i])
		end += i + len(word)
		after, _ := utf8.DecodeRuneInString(text[end:])
		if !inWord(before) && !inWord(after) {
			return true
		}
	}
	return false
}

// PlainText removes SGR sequences, the only escape sequences of a transcript.
func PlainText(s string) string {
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
