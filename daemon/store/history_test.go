package store

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"ccdir/api"
)

func TestArchive(t *testing.T) {
	s, _, err := Open(filepath.Join(t.TempDir(), "db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, at := t.Context(), time.Unix(1000, 5).UTC()
	for i := range 3 {
		e := api.HistoryEntry{Kind: "session", ID: fmt.Sprintf("s%d", i), Name: "n", State: "exited", ExitCode: new(i), Started: at, Ended: at.Add(time.Duration(i) * time.Hour)}
		for range 2 { // again: nothing changes
			if err := s.Archive(e, fmt.Sprintf("\x1b[31mred\x1b[m number%d \"quoted\"", i), fmt.Sprintf("red number%d \"quoted\"", i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	list, err := s.History(ctx, api.HistoryPlace{}, 10)
	if err != nil || len(list) != 3 || list[0].ID != "s2" || *list[0].ExitCode != 2 || !list[0].Started.Equal(at) || list[0].Bytes == 0 {
		t.Fatalf("%+v, %v", list, err)
	}
	if older, err := s.History(ctx, api.HistoryPlace{Ended: list[0].Ended}, 1); err != nil || len(older) != 1 || older[0].ID != "s1" {
		t.Errorf("before the newest: %+v, %v", older, err)
	}
	if known, err := s.Archived(ctx, "s1", list[1].Ended); !known || err != nil {
		t.Error(known, err)
	}
	if tr, err := s.Transcript(ctx, "s1"); err != nil || tr.ANSI != "\x1b[31mred\x1b[m number1 \"quoted\"" {
		t.Errorf("%+v, %v", tr, err)
	}
	if _, err := s.Transcript(ctx, "none"); api.CodeOf(err) != api.CodeNotFound {
		t.Error(err)
	}
	for words, want := range map[[2]string]int{{"red", "numb"}: 3, {"number1", "quoted"}: 1, {"number1", "number2"}: 0, {`"`, "*"}: 0, {"OR", "red"}: 0} {
		if hits, err := s.SearchTranscripts(ctx, words[:], 10); err != nil || len(hits) != want {
			t.Errorf("%q: %d hits, %v", words, len(hits), err)
		}
	}
	if err := s.PruneArchive(2, at.Add(90*time.Minute)); err != nil {
		t.Fatal(err)
	}
	if list, _ := s.History(ctx, api.HistoryPlace{}, 10); len(list) != 1 || list[0].ID != "s2" {
		t.Errorf("%+v", list)
	}
	if hits, _ := s.SearchTranscripts(ctx, []string{"red"}, 10); len(hits) != 1 {
		t.Errorf("%+v", hits)
	}
}

func TestSearchEvents(t *testing.T) {
	s, _, err := Open(filepath.Join(t.TempDir(), "db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	events := []api.Event{{Seq: 1, At: time.Unix(1, 0), Message: "the flaky test"}, {Seq: 2, At: time.Unix(2, 0), Session: "s", Message: "another test"}}
	if err := s.Commit(events, []string{"", ""}, nil); err != nil {
		t.Fatal(err)
	}
	if hits, err := s.SearchEvents(t.Context(), []string{"test"}, 10); err != nil || len(hits) != 2 || hits[0].ID != "2" || hits[0].Session != "s" {
		t.Errorf("%+v, %v", hits, err)
	}
	if err := s.Prune(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if hits, err := s.SearchEvents(t.Context(), []string{"flaky"}, 10); err != nil || len(hits) != 0 {
		t.Errorf("%+v, %v", hits, err)
	}
}

// TestEventsIndexed: every event is once in the full text, whatever its
// transaction met, and also those of a database from before Commit did it.
func TestEventsIndexed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	old := migrations
	migrations = old[:slices.Index(old, indexedByCommit)]
	defer func() { migrations = old }()
	before, err := sql.Open("sqlite", dsn(path))
	if err != nil {
		t.Fatal(err)
	}
	err = migrate(before)
	migrations = old
	if err == nil { // as that version did
		_, err = before.Exec(`INSERT INTO events (seq, at, session, type, source, state_from, state_to, message) VALUES (1, 1, 's', 't', 'hook', '', '', 'word one')`)
	}
	if err := errors.Join(err, before.Close()); err != nil {
		t.Fatal(err)
	}
	s := openTest(t, path)
	s.Kinds = func(hook string) api.EventKind { return api.EventKind("kind of " + hook) }
	if list, err := s.Events(t.Context(), api.EventFilter{}); err != nil || len(list) != 1 || list[0].Kind != "kind of t" {
		t.Errorf("an event from before events had kinds: %+v, %v", list, err)
	}
	var wg sync.WaitGroup
	for i := range int64(40) {
		wg.Go(func() {
			e := testEvent(i + 2)
			e.Message = "word"
			if err := s.Commit([]api.Event{e}, []string{""}, map[string][]byte{"s": []byte(`{}`)}); err != nil {
				t.Error(err)
			}
		})
		wg.Go(func() { // makes its group's transaction fail
			if err := s.Commit([]api.Event{testEvent(1)}, []string{""}, nil); err == nil {
				t.Error("a number was given twice")
			}
		})
	}
	wg.Wait()
	if err := s.Prune(t.Context(), 31); err != nil {
		t.Fatal(err)
	}
	if hits, err := s.SearchEvents(t.Context(), []string{"word"}, 100); err != nil || len(hits) != 31 {
		t.Errorf("%d hits, %v", len(hits), err)
	}
	err = s.update(func(tx *sql.Tx) error {
		_, err := tx.Exec("INSERT INTO events_text (events_text, rank) VALUES ('integrity-check', 1)")
		return err
	})
	if err != nil {
		t.Error("full text and events differ:", err)
	}
}

// TestHistoryTies: pages of entries with the same end leave none out and show none
// twice.
func TestHistoryTies(t *testing.T) {
	s, _, err := Open(filepath.Join(t.TempDir(), "db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	at := time.Unix(1000, 5).UTC()
	for i := range 9 { // three at each of three times
		e := api.HistoryEntry{Kind: "session", ID: fmt.Sprintf("s%d", i), State: "exited", Started: at, Ended: at.Add(time.Duration(i/3) * time.Hour)}
		if err := s.Archive(e, "text", "text"); err != nil {
			t.Fatal(err)
		}
	}
	for limit := 1; limit <= 4; limit++ {
		var got []string
		for place, more := (api.HistoryPlace{}), true; more; {
			list, err := s.History(t.Context(), place, limit)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range list {
				if got = append(got, e.ID); !e.Place().Follows(place) {
					t.Errorf("%v does not follow %v", e.Place(), place)
				}
				place = e.Place()
			}
			more = len(list) == limit
		}
		if want := []string{"s8", "s7", "s6", "s5", "s4", "s3", "s2", "s1", "s0"}; !slices.Equal(got, want) {
			t.Errorf("%d a page: %v", limit, got)
		}
	}
	// A task that ended at the same time comes before the sessions, a time alone behind them.
	middle := at.Add(time.Hour)
	for kind, want := range map[string]int{"task": 6, "": 3, "session": 3} {
		list, err := s.History(t.Context(), api.HistoryPlace{Ended: middle, Kind: kind}, 20)
		if err != nil || len(list) != want {
			t.Errorf("after %q of the middle: %d entries, %v", kind, len(list), err)
		}
	}
}
