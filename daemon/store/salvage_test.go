package store

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ccdir/api"
)

// How much of each kind fillAll makes.
const (
	manySessions = 40
	manyTasks    = 400
	manyEvents   = 3000
)

// fillAll puts something into every table and returns the closed database's path.
func fillAll(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "db")
	s, _, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	sessions := map[string][]byte{}
	for n := range manySessions {
		sessions[fmt.Sprintf("s%02d", n)] = fmt.Appendf(nil, `{"session":{"name":"n%d","created":"2026-01-02T03:04:05Z"}}`, n)
	}
	check(s.Commit(nil, nil, sessions))
	var events []api.Event
	for n := range int64(manyEvents) {
		e := testEvent(n + 1)
		e.Message = fmt.Sprintf("event%d %s", n+1, strings.Repeat("x", 60))
		events = append(events, e)
	}
	check(s.Commit(events, make([]string, len(events)), nil))
	var rows []TaskRow
	for n := range manyTasks {
		id := fmt.Sprintf("t%03d", n)
		rows = append(rows, TaskRow{ID: id, State: "done", Seq: int64(n + 1), Text: "text of " + id,
			Record: fmt.Appendf(nil, `{"id":%q,"name":"name%d","prompt":"needle-%03d %s"}`, id, n, n, strings.Repeat("y", 100))})
	}
	_, err = s.CommitTasks(rows, []byte(`{"mode":"auto"}`), [][]byte{[]byte(`{}`)}, 0)
	check(err)
	check(s.SaveTaskEnv("hash", []byte(`["A=b"]`)))
	check(s.SaveOutput("t001", 1, []byte("out"), nil))
	check(s.SaveSessionRules("s00", []byte(`{}`)))
	check(s.UseDirectory("/dir", time.Unix(1, 0)))
	var decisions []api.LedgerRow
	for n := range 50 {
		decisions = append(decisions, api.LedgerRow{At: time.Unix(int64(n), 0), Session: "s00", Tool: "Bash", Decision: "allow"})
	}
	_, err = s.AppendDecisions(decisions)
	check(err)
	for n := range 3 {
		_, err := s.AddMessage(api.Message{At: time.Unix(int64(n), 0), From: "a", To: "b", Text: fmt.Sprint("message ", n)})
		check(err)
	}
	check(s.Archive(api.HistoryEntry{ID: "s00", Name: "n", Ended: time.Unix(5, 0)}, "styled", "plain"))
	check(s.AddResults([]ResultRow{{At: time.Unix(1, 0), Session: "s00", Tool: "test", Output: "fine"}}, 100))
	check(s.Close())
	return path
}

// spoil overwrites the page on which the text stands.
func spoil(t *testing.T, path, text string) {
	t.Helper()
	const page = 4096
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(data, []byte(text))
	if at < page {
		t.Fatalf("%q stands at %d", text, at)
	}
	copy(data[at/page*page:], bytes.Repeat([]byte{0xff}, page))
	write(t, path, data)
}

func count(t *testing.T, s *Store, what string) (n int) {
	t.Helper()
	if err := s.read.QueryRow("SELECT count(*) FROM " + what).Scan(&n); err != nil {
		t.Fatal(what, err)
	}
	return n
}

// TestSalvage: a bad page costs what stood on it, and nothing else.
func TestSalvage(t *testing.T) {
	path := fillAll(t)
	spoil(t, path, "needle-200")
	s, opened, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if opened.Moved == "" || opened.Saved < manyEvents {
		t.Fatalf("%+v", opened)
	}
	for what, want := range map[string]int{"sessions": manySessions, "events": manyEvents, "queue": 1, "task_env": 1, "task_steps": 1,
		"session_rules": 1, "messages": 3, "decisions": 50, "directories": 1, "task_output": 1, "archive": 1, "results": 1} {
		if n := count(t, s, what); n != want {
			t.Errorf("%s: %d of %d", what, n, want)
		}
	}
	if n := count(t, s, "tasks"); n < manyTasks*9/10 || n >= manyTasks {
		t.Errorf("%d of %d tasks", n, manyTasks)
	}
	for _, seq := range []int{1, manyTasks} { // from both ends
		if n := count(t, s, fmt.Sprintf("tasks WHERE seq = %d", seq)); n != 1 {
			t.Errorf("task %d is missing", seq)
		}
	}
	if c, err := s.VerifyDecisions(t.Context(), nil); err != nil || c.Problem != "" || c.Rows != 50 {
		t.Errorf("the ledger: %+v %v", c, err)
	}
	if hits, err := s.SearchEvents(t.Context(), []string{"event2999"}, 10); err != nil || len(hits) != 1 {
		t.Errorf("found %v %v", hits, err)
	}
	if ids, err := s.SearchTasks(t.Context(), []string{"name7"}, 10); err != nil || len(ids) == 0 {
		t.Errorf("found %v %v", ids, err)
	}
	if m, err := s.AddMessage(api.Message{To: "b"}); err != nil || m != 4 {
		t.Errorf("the next message is %d, %v", m, err)
	}
	if err := s.Commit([]api.Event{testEvent(manyEvents + 1)}, []string{""}, nil); err != nil {
		t.Error(err)
	}
}

