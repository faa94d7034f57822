package store

import (
	"testing"
	"time"

	"ccdir/api"
)

// TestSearchUnspaced: words are found inside sentences of scripts without spaces, in
// tasks and in transcripts, and letters in another order are not.
func TestSearchUnspaced(t *testing.T) {
	s, _, err := Open(t.TempDir()+"/db", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const text = "修复API登录测试, テストを直す, cafés and naïve"
	if _, err := s.CommitTasks([]TaskRow{{ID: "t1", State: "queued", Seq: 1, Record: []byte("{}"), Text: text}}, nil, nil, 0); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	if err := s.Archive(api.HistoryEntry{ID: "s1", Started: now, Ended: now}, text, text); err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string]int{"登录": 1, "录": 1, "api登录": 1, "修复": 1, "テスト": 1, "直す": 1, "naïve": 1, "录登": 0, "测试登录": 0, "登": 1} {
		ids, err := s.SearchTasks(t.Context(), []string{word}, 10)
		if err != nil || len(ids) != want {
			t.Errorf("%q: tasks %v, %v", word, ids, err)
		}
		hits, err := s.SearchTranscripts(t.Context(), []string{word}, 10)
		if err != nil || len(hits) != want {
			t.Errorf("%q: %d transcripts, %v", word, len(hits), err)
		}
	}
	if ids, err := s.SearchTasks(t.Context(), []string{"测试", "caf"}, 10); err != nil || len(ids) != 1 {
		t.Errorf("two words: %v, %v", ids, err)
	}
	if ids, err := s.SearchTasks(t.Context(), []string{"测试", "nothere"}, 10); err != nil || len(ids) != 0 {
		t.Errorf("one of two words: %v, %v", ids, err)
	}
}
