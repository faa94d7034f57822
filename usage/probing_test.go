package usage

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestProbeAt: an account is asked once after the end of each window, and when nothing was said of it for long.
func TestProbeAt(t *testing.T) {
	now := time.Date(2026, 11, 30, 3, 0, 0, 0, time.UTC)
	at := func(d time.Duration) time.Time { return now.Add(d) }
	window := func(said, ends time.Duration) Window {
		w := Window{Sample: Sample{Key: Key{Agent: "claude", Name: "5h"}, At: at(said)}}
		if ends != 0 {
			w.ResetsAt = at(ends)
		}
		return w
	}
	for name, tt := range map[string]struct {
		windows []Window
		p       Probing
		want    time.Time
	}{
		"nothing is known":           {nil, Probing{}, time.Time{}},
		"it was heard of lately":     {[]Window{window(-time.Minute, 3*time.Hour)}, Probing{}, at(59 * time.Minute)},
		"the newest counts":          {[]Window{window(-5*time.Hour, 0), window(-time.Minute, 3*time.Hour)}, Probing{}, at(59 * time.Minute)},
		"a window ends before":       {[]Window{window(-time.Minute, 10*time.Minute)}, Probing{}, at(11 * time.Minute)},
		"it was asked since its end": {[]Window{window(-time.Minute, -30*time.Minute)}, Probing{Asked: at(-20 * time.Minute)}, at(59 * time.Minute)},
		"it was asked just now":      {[]Window{window(-2*time.Hour, -time.Minute)}, Probing{Asked: at(-2 * time.Minute)}, at(13 * time.Minute)},
		"the questions fail":         {[]Window{window(-2*time.Hour, -time.Minute)}, Probing{Asked: at(-2 * time.Minute), Failed: 3}, at(118 * time.Minute)},
		"they fail for long":         {[]Window{window(-200*time.Hour, 0)}, Probing{Asked: now, Failed: 1 << 40}, at(24 * time.Hour)},
	} {
		if got := ProbeAt(tt.windows, tt.p); !got.Equal(tt.want) {
			t.Errorf("%s: at %v, want %v", name, got, tt.want)
		}
	}
}

// TestProbesAreRare: whatever is said and answered, no account is asked more often than every quarter of an hour, and
// one of which nothing is said at least once a day.
func TestProbesAreRare(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 1))
		now := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
		end := now.AddDate(0, 0, 10)
		window, p, asked := Window{Sample: Sample{Key: Key{Agent: "claude", Name: "5h"}, At: now, ResetsAt: now.Add(FiveHours)}}, Probing{}, now
		for now.Before(end) {
			now = now.Add(time.Duration(1+r.IntN(300)) * time.Second)
			quiet := now.Sub(window.At) < 24*time.Hour
			if r.IntN(20) == 0 && seed%2 == 0 { // somebody works there
				window.At, quiet = now, true
			}
			if due := ProbeAt([]Window{window}, p); due.After(now) {
				if !quiet && now.Sub(asked) > probeMost+10*time.Minute {
					t.Fatalf("seed %d: at %v it was asked last at %v", seed, now, asked)
				}
				continue
			}
			if !p.Asked.IsZero() && now.Sub(p.Asked) < probePause {
				t.Fatalf("seed %d: it is asked at %v and %v", seed, p.Asked, now)
			}
			p.Asked, asked, p.Failed = now, now, p.Failed+1
			if r.IntN(3) > 0 {
				window.At, window.ResetsAt, p.Failed = now, now.Add(FiveHours), 0
			}
		}
	}
}
