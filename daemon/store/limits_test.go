package store

import (
	"path/filepath"
	"testing"
	"time"

	"ccdir/usage"
)

// TestLimits: of each window the last sample of a slot is kept, and all of it comes back as it was.
func TestLimits(t *testing.T) {
	s := openTest(t, filepath.Join(t.TempDir(), "db"))
	at := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	key := usage.Key{Agent: "claude", Account: "work", Name: "5h"}
	sample := func(used float64, after time.Duration) usage.Sample {
		return usage.Sample{Key: key, Length: usage.FiveHours, UsedPercent: usage.Percent(used), ResetsAt: at.Add(time.Hour), Source: usage.SourceProbe, At: at.Add(after)}
	}
	bare := usage.Sample{Key: usage.Key{Agent: "gemini", Name: "daily"}, Source: usage.SourceRefusal, At: at}
	for _, list := range [][]usage.Sample{{sample(40, 0), bare}, {sample(41, time.Minute)}, {sample(42.5, 6*time.Minute)}} {
		if err := s.SaveLimits(list); err != nil {
			t.Fatal(err)
		}
	}
	newest, err := s.NewestLimits(t.Context())
	if err != nil || len(newest) != 2 {
		t.Fatalf("%+v %v", newest, err)
	}
	for _, v := range newest {
		want := bare
		if v.Key == key {
			want = sample(42.5, 6*time.Minute)
		}
		if !v.Same(want) || !v.At.Equal(want.At) || v.Length != want.Length || v.Source != want.Source || !v.ResetsAt.Equal(want.ResetsAt) {
			t.Errorf("%+v, want %+v", v, want)
		}
	}
	history, err := s.Limits(t.Context(), at.Add(-time.Hour))
	if err != nil || len(history) != 3 || *history[1].UsedPercent != 41 {
		t.Errorf("%+v %v", history, err)
	}
	if err := s.PruneLimits(at.Add(2 * time.Minute)); err != nil {
		t.Fatal(err)
	}
	if history, _ = s.Limits(t.Context(), time.Unix(0, 0)); len(history) != 1 {
		t.Errorf("after deleting old ones: %+v", history)
	}
}
