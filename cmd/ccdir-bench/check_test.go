package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestCheck: a cost passes up to three times the recorded one, whichever way the
// value counts; what was never recorded passes.
func TestCheck(t *testing.T) {
	old := baselineJSON
	defer func() { baselineJSON = old }()
	baselineJSON = []byte(`{"slow": 1.5, "rate": 0.5, "small": 1}`)
	tests := []struct {
		r   result
		bad bool
	}{
		{result{ID: "slow", Tmux: some(10), Ccdir: 45}, false},
		{result{ID: "slow", Tmux: some(10), Ccdir: 46}, true},
		{result{ID: "slow", Limit: some(10), Ccdir: 46}, true},
		{result{ID: "slow", Limit: some(1), Tmux: some(10), Ccdir: 45}, false},
		{result{ID: "rate", More: true, Tmux: some(30), Ccdir: 20}, false},
		{result{ID: "rate", More: true, Tmux: some(31), Ccdir: 20}, true},
		{result{ID: "small", Absolute: true, Ccdir: 4}, true},
		{result{ID: "small", Absolute: true, Ccdir: 4, Floor: 5}, false},
		{result{ID: "never recorded", Tmux: some(1), Ccdir: 100}, false},
		{result{ID: "slow", Ccdir: 100}, false}, // nothing to compare with
	}
	for _, tc := range tests {
		bad := check([]result{tc.r.finish()})
		if (len(bad) > 0) != tc.bad {
			t.Errorf("%+v: %v", tc.r, bad)
		}
		if len(bad) > 0 && !strings.Contains(regression(bad).Error(), tc.r.ID) {
			t.Errorf("the error does not name %s", tc.r.ID)
		}
	}
}

// TestBaseline: the recorded costs are readable and positive.
func TestBaseline(t *testing.T) {
	var baseline map[string]float64
	if err := json.Unmarshal(baselineJSON, &baseline); err != nil {
		t.Fatal(err)
	}
	for id, cost := range baseline {
		if cost <= 0 {
			t.Errorf("%s: %v", id, cost)
		}
	}
}

// TestTargets: met says whether the ratio is on the right side.
func TestTargets(t *testing.T) {
	for _, tc := range []struct {
		r    result
		want string
	}{
		{result{Tmux: some(10), Ccdir: 15, Target: 1.5}, "ok"},
		{result{Tmux: some(10), Ccdir: 16, Target: 1.5}, "missed"},
		{result{Tmux: some(10), Ccdir: 30, Target: 3, More: true}, "ok"},
		{result{Tmux: some(10), Ccdir: 29, Target: 3, More: true}, "missed"},
		{result{Tmux: some(10), Ccdir: 29}, ""},
		{result{Tmux: some(0.1), Ccdir: 2.9, Target: 3, Absolute: true}, "ok"},
		{result{Tmux: some(10), Ccdir: 3.1, Target: 3, Absolute: true}, "missed"},
	} {
		if got := tc.r.finish().met(); got != tc.want {
			t.Errorf("%+v: %q", tc.r, got)
		}
	}
}

// TestPicturesDiffer: what is counted is not the same frame again and again.
func TestPicturesDiffer(t *testing.T) {
	for _, p := range pictures {
		if p.frame(1) == p.frame(2) || len(p.frame(1)) == 0 {
			t.Errorf("%s: two frames are the same", p.name)
		}
	}
}
