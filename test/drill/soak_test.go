package drill

import (
	"math"
	"strings"
	"testing"
	"time"
)

// samples makes measurements ten seconds apart.
func samples(n int, at func(i int) Sample) (out []Sample) {
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for i := range n {
		s := at(i)
		s.At = began.Add(time.Duration(i) * 10 * time.Second)
		out = append(out, s)
	}
	return out
}

// TestJudge: growth is found; buffers that fill up at the beginning and values that
// fluctuate are not reported.
func TestJudge(t *testing.T) {
	flat := Sample{Daemon: Use{30 << 20, 70}, Grid: Use{20 << 20, 50}, Hosts: Use{60 << 20, 120}, Goroutines: 80, Processes: 20}
	tests := []struct {
		name string
		at   func(i int) Sample
		want string // "" passes
	}{
		{"flat", func(int) Sample { return flat }, ""},
		{"fills", func(i int) Sample { s := flat; s.Daemon.Memory += int64(min(i, 8)) << 21; return s }, ""},
		{"up and down", func(i int) Sample { s := flat; s.Daemon.Memory += int64(i%4) << 20; s.Goroutines += i % 5; return s }, ""},
		{"a file each look", func(i int) Sample { s := flat; s.Daemon.Files += i; return s }, "daemon files grew"},
		{"a goroutine each look", func(i int) Sample { s := flat; s.Goroutines += i; return s }, "daemon goroutines grew"},
		{"a megabyte each look", func(i int) Sample { s := flat; s.Hosts.Memory += int64(i) << 20; return s }, "hosts memory grew"},
		{"the grid, too", func(i int) Sample { s := flat; s.Grid.Memory += int64(i) << 19; return s }, "grid memory grew"},
		{"a process now and then", func(i int) Sample { s := flat; s.Processes += i / 6; return s }, "processes grew"},
	}
	for _, tc := range tests {
		r := SoakResult{Series: judge(samples(30, tc.at))}
		var got []string
		for _, err := range r.problems() {
			got = append(got, err.Error())
		}
		text := strings.Join(got, "; ")
		if tc.want == "" && text != "" || tc.want != "" && (len(got) != 1 || !strings.HasPrefix(text, tc.want)) {
			t.Errorf("%s: got %q, want %q", tc.name, text, tc.want)
		}
	}
	onItsWay := func(i int) Sample { s := flat; s.Processes += i / 5; return s }
	if list := (SoakResult{Series: judge(samples(6, onItsWay))}).problems(); len(list) != 0 {
		t.Errorf("a process that is on its way in the last of a few looks: %v", list)
	}
	if r := (SoakResult{Series: judge(samples(3, func(int) Sample { return flat }))}); len(r.problems()) != 1 {
		t.Error("three looks are said to tell something")
	}
}

func TestFitted(t *testing.T) {
	from, to := fitted([]float64{0, 1, 2, 3}, []float64{1, 3, 5, 7})
	if math.Abs(from-1) > 1e-9 || math.Abs(to-7) > 1e-9 {
		t.Errorf("got %g and %g", from, to)
	}
	if from, to := fitted([]float64{2, 2}, []float64{4, 4}); from != 4 || to != 4 {
		t.Errorf("no time passed: got %g and %g", from, to)
	}
}
