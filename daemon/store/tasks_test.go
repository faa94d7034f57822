package store

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

func TestTasks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	s, _, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if rows, settings, err := s.Tasks(t.Context()); len(rows) != 0 || settings != nil || err != nil {
		t.Fatal(rows, settings, err)
	}
	row := func(id, record string, seq int64) TaskRow {
		r := TaskRow{ID: id, State: "queued", Seq: seq}
		if record != "" {
			r.Record = []byte(record)
		}
		return r
	}
	if _, err := s.CommitTasks([]TaskRow{row("t2", "b", 2), row("t1", "a", 1), row("t10", "c", 10)}, []byte("one"), nil, 0); err != nil {
		t.Fatal(err)
	}
	if err := s.SaveOutput("t1", 1, []byte("old"), nil); err != nil {
		t.Fatal(err)
	}
	if err := s.SaveOutput("t1", 2, []byte("out"), []byte("err")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.CommitTasks([]TaskRow{row("t2", "", 2), row("t1", "changed", 1)}, nil, nil, 0); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openTest(t, path)
	rows, settings, err := s.Tasks(t.Context())
	if got := fmt.Sprintf("%+v %s %v", rows, settings, err); len(rows) != 2 || string(rows[0].Record) != "changed" || rows[1].ID != "t10" || string(settings) != "one" {
		t.Error(got)
	}
	if out, errOut, err := s.Output(t.Context(), "t1"); string(out) != "out" || string(errOut) != "err" || err != nil {
		t.Errorf("%q %q %v", out, errOut, err)
	}
	if out, _, err := s.Output(t.Context(), "t2"); out != nil || err != nil {
		t.Errorf("%q %v", out, err)
	}
	// With a task its output goes.
	if _, err := s.CommitTasks([]TaskRow{row("t1", "", 1)}, nil, nil, 0); err != nil {
		t.Fatal(err)
	}
	if out, _, _ := s.Output(t.Context(), "t1"); out != nil {
		t.Errorf("the output outlived its task: %q", out)
	}
}

// BenchmarkTasks10000 saves and loads a queue of 10,000 tasks.
func BenchmarkTasks10000(b *testing.B) {
	path := filepath.Join(b.TempDir(), "db")
	s, _, err := Open(path, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	rows := make([]TaskRow, 10_000)
	for i := range rows {
		rows[i] = TaskRow{ID: fmt.Sprint("t", i), State: "queued", Seq: int64(i), Record: make([]byte, 600)}
	}
	b.Run("save", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.CommitTasks(rows, []byte("{}"), nil, 0); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("save one", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.CommitTasks(rows[:1], []byte("{}"), nil, 0); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("load", func(b *testing.B) {
		for b.Loop() {
			if got, _, err := s.Tasks(b.Context()); err != nil || len(got) != len(rows) {
				b.Fatal(len(got), err)
			}
		}
	})
}

// TestSearchTasks: tasks are found by all words, the last one as a beginning, by
// their newest texts and by what their last attempt printed.
func TestSearchTasks(t *testing.T) {
	s := openTest(t, filepath.Join(t.TempDir(), "db"))
	commit := func(rows ...TaskRow) {
		t.Helper()
		if _, err := s.CommitTasks(rows, nil, nil, 0); err != nil {
			t.Fatal(err)
		}
	}
	row := func(seq int64, text string) TaskRow {
		return TaskRow{ID: fmt.Sprintf("t%d", seq), State: "queued", Seq: seq, Record: []byte("{}"), Text: text}
	}
	commit(row(1, "mend the Größe of the heron"), row(2, "the ibis"), row(3, "nothing"))
	commit(row(2, ""), row(3, "nothing\nit failed: no heron"))
	if err := s.SaveOutput("t2", 1, []byte(`{"result":"line\nscarlet"}`), []byte("warning")); err != nil {
		t.Fatal(err)
	}
	commit(row(2, "the ibis"))
	for words, want := range map[string]string{"heron": "[t3 t1]", "her": "[t3 t1]", "mend heron": "[t1]", "grosse": "[]", "große": "[t1]", "größe": "[t1]",
		"ibis": "[t2]", "scarlet": "[t2]", "warning ibis": "[t2]", "absent": "[]"} {
		if ids, err := s.SearchTasks(t.Context(), strings.Fields(words), 10); fmt.Sprint(ids) != want || err != nil {
			t.Errorf("%q: %v %v, want %s", words, ids, err, want)
		}
	}
	if ids, _ := s.SearchTasks(t.Context(), []string{"heron"}, 1); fmt.Sprint(ids) != "[t3]" {
		t.Errorf("one: %v", ids)
	}
	commit(TaskRow{ID: "t3", Seq: 3}, row(1, "changed"))
	if ids, _ := s.SearchTasks(t.Context(), []string{"heron"}, 10); len(ids) > 0 {
		t.Errorf("found after it was gone or changed: %v", ids)
	}
}

// TestTasksIndexedLater: tasks of a database from before the full text are found.
func TestTasksIndexedLater(t *testing.T) {
	s := openTest(t, filepath.Join(t.TempDir(), "db"))
	rows := []TaskRow{{ID: "t1", Seq: 1, State: "done", Record: []byte(`{"prompt":"mend it","steps":["then test"],"result":{"message":"a heron"}}`)},
		{ID: "t2", Seq: 2, State: "queued", Record: []byte(`{"prompt":"heron`)}}
	if _, err := s.CommitTasks(rows, nil, nil, 0); err != nil {
		t.Fatal(err)
	}
	err := s.update(func(tx *sql.Tx) error {
		if _, err := tx.Exec("DROP TABLE task_text"); err != nil {
			return err
		}
		_, err := tx.Exec(taskTextSchema)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{"mend heron", "test"} {
		if ids, err := s.SearchTasks(t.Context(), strings.Fields(words), 10); fmt.Sprint(ids) != "[t1]" || err != nil {
			t.Errorf("%q: %v %v", words, ids, err)
		}
	}
}
