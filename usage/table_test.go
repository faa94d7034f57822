package usage

import (
	"math"
	"testing"
	"time"
)

var epoch = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

// sample is one of the five-hour window, which ends in that time from the epoch.
func sample(used float64, left, at time.Duration) Sample {
	return Sample{Key: Key{Agent: "claude", Name: "5h"}, Length: FiveHours, UsedPercent: Percent(used), ResetsAt: epoch.Add(left), Source: SourceStatusLine, At: epoch.Add(at)}
}

func TestWindowName(t *testing.T) {
	for want, in := range map[string]struct {
		length time.Duration
		model  string
	}{"5h": {FiveHours, ""}, "7d": {SevenDays, ""}, "7d opus": {SevenDays, "opus"}, "90m": {90 * time.Minute, ""}, "1d": {24 * time.Hour, ""}, "36h": {36 * time.Hour, ""}} {
		if got := WindowName(in.length, in.model); got != want {
			t.Errorf("%v %q: %q, want %q", in.length, in.model, got, want)
		}
	}
}

func TestPercent(t *testing.T) {
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1), 1e9} {
		if got := Percent(bad); got != nil {
			t.Errorf("%v is taken for %v", bad, *got)
		}
	}
	if got := Percent(104.5); got == nil || *got != 104.5 {
		t.Errorf("104.5: %v", got)
	}
}

// TestNewestWins: in whatever order samples come.
func TestNewestWins(t *testing.T) {
	old, new, older := sample(40, time.Hour, 0), sample(42, time.Hour, time.Minute), sample(90, time.Hour, -time.Minute)
	var table Table
	for i, step := range []struct {
		s       Sample
		changed bool
	}{{old, true}, {new, true}, {old, false}, {older, false}, {sample(42, time.Hour+time.Second, 2*time.Minute), false}} {
		if got := table.Add(step.s); got != step.changed {
			t.Errorf("step %d: changed %v", i, got)
		}
	}
	if got, _ := table.Newest(old.Key); *got.UsedPercent != 42 || !got.At.Equal(epoch.Add(2*time.Minute)) {
		t.Errorf("newest: %+v", got)
	}
}

// TestWindowRolls: what is used of a window that has ended is unknown until a sample of the next.
func TestWindowRolls(t *testing.T) {
	var table Table
	table.Add(sample(97, time.Hour, 0))
	if w := table.Windows(epoch.Add(time.Hour - 1))[0]; w.Rolled || *w.UsedPercent != 97 {
		t.Errorf("before its end: %+v", w)
	}
	w := table.Windows(epoch.Add(time.Hour))[0]
	if !w.Rolled || w.UsedPercent != nil || w.Pace(epoch.Add(time.Hour)) != PaceUnknown {
		t.Errorf("at its end: %+v", w)
	}
	table.Add(sample(0, 6*time.Hour, 61*time.Minute))
	if w := table.Windows(epoch.Add(62 * time.Minute))[0]; w.Rolled || w.UsedPercent == nil || *w.UsedPercent != 0 {
		t.Errorf("the next one: %+v", w)
	}
}

func TestBehind(t *testing.T) {
	var table Table
	if table.Behind(sample(40, time.Hour, 0)) {
		t.Error("nothing is known, and it is behind")
	}
	table.Add(sample(42, time.Hour, 0))
	for _, tt := range []struct {
		s    Sample
		want bool
	}{
		{sample(40, time.Hour, time.Minute), true},
		{sample(42, time.Hour, time.Minute), false},
		{sample(99, -4*time.Hour, time.Minute), true},
		{sample(1, 6*time.Hour, time.Minute), false},
	} {
		if got := table.Behind(tt.s); got != tt.want {
			t.Errorf("%v%% until %v: %v", *tt.s.UsedPercent, tt.s.ResetsAt, got)
		}
	}
}

func TestPace(t *testing.T) {
	for _, tt := range []struct {
		used float64
		left time.Duration
		want Pace
	}{
		{42, 2*time.Hour + 10*time.Minute, PaceFits}, // 56 % of the time has passed
		{60, 2*time.Hour + 10*time.Minute, PaceQuick},
		{15, 5 * time.Hour, PaceFits}, // too early to tell
		{90, time.Minute, PaceQuick},
		{100, time.Hour, PaceSpent},
	} {
		w := sample(tt.used, tt.left, 0).Window(epoch)
		if got := w.Pace(epoch); got != tt.want {
			t.Errorf("%v%% with %v left: %v, want %v", tt.used, tt.left, got, tt.want)
		}
	}
	spend := Sample{Key: Key{Name: WindowSpend}, UsedPercent: Percent(50)}
	if got := spend.Window(epoch).Pace(epoch); got != PaceUnknown {
		t.Errorf("without a length: %v", got)
	}
	refused := Sample{Key: Key{Name: "5h"}, ResetsAt: epoch.Add(time.Hour), Source: SourceRefusal}
	if got := refused.Window(epoch).Pace(epoch); got != PaceSpent {
		t.Errorf("refused: %v", got)
	}
}

// TestOrder: the windows of an account from the shortest to those without a length.
func TestOrder(t *testing.T) {
	var table Table
	for _, s := range []Sample{{Key: Key{"claude", "", WindowSpend}}, {Key: Key{"claude", "", "7d"}, Length: SevenDays}, {Key: Key{"claude", "work", "5h"}, Length: FiveHours}, {Key: Key{"claude", "", "5h"}, Length: FiveHours}} {
		table.Add(s)
	}
	var got []string
	for _, w := range table.Windows(epoch) {
		got = append(got, w.Account+":"+w.Name)
	}
	if want := []string{":5h", ":7d", ":spend", "work:5h"}; len(got) != len(want) || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] || got[3] != want[3] {
		t.Errorf("%q", got)
	}
}
