package store

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/api"
)

// TestIndexLacksRows: an index that lacks rows of the event log (another program wrote
// them) is rebuilt when it is met, and the database is not taken for damaged.
func TestIndexLacksRows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	s := openTest(t, path)
	for seq := int64(1); seq <= 3; seq++ {
		e := testEvent(seq)
		e.Message = "heron one"
		if err := s.Commit([]api.Event{e}, []string{""}, nil); err != nil {
			t.Fatal(err)
		}
	}
	other, err := sql.Open("sqlite", dsn(path))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Exec(`WITH RECURSIVE n(i) AS (SELECT 4 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
INSERT INTO events (seq, at, session, type, source, state_from, state_to, message, data)
SELECT i, i, 's', 't', 'x', '', '', 'ibis number ' || i, NULL FROM n`); err != nil {
		t.Fatal(err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Prune(t.Context(), 1000); err != nil {
		t.Errorf("pruning: %v", err)
	}
	if _, err := os.Stat(markFile(path)); err == nil {
		t.Error("the database is marked as damaged")
	}
	list, err := s.Events(t.Context(), api.EventFilter{Since: -1, Limit: MaxLimit})
	if err != nil || len(list) != 1000 {
		t.Errorf("%d events are left, %v", len(list), err)
	}
	hits, err := s.SearchEvents(t.Context(), []string{"ibis", "19999"}, 10)
	if err != nil || len(hits) != 1 || !strings.Contains(hits[0].Line, "19999") {
		t.Errorf("found %+v, %v", hits, err)
	}
}
