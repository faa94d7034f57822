package history_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ccdir/api"
	"ccdir/config"
	"ccdir/daemon/history"
	"ccdir/daemon/journal"
	"ccdir/wire"
)

// world has the parts that a history asks: the archive, the list of sessions, the queue and what
// hosts show. Its methods are those of history's interfaces.
type world struct {
	mu       sync.Mutex
	archived []string // "ID ended: TEXT", in their order
	tries    int      // of archiving
	full     int      // tries that fail, for example because the disk is full
	removed  []string
	told     map[string]bool   // sessions that have a conversation
	screens  map[string]string // what hosts show, by session; a session without one has no host
	hangs    map[string]bool   // hosts that do not answer
	tasks    map[string]api.Task
	pruned   []string // conversations that a prune has deleted
	said     []api.SearchHit
	events   []api.SearchHit
}

func (w *world) History(context.Context, api.HistoryPlace, int) ([]api.HistoryEntry, error) {
	return nil, nil
}

func (w *world) Transcript(_ context.Context, session string) (api.Transcript, error) {
	return api.Transcript{ANSI: "of " + session}, nil
}

func (w *world) SearchTranscripts(context.Context, []string, int) ([]api.SearchHit, error) {
	return nil, nil
}

func (w *world) SearchEvents(context.Context, []string, int) ([]api.SearchHit, error) {
	return w.events, nil
}

func (w *world) SessionNames(context.Context, []string) (map[string]string, error) {
	return map[string]string{"old": "of the archive"}, nil
}

func (w *world) SearchTasks(context.Context, []string, int) ([]string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var ids []string
	for id := range w.tasks {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids, nil
}

func (w *world) Output(context.Context, string) (stdout, stderr []byte, err error) {
	return []byte("one\nprinted: the needle\n"), nil, nil
}

// line names one end of a session.
func line(session string, ended time.Time) string { return fmt.Sprintf("%s %d", session, ended.Unix()) }

func (w *world) Archive(e api.HistoryEntry, _, plain string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.tries++; w.tries <= w.full {
		return errors.New("no space left on device")
	}
	w.archived = append(w.archived, line(e.ID, e.Ended)+": "+plain)
	return nil
}

func (w *world) Archived(_ context.Context, session string, ended time.Time) (bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.ContainsFunc(w.archived, func(l string) bool { return strings.HasPrefix(l, line(session, ended)+":") }), nil
}

func (w *world) PruneArchive(int, time.Time) error { return nil }

func (w *world) ArchivedSessions(context.Context) ([]string, error) { return []string{"kept"}, nil }

func (w *world) PurgeArchive(session string) (bool, error) { return session == "kept", nil }

func (w *world) Save(_ context.Context, session string) (bool, error) { return w.told[session], nil }

func (w *world) Prune(keep func(session string) bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pruned = nil
	for _, s := range []string{"s1", "kept", "gone"} {
		if !keep(s) {
			w.pruned = append(w.pruned, s)
		}
	}
	return nil
}

func (w *world) Forget(string) error { return nil }

func (w *world) Resolve(ref string) (string, error) {
	if ref == "name" || ref == "s1" {
		return "s1", nil
	}
	return "", api.Errorf(api.CodeNotFound, "no session %s", ref)
}

func (w *world) Buffer(ctx context.Context, ref string, p wire.OutputParams) (wire.OutputResult, error) {
	if w.hangs[ref] {
		<-ctx.Done()
		return wire.OutputResult{}, ctx.Err()
	}
	text, ok := w.screens[ref]
	if !ok {
		return wire.OutputResult{}, api.Errorf(api.CodeNotFound, "no screen")
	}
	if p.Scrollback {
		text = "scrolled away\n" + text
	}
	return wire.OutputResult{Text: text}, nil
}

func (w *world) Remove(_ context.Context, ref string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.removed = append(w.removed, ref)
	return nil
}

func (w *world) Tasks(context.Context) ([]api.Task, error) { return nil, nil }

func (w *world) Lookup(_ context.Context, ref string) (api.Task, error) {
	if t, ok := w.tasks[ref]; ok {
		return t, nil
	}
	return api.Task{}, api.Errorf(api.CodeNotFound, "no task %s", ref)
}

func (w *world) Several(_ context.Context, ids []string) (list []api.Task, err error) {
	for _, id := range ids {
		list = append(list, w.tasks[id])
	}
	return list, nil
}

// said is the index of conversations.
type said struct{ w *world }

func (s said) Search(context.Context, []string, int) ([]api.SearchHit, error) { return s.w.said, nil }
func (said) Forget(context.Context, string) error                             { return nil }

// noStore keeps nothing.
type noStore struct{}

func (noStore) Commit([]api.Event, []string, map[string][]byte) error       { return nil }
func (noStore) Events(context.Context, journal.Filter) ([]api.Event, error) { return nil, nil }
func (noStore) Keys(context.Context, string) ([]string, error)              { return nil, nil }
func (noStore) Sessions(context.Context) (map[string][]byte, error)         { return nil, nil }
func (noStore) LastSeq(context.Context) (int64, error)                      { return 0, nil }
func (noStore) KnownID(context.Context, string) (bool, error)               { return false, nil }
func (noStore) KnownKey(context.Context, string, string) (bool, error)      { return false, nil }

// open makes a history of a world, and the journal that tells it about sessions.
func open(t *testing.T, w *world) (*history.History, *journal.Log) {
	t.Helper()
	log, err := journal.Open(t.Context(), journal.Options{Store: noStore{}})
	if err != nil {
		t.Fatal(err)
	}
	loaded := &config.Loaded{Config: config.Default()}
	return history.New(history.Options{Store: w, Said: said{w}, Sessions: w, Tasks: w, Journal: log, SessionDir: func(string) string { return t.TempDir() },
		Conversations: func() history.Conversations { return w }, Config: func() *config.Loaded { return loaded }, Logger: slog.New(slog.DiscardHandler)}), log
}

// put makes a session known, as it is now.
func put(t *testing.T, log *journal.Log, s api.Session) {
	t.Helper()
	if err := <-log.Append(api.WatchMessage{Session: &s}, nil, ""); err != nil {
		t.Fatal(err)
	}
}

// ended is a session that ended some seconds after the beginning of time.
func ended(id string, second int64) api.Session {
	code := 0
	return api.Session{ID: id, Name: "name of " + id, Agent: "claude", State: api.StateExited, ExitCode: &code, Created: time.Unix(0, 0), Since: time.Unix(second, 0)}
}

// run runs a history until the returned function ends it.
func run(h *history.History) (end func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { h.Run(ctx) })
	return func() { cancel(); wg.Wait() }
}

