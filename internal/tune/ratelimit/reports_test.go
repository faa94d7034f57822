package ratelimit

import (
	"testing"
	"time"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func TestReports(t *testing.T) {
	var r Reports
	passed, last := 0, 0
	flood := func(at time.Duration, tries int) {
		for range tries {
			if held, ok := r.Next(start.Add(at)); ok {
				passed, last = passed+1, held
			}
		}
	}
	flood(0, 100)
	if passed != Burst || last != 0 {
		t.Errorf("%d of 100 pass at once, the last with %d held back", passed, last)
	}
	flood(time.Second, 1)
	if passed != Burst+1 || last != 100-Burst {
		t.Errorf("after a second %d have passed, the last with %d held back, not %d", passed, last, 100-Burst)
	}
	flood(2*time.Second, 1)
	if passed != Burst+2 || last != 0 {
		t.Errorf("after two seconds %d have passed, the last with %d held back", passed, last)
	}
}
