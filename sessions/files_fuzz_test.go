package sessions

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/sessions/state"
	"ccdir/wire"
)

// FuzzSessionFiles: what stands in a session's directory and in its row of the
// database is read or refused, and what was read can be weighed on.
func FuzzSessionFiles(f *testing.F) {
	spec, err := json.Marshal(Spec{ID: "a", Name: "n", Agent: "demo", Kind: "demo", Args: []string{"x"}, CWD: "/", Env: []string{"A=b"}, Cols: 80, Rows: 24, Run: &TaskRun{}})
	if err != nil {
		f.Fatal(err)
	}
	rec, err := json.Marshal(record{Session: api.Session{ID: "a", State: api.StateWorking}, Fold: state.NewFold(true, time.Unix(1, 0)), First: "p"})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(spec, rec)
	f.Add([]byte(`{"id":1}`), []byte(`{"fold":{"winner":null,"queued":-1}}`))
	f.Add([]byte(`null`), []byte(`{"fold":{"state":"nonsense"}}`))
	dir := f.TempDir() // of this process, in which one input follows another
	f.Fuzz(func(t *testing.T, specData, recData []byte) {
		for _, name := range []string{specFile, "host.json", "final.json"} {
			if err := os.WriteFile(filepath.Join(dir, name), specData, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var s Spec
		if err := readJSON(filepath.Join(dir, specFile), &s); err == nil {
			if _, err := json.Marshal(s); err != nil {
				t.Errorf("it cannot be written again: %v", err)
			}
		}
		_, _ = readHost(dir)
		_, _ = readFinal(dir)
		var r record
		if json.Unmarshal(recData, &r) != nil {
			return
		}
		fold := r.Fold
		for i, e := range []api.Evidence{{Source: api.SourceHook, Name: "Stop"}, {Source: api.SourceTimer, Name: "timer"}, {Source: api.SourceHook, Name: "UserPromptSubmit"}} {
			e.At = time.Unix(int64(i), 0)
			fold = fold.Apply(e)
		}
		_ = fold.Wake()
		if _, err := json.Marshal(fold); err != nil {
			t.Errorf("it cannot be saved again: %v", err)
		}
	})
}

// FuzzSavedLines: a saved screen gives lines whose numbers follow one another, as many
// as were asked for at most.
func FuzzSavedLines(f *testing.F) {
	table := cells.NewTable()
	row := cells.Row{Cells: make([]cells.Cell, 5)}
	screen := wire.AppendSaved(nil, table, []cells.Row{row, row, row}, []cells.Row{row, row})
	f.Add(screen, uint64(1), 2)
	f.Add(screen[:len(screen)/2], uint64(0), 0)
	f.Add([]byte("ccdirscr\x01\x05"), uint64(1<<63), 1000)
	f.Fuzz(func(t *testing.T, data []byte, from uint64, count int) {
		for _, first := range []*uint64{nil, &from} {
			out, err := savedLines(data, first, max(0, count))
			if err != nil {
				continue
			}
			if count > 0 && len(out.Lines) > count {
				t.Errorf("%d lines instead of %d", len(out.Lines), count)
			}
			for i := 1; i < len(out.Lines); i++ {
				if out.Lines[i].Line != out.Lines[i-1].Line+1 {
					t.Fatalf("line %d after line %d", out.Lines[i].Line, out.Lines[i-1].Line)
				}
			}
		}
	})
}
