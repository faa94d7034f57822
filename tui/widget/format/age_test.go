package format

import (
	"testing"
	"time"
)

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func TestAge(t *testing.T) {
	for _, tt := range []struct {
		ago  time.Duration
		want string
		step time.Duration
	}{
		// The epoch is at 5 s of a grain.
		{-1500 * time.Millisecond, "<20s", 16500 * time.Millisecond}, {0, "<20s", 15 * time.Second}, {15 * time.Second, "<1m", 40 * time.Second},
		{34500 * time.Millisecond, "<1m", 20500 * time.Millisecond}, {54 * time.Second, "<1m", time.Second}, {55 * time.Second, "1m", time.Minute},
		{time.Minute, "1m", 55 * time.Second}, {90 * time.Second, "1m", 25 * time.Second}, {115 * time.Second, "2m", time.Minute},
		{59*time.Minute + 54*time.Second, "59m", time.Second}, {61 * time.Minute, "1h01m", 55 * time.Second}, {50 * time.Hour, "2d", 55 * time.Second},
	} {
		now := epoch.Add(tt.ago)
		if got := Age(now, epoch); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.ago, got, tt.want)
		}
		if got := AgeStep(now, epoch); got != tt.step {
			t.Errorf("%v: step %v, want %v", tt.ago, got, tt.step)
		}
	}
}

// TestAgesAreTrue: what is shown of an age in its first minute is true at every moment
// until it is shown anew, and all ages step together.
func TestAgesAreTrue(t *testing.T) {
	most := map[string]time.Duration{"<20s": 20 * time.Second, "<1m": time.Minute, "1m": 150 * time.Second}
	for at := range 60 {
		from := epoch.Add(time.Duration(at) * time.Second)
		for ms := time.Duration(0); ms < 80_000; ms += 250 {
			now := from.Add(ms * time.Millisecond)
			text, step := Age(now, from), AgeStep(now, from)
			if last := now.Add(step - time.Millisecond); Age(last, from) != text || last.Sub(from) > most[text] {
				t.Fatalf("%v after %v it is %s for %v", now.Sub(from), from, text, step)
			}
			if now.Add(step).Unix()%ageGrain != 0 || now.Add(step).Nanosecond() != 0 {
				t.Fatalf("%v after %v it steps in %v", now.Sub(from), from, step)
			}
		}
	}
}
