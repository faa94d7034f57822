package sessions

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/sessions/adopt"
	"ccdir/sessions/launch"
	"ccdir/sessions/state"
)

// FuzzSessionFiles: any content of a session's directory and row is either read or refused,
// and a fold that was read can weigh further evidence.
func FuzzSessionFiles(f *testing.F) {
	spec, err := json.Marshal(launch.Spec{ID: "a", Name: "n", Agent: "demo", Kind: "demo", Args: []string{"x"}, CWD: "/", Env: []string{"A=b"}, Cols: 80, Rows: 24, Run: &launch.TaskRun{}})
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
	dir := f.TempDir() // shared by the inputs of this process, one after another
	f.Fuzz(func(t *testing.T, specData, recData []byte) {
		for _, name := range []string{launch.SpecFile, "host.json", "final.json"} {
			if err := os.WriteFile(filepath.Join(dir, name), specData, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var s launch.Spec
		if err := adopt.ReadJSON(filepath.Join(dir, launch.SpecFile), &s); err == nil {
			if _, err := json.Marshal(s); err != nil {
				t.Errorf("it cannot be written again: %v", err)
			}
		}
		_, _ = adopt.ReadHost(dir)
		_, _ = adopt.ReadFinal(dir)
		var r record
		if json.Unmarshal(recData, &r) != nil {
			return
		}
		fold := r.Fold
		for i, e := range []api.Evidence{{Source: api.SourceHook, Kind: api.KindTurnEnds}, {Source: api.SourceTimer, Name: "timer"}, {Source: api.SourceHook, Kind: api.KindPrompt}} {
			e.At = time.Unix(int64(i), 0)
			fold = fold.Apply(e)
		}
		_ = fold.Wake()
		if _, err := json.Marshal(fold); err != nil {
			t.Errorf("it cannot be saved again: %v", err)
		}
	})
}
