package store

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"ccdir/internal/api"
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
	list, err := s.History(ctx, 10)
	if err != nil || len(list) != 3 || list[0].ID != "s2" || *list[0].ExitCode != 2 || !list[0].Started.Equal(at) || list[0].Bytes == 0 {
		t.Fatalf("%+v, %v", list, err)
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
	if list, _ := s.History(ctx, 10); len(list) != 1 || list[0].ID != "s2" {
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
