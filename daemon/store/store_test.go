package store

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"ccdir/api"
)

// TestMain serves as the process that is killed in TestKilledWriter.
func TestMain(m *testing.M) {
	if path := os.Getenv("CCDIR_TEST_WRITER"); path != "" {
		writeForEver(path)
	}
	salvageTime = time.Hour // what is saved in the tests does not depend on the machine
	os.Exit(m.Run())
}

func openTest(t testing.TB, path string) *Store {
	t.Helper()
	s, opened, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if opened.Moved != "" {
		t.Fatalf("moved to %s: %v", opened.Moved, opened.Cause)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func testEvent(seq int64) api.Event {
	return api.Event{Seq: seq, At: time.Unix(1700000000, seq).UTC(), Session: "s" + strconv.FormatInt(seq%3, 10), Type: "t" + strconv.FormatInt(seq%2, 10),
		Source: "hook", StateFrom: api.StateIdle, StateTo: api.StateWorking, Message: "m\x00é", Data: []byte(`{"n":` + strconv.FormatInt(seq, 10) + `}`)}
}

func TestEvents(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a?b%20#.db")
	s, _, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	var events []api.Event
	var keys []string
	for i := range int64(20) {
		events = append(events, testEvent(i+1))
		keys = append(keys, "")
	}
	events[3].Data = nil
	keys[4], keys[7] = "first", "second" // both of session s2
	if err := s.Commit(events, keys, nil); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatal("the name of the file was not taken as it is:", err)
	}
	s = openTest(t, path)
	if seq, err := s.LastSeq(t.Context()); err != nil || seq != 20 {
		t.Error(seq, err)
	}
	for name, c := range map[string]struct {
		f    api.EventFilter
		want []int64
	}{
		"newest":      {api.EventFilter{Limit: 2}, []int64{19, 20}},
		"since":       {api.EventFilter{Since: 17}, []int64{18, 19, 20}},
		"from start":  {api.EventFilter{Since: -1, Limit: 2}, []int64{1, 2}},
		"session":     {api.EventFilter{Session: "s0", Since: 10}, []int64{12, 15, 18}},
		"type":        {api.EventFilter{Type: "t1", Limit: 2}, []int64{17, 19}},
		"both":        {api.EventFilter{Type: "t1", Session: "s0"}, []int64{3, 9, 15}},
		"none":        {api.EventFilter{Session: "x' OR 1=1 --"}, nil},
		"beyond":      {api.EventFilter{Since: 100}, nil},
		"limit below": {api.EventFilter{Since: 18, Limit: -5}, []int64{19, 20}},
	} {
		got, err := s.Events(t.Context(), c.f)
		var seqs []int64
		for _, e := range got {
			seqs = append(seqs, e.Seq)
			want := events[e.Seq-1]
			if fmt.Sprintf("%+v", e) != fmt.Sprintf("%+v", want) {
				t.Errorf("%s: %+v, want %+v", name, e, want)
			}
		}
		if err != nil || got == nil || !slices.Equal(seqs, c.want) {
			t.Errorf("%s: %v %v, want %v", name, seqs, err, c.want)
		}
	}
	if got, err := s.Keys(t.Context(), "s2"); err != nil || !slices.Equal(got, []string{"second", "first"}) {
		t.Error(got, err)
	}
}

func TestSessionsAndDirectories(t *testing.T) {
	s := openTest(t, filepath.Join(t.TempDir(), "db"))
	rec := func(name string) []byte { return []byte(`{"session":{"id":"a","name":"` + name + `"},"fold":{}}`) }
	if err := s.Commit(nil, nil, map[string][]byte{"a": rec("one"), "b": rec("two")}); err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(nil, nil, map[string][]byte{"a": rec("three"), "b": nil}); err != nil {
		t.Fatal(err)
	}
	got, err := s.Sessions(t.Context())
	if err != nil || len(got) != 1 || string(got["a"]) != string(rec("three")) {
		t.Errorf("%q %v", got, err)
	}
	// An id that was given once is known for ever.
	for id, want := range map[string]bool{"a": true, "b": true, "c": false} {
		if known, err := s.KnownID(t.Context(), id); err != nil || known != want {
			t.Error(id, known, err)
		}
	}
	for i, dir := range []string{"/x", "/y", "/x"} {
		if err := s.UseDirectory(dir, time.Unix(int64(i), 0)); err != nil {
			t.Fatal(err)
		}
	}
	if dirs, err := s.Directories(t.Context(), 10); err != nil || !slices.Equal(dirs, []string{"/x", "/y"}) {
		t.Error(dirs, err)
	}
}

// TestBadNeighbour: a write that fails, or panics, fails alone, although it
// shared a transaction with others.
func TestBadNeighbour(t *testing.T) {
	s := openTest(t, filepath.Join(t.TempDir(), "db"))
	block := make(chan struct{})
	go s.update(func(*sql.Tx) error { <-block; return nil })
	var wg sync.WaitGroup
	results := make([]error, 20)
	for i := range results {
		wg.Go(func() {
			results[i] = s.update(func(tx *sql.Tx) error {
				switch i {
				case 7:
					return errors.New("bad")
				case 9:
					panic("worse")
				}
				_, err := tx.Exec("INSERT INTO directories (path, used) VALUES (?, 1)", strconv.Itoa(i))
				return err
			})
		})
	}
	close(block)
	wg.Wait()
	for i, err := range results {
		if (err != nil) != (i == 7 || i == 9) {
			t.Errorf("write %d: %v", i, err)
		}
	}
	if dirs, err := s.Directories(t.Context(), 100); err != nil || len(dirs) != 18 {
		t.Error(len(dirs), err)
	}
}

func TestPrune(t *testing.T) {
	s := openTest(t, filepath.Join(t.TempDir(), "db"))
	const n = 12_000
	var events []api.Event
	for i := range int64(n) {
		events = append(events, testEvent(i+1))
	}
	if err := s.Commit(events, make([]string, n), nil); err != nil {
		t.Fatal(err)
	}
	for _, kept := range []int{0, n, 100} {
		if err := s.Prune(t.Context(), kept); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Events(t.Context(), api.EventFilter{Since: -1})
	if err != nil || len(got) != 100 || got[0].Seq != n-99 {
		t.Errorf("%d events, %v", len(got), err)
	}
	if seq, err := s.LastSeq(t.Context()); err != nil || seq != n {
		t.Error(seq, err)
	}
}

func TestClosed(t *testing.T) {
	s, _, err := Open(filepath.Join(t.TempDir(), "db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.update(func(*sql.Tx) error { return nil }); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

// BenchmarkCommit saves events and the record of one session in groups of that
// size, as the event log does when so many wait.
func BenchmarkCommit(b *testing.B) {
	for _, size := range []int{1, 10, 100, 1000} {
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			s := openTest(b, filepath.Join(b.TempDir(), "db"))
			record := []byte(`{"session":{"id":"s1","name":"n","agent":"claude","state":"working","cwd":"/tmp","created":"2026-11-21T00:00:00Z"}}`)
			events, keys := make([]api.Event, size), make([]string, size)
			seq := int64(0)
			b.ResetTimer()
			for range b.N {
				for i := range events {
					seq++
					events[i], keys[i] = testEvent(seq), strconv.FormatInt(seq, 10)
					events[i].Message = "Bash: echo hi > out.txt"
				}
				if err := s.Commit(events, keys, map[string][]byte{"s1": record}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*size), "µs/event")
		})
	}
}
