package generations

import (
	"os"
	"testing"
	"time"
)

// FuzzLoad: a damaged generation is an error and never in the way of the next one.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(`{"number":1,"boot":"b","at":"2026-01-02T03:04:05Z","sessions":[{"id":"a","name":"n","cwd":"/"}]}`))
	f.Add([]byte(`{"number":2}`))
	f.Add([]byte(`[]`))
	f.Add([]byte(``))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		k := New(dir)
		if err := os.WriteFile(k.path(1), data, 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := k.Load(1); err == nil && s.Number != 1 {
			t.Errorf("generation %d is given as 1", s.Number)
		}
		n, err := k.Save(Generation{Boot: "another", At: time.Unix(1, 0)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := k.Load(n); err != nil {
			t.Errorf("the next one cannot be read: %v", err)
		}
	})
}