// TestEndsAreArchived: each end of a process is archived once, those before the daemon's start,
// too, and again after a restart of the session. What scrolled away is kept where no conversation
// has it.
func TestEndsAreArchived(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{screens: map[string]string{"s1": "one", "s2": "two"}, told: map[string]bool{"s2": true}}
		h, log := open(t, w)
		defer log.Close()
		put(t, log, ended("s1", 10))
		put(t, log, api.Session{ID: "s2", State: api.StateWorking})
		end := run(h)
		defer end()
		synctest.Wait()
		put(t, log, ended("s2", 20))
		synctest.Wait()
		again := ended("s1", 10)
		again.Unread = true // a change that is no end
		put(t, log, again)
		put(t, log, api.Session{ID: "s1", State: api.StateWorking, Since: time.Unix(25, 0)})
		put(t, log, ended("s1", 30))
		synctest.Wait()
		want := []string{"s1 10: scrolled away\none", "s2 20: two", "s1 30: scrolled away\none"}
		if w.mu.Lock(); !slices.Equal(w.archived, want) || len(w.removed) > 0 {
			t.Errorf("archived %q, removed %q", w.archived, w.removed)
		}
		// "gone" is neither listed nor archived, "kept" is archived, s1 is in the list.
		if !slices.Equal(w.pruned, []string{"gone"}) {
			t.Errorf("deleted the conversations of %q", w.pruned)
		}
		w.mu.Unlock()
	})
}

// TestArchivedAfterAll: while the disk is full it is tried again, and a session of a task is not
// taken out of the list before its transcript is in the store.
func TestArchivedAfterAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		code := 0
		w := &world{screens: map[string]string{"s1": "one"}, full: 2, tasks: map[string]api.Task{
			"t1": {ID: "t1", State: api.TaskDone, Session: "s1", Result: api.TaskResult{ExitCode: &code}}}}
		h, log := open(t, w)
		defer log.Close()
		s := ended("s1", 10)
		s.Task = "t1"
		put(t, log, s)
		end := run(h)
		defer end()
		synctest.Wait()
		w.mu.Lock()
		if w.tries != 1 || len(w.removed) > 0 {
			t.Errorf("%d tries, removed %q before it is archived", w.tries, w.removed)
		}
		w.mu.Unlock()
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		w.mu.Lock()
		defer w.mu.Unlock()
		if len(w.archived) != 1 || w.tries != 3 || len(w.removed) == 0 || w.removed[0] != "s1" {
			t.Errorf("archived %q by %d tries, removed %q", w.archived, w.tries, w.removed)
		}
	})
}

