package store

import (
	"fmt"
	"path/filepath"
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
