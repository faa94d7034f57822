package store

import (
	"database/sql"
	"encoding/json"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ccdir/api"
)

// openLedger makes a store with rows of two sessions.
func openLedger(t *testing.T) *Store {
	s := openTest(t, filepath.Join(t.TempDir(), "db"))
	at := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	for i, decision := range []string{"allow", "deny", "allow", "ask", "allow"} {
		row := api.LedgerRow{At: at.Add(time.Duration(i) * time.Minute), Session: []string{"a", "b"}[i%2], Tool: "Bash",
			Input: json.RawMessage(`{"command":"x"}`), Decision: decision, By: "policy"}
		if _, err := s.AppendDecisions([]api.LedgerRow{row}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestLedger(t *testing.T) {
	s := openLedger(t)
	for _, c := range []struct {
		f    api.LedgerFilter
		want []int64
	}{
		{api.LedgerFilter{}, []int64{1, 2, 3, 4, 5}},
		{api.LedgerFilter{Limit: 2}, []int64{4, 5}},
		{api.LedgerFilter{Limit: 2, Before: 4}, []int64{2, 3}},
		{api.LedgerFilter{Session: "a"}, []int64{1, 3, 5}},
		{api.LedgerFilter{Decision: "deny"}, []int64{2}},
		{api.LedgerFilter{By: "person"}, nil},
		{api.LedgerFilter{Tool: "Bash", Session: "b", Decision: "ask"}, []int64{4}},
		{api.LedgerFilter{Seq: 3}, []int64{3}},
		{api.LedgerFilter{Since: time.Date(2026, 1, 2, 12, 3, 0, 0, time.UTC)}, []int64{4, 5}},
	} {
		rows, err := s.Decisions(t.Context(), c.f)
		if err != nil || rows == nil {
			t.Fatal(rows, err)
		}
		var got []int64
		for _, r := range rows {
			got = append(got, r.Seq)
			if len(r.Hash) != 64 || string(r.Input) != `{"command":"x"}` {
				t.Errorf("row %+v", r)
			}
		}
		if len(got) != len(c.want) || len(got) > 0 && (got[0] != c.want[0] || got[len(got)-1] != c.want[len(got)-1]) {
			t.Errorf("%+v gave %v, want %v", c.f, got, c.want)
		}
	}
}

// TestLedgerShowsChanges: what was done to the file behind the back of the store
// is found, at its row.
func TestLedgerShowsChanges(t *testing.T) {
	for _, c := range []struct {
		name, sql string
		at        int64
		problem   string
		headOnly  bool // seen only against a head that was kept
	}{
		{"nothing", "", 0, "", false},
		{"edited", "UPDATE decisions SET record = CAST(replace(CAST(record AS TEXT), 'deny', 'allow') AS BLOB) WHERE seq = 2", 2, "edited", false},
		{"edited column", "UPDATE decisions SET decision = 'allow' WHERE seq = 2", 2, "columns were edited", false},
		{"hash", "UPDATE decisions SET hash = x'00' WHERE seq = 3", 3, "edited", false},
		{"removed", "DELETE FROM decisions WHERE seq = 3", 3, "rows 3 to 3 are missing", false},
		{"renumbered", "DELETE FROM decisions WHERE seq = 3; UPDATE decisions SET seq = seq - 1 WHERE seq > 3", 3, "edited", false},
		{"beginning", "DELETE FROM decisions WHERE seq < 3", 1, "rows 1 to 2 are missing", false},
		{"end", "DELETE FROM decisions WHERE seq > 3", 4, "the end was cut off: rows 4 to 5", true},
		{"all", "DELETE FROM decisions", 1, "the end was cut off: rows 1 to 5", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := openLedger(t)
			before, err := s.VerifyDecisions(t.Context(), nil)
			if err != nil || before.Rows != 5 || before.Problem != "" {
				t.Fatal(before, err)
			}
			if _, err := s.write.Exec("UPDATE decisions SET by = 'x'"); err == nil || !strings.Contains(err.Error(), "append-only") {
				t.Fatalf("the table lets rows be changed: %v", err)
			}
			if _, err := s.write.Exec("DROP TRIGGER decisions_keep; DROP TRIGGER decisions_stay;" + c.sql); err != nil {
				t.Fatal(err)
			}
			got, err := s.VerifyDecisions(t.Context(), nil)
			if err != nil || (got.Problem == "") != (c.problem == "" || c.headOnly) {
				t.Errorf("without a head: %+v %v", got, err)
			}
			got, err = s.VerifyDecisions(t.Context(), &before.Head)
			if err != nil || got.At != c.at || !strings.Contains(got.Problem, c.problem) || (got.Problem == "") != (c.problem == "") {
				t.Errorf("%+v %v, want %q at %d", got, err, c.problem, c.at)
			}
		})
	}
}

// TestLedgerRewritten: hashes and all, which only a kept head shows.
func TestLedgerRewritten(t *testing.T) {
	s := openLedger(t)
	before, _ := s.VerifyDecisions(t.Context(), nil)
	if _, err := s.write.Exec("DROP TRIGGER decisions_stay; DELETE FROM decisions"); err != nil {
		t.Fatal(err)
	}
	for range 6 {
		if _, err := s.AppendDecisions([]api.LedgerRow{{Decision: "allow"}}); err != nil {
			t.Fatal(err)
		}
	}
	if got, _ := s.VerifyDecisions(t.Context(), nil); got.Problem != "" {
		t.Errorf("without a head: %+v", got)
	}
	if got, _ := s.VerifyDecisions(t.Context(), &before.Head); got.At != 5 || got.Problem == "" {
		t.Errorf("with the head: %+v", got)
	}
}

// TestLedgerTogether: rows of many callers stay one chain, also when a write of
// the same group fails.
func TestLedgerTogether(t *testing.T) {
	s := openTest(t, filepath.Join(t.TempDir(), "db"))
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			if i%5 == 0 {
				if err := s.update(func(tx *sql.Tx) error { _, err := tx.Exec("nonsense"); return err }); err == nil {
					t.Error("nonsense was written")
				}
				return
			}
			if _, err := s.AppendDecisions([]api.LedgerRow{{Decision: "allow"}, {Decision: "deny"}}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if c, err := s.VerifyDecisions(t.Context(), nil); err != nil || c.Problem != "" || c.Rows != 64 {
		t.Errorf("%+v %v", c, err)
	}
}

func BenchmarkAppendDecision(b *testing.B) {
	s := openTest(b, filepath.Join(b.TempDir(), "db"))
	row := api.LedgerRow{Session: "a", Tool: "Bash", Input: json.RawMessage(`{"command":"git status"}`), Decision: "allow", By: "policy"}
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			if _, err := s.AppendDecisions([]api.LedgerRow{row}); err != nil {
				b.Error(err)
			}
		}
	})
}