// TestKeepBeforeRemoval: what is removed by hand is archived first; what runs is not touched.
func TestKeepBeforeRemoval(t *testing.T) {
	w := &world{screens: map[string]string{"s1": "one", "s2": "two"}, full: 1}
	h, log := open(t, w)
	defer log.Close()
	put(t, log, ended("s1", 10))
	put(t, log, api.Session{ID: "s2", State: api.StateIdle})
	if err := h.Keep(t.Context(), "s1"); err == nil {
		t.Error("kept on a full disk")
	}
	for _, id := range []string{"s1", "s1", "s2", "unknown"} {
		if err := h.Keep(t.Context(), id); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
	if len(w.archived) != 1 {
		t.Errorf("archived %q", w.archived)
	}
	if err := h.Purge(t.Context(), "kept"); err != nil {
		t.Error(err)
	}
	if err := h.Purge(t.Context(), "s9"); api.CodeOf(err) != api.CodeNotFound {
		t.Errorf("nothing is kept of it: %v", err)
	}
}

// TestTranscriptOf: a transcript is found by task, by session, and by the id of one that is gone;
// without one the error says what else tells about the task.
func TestTranscriptOf(t *testing.T) {
	w := &world{tasks: map[string]api.Task{
		"t1":   {ID: "t1", State: api.TaskRunning, Session: "s7"},
		"name": {ID: "t2", State: api.TaskDone, Session: "s8"}, // a task of the session's name, and it has ended
		"t3":   {ID: "t3", State: api.TaskDone, NewTask: api.NewTask{Kind: api.TaskPrint}},
		"t4":   {ID: "t4", State: api.TaskCancelled},
		"t5":   {ID: "t5", State: api.TaskQueued},
	}}
	h, log := open(t, w)
	defer log.Close()
	for ref, want := range map[string]string{"t1": "of s7", "s1": "of s1", "name": "of s1", "gone": "of gone",
		"t3": "ccdir task logs t3", "t4": "before it had a session", "t5": "has no session yet"} {
		got, err := h.Transcript(t.Context(), ref)
		if said := got.ANSI + fmt.Sprint(err); !strings.Contains(said, want) {
			t.Errorf("%s: %q %v, want %q", ref, got.ANSI, err, want)
		}
	}
}

// TestSearch: the order of what is found, what is left out because it shows the same again, and
// what could not be searched.
func TestSearch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := func(s int64) time.Time { return time.Unix(s, 0) }
		w := &world{screens: map[string]string{"s1": "a needle of the pane\nsaid: the needle!\nnothing"}, hangs: map[string]bool{"s2": true},
			said: []api.SearchHit{
				{Kind: "said", Session: "s1", Conversation: "c1", At: at(50), Line: "said: the needle!"},
				{Kind: "said", Session: "old", Conversation: "c1", At: at(50), Line: "said: the needle!"}, // resumed: the same passage
			},
			events: []api.SearchHit{{Kind: "event", Session: "s1", At: at(59), Line: "delivered: said: the needle!"}, {Kind: "event", Session: "s1", At: at(60), Line: "needle told"}, {Kind: "event", Session: "s1", At: at(55), Line: "needle told"}},
			tasks: map[string]api.Task{
				"t1": {ID: "t1", NewTask: api.NewTask{Prompt: "look for it", Kind: api.TaskPrint}, State: api.TaskDone, Ended: at(40), Session: "old"},
			},
		}
		h, log := open(t, w)
		defer log.Close()
		for _, s := range []api.Session{{ID: "s1", Name: "live", State: api.StateIdle}, {ID: "s2", State: api.StateWorking}, ended("s3", 1)} {
			put(t, log, s)
		}
		hits, err := h.Search(t.Context(), "needle", 0)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, hit := range hits {
			got = append(got, hit.Kind+" "+hit.Name+": "+hit.Line)
		}
		want := []string{"pane live: a needle of the pane", "said live: said: the needle!", "task of the archive: printed: the needle",
			"event live: needle told", api.HitLeftOut + " : not searched: its host did not answer in time"}
		if !slices.Equal(got, want) {
			t.Errorf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if _, err := h.Search(t.Context(), " !? ", 0); api.CodeOf(err) != api.CodeInvalid {
			t.Errorf("no word: %v", err)
		}
	})
}