// TestSalvageInTime: what has no time left is not waited for.
func TestSalvageInTime(t *testing.T) {
	old := fillAll(t)
	s := openTest(t, filepath.Join(t.TempDir(), "db"))
	if n, err := s.salvage(old, time.Now().Add(-time.Second)); err == nil || n != 0 {
		t.Error(n, err)
	}
	if n, err := s.salvage(old, time.Now().Add(time.Minute)); err != nil || n < manyEvents {
		t.Error(n, err)
	}
}

// large makes databases count as large for the time of a test.
func large(t *testing.T) {
	before := checkBelow
	checkBelow = 1
	t.Cleanup(func() { checkBelow = before })
}

// TestLargeDamaged: of a large database what a start needs is checked.
func TestLargeDamaged(t *testing.T) {
	large(t)
	for _, text := range []string{"needle-200", fmt.Sprintf("event%d x", manyEvents-300)} {
		path := fillAll(t)
		spoil(t, path, text)
		s, opened, err := Open(path, nil)
		if err != nil {
			t.Fatal(text, err)
		}
		if opened.Moved == "" || opened.Saved == 0 {
			t.Errorf("%s: %+v", text, opened)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestDamageMet: damage that is met later is known to the next one who opens it.
func TestDamageMet(t *testing.T) {
	large(t)
	path := fillAll(t)
	spoil(t, path, "event100 ")
	s, opened, err := Open(path, nil)
	if err != nil || opened.Moved != "" {
		t.Fatal(opened, err)
	}
	if _, err := s.Events(t.Context(), api.EventFilter{Since: -1, Limit: MaxLimit}); !damaged(err) {
		t.Errorf("reading: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	s, opened, err = Open(path, nil)
	if err != nil || opened.Moved == "" {
		t.Fatal(opened, err)
	}
	if n := count(t, s, "events"); n < manyEvents*9/10 {
		t.Errorf("%d of %d events", n, manyEvents)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	// A mark alone, of something that passed, moves nothing.
	write(t, markFile(path), nil)
	s = openTest(t, path)
	if _, err := os.Lstat(markFile(path)); !os.IsNotExist(err) {
		t.Errorf("the mark stays: %v", err)
	}
	_ = s
}

// TestLocked: writes that wait for another program's lock wait for it together,
// and no longer once that was in vain.
func TestLocked(t *testing.T) {
	before := patient
	patient = time.Second
	t.Cleanup(func() { patient = before })
	path := filepath.Join(t.TempDir(), "db")
	s := openTest(t, path)
	other, err := sql.Open("sqlite", dsn(path)+"?_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	lock, err := other.BeginTx(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	var wg sync.WaitGroup
	for n := range 40 {
		wg.Go(func() {
			if err := s.UseDirectory(fmt.Sprint("/", n), time.Unix(1, 0)); err == nil {
				t.Error("written in spite of the lock")
			}
		})
	}
	wg.Wait()
	if took := time.Since(began); took > 20*time.Second { // each alone: 40 s
		t.Errorf("it took %s", took)
	}
	if err := lock.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := s.UseDirectory("/", time.Unix(1, 0)); err != nil {
		t.Error(err)
	}
	var waits int
	if err := s.write.QueryRow("PRAGMA busy_timeout").Scan(&waits); err != nil || waits != int(patient.Milliseconds()) {
		t.Errorf("afterwards it waits %d ms, %v", waits, err)
	}
}
