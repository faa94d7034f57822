package ratelimit

import (
	"testing"
	"time"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func TestBucket(t *testing.T) {
	var b Bucket
	taken := func(at time.Duration, tries int) (n int) {
		for range tries {
			if b.Take(start.Add(at), 2, 5) {
				n++
			}
		}
		return n
	}
	for _, c := range []struct {
		at   time.Duration
		want int
	}{
		{0, 5},                      // full
		{0, 0},                      // and empty
		{400 * time.Millisecond, 0}, // not yet a whole one
		{500 * time.Millisecond, 1},
		{100 * time.Millisecond, 0}, // the clock went backwards
		{600 * time.Millisecond, 1}, // a second after what it says now
		{time.Hour, 5},              // never more than its size
	} {
		if got := taken(c.at, 7); got != c.want {
			t.Errorf("after %s it gives %d, not %d", c.at, got, c.want)
		}
	}
}

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
