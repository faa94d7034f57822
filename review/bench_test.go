package review

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// childTime is the processor time of the processes that this one has waited for.
func childTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u) // cannot fail
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkTake: a snapshot of 20,000 files of which 10 have changed; cpu-ms is the processor time of git.
func BenchmarkTake(b *testing.B) {
	r := newRepo(b)
	const files = 20_000
	for i := range files {
		dir := filepath.Join(r.dir, fmt.Sprint(i/100))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), fmt.Appendf(nil, "file %d\n", i), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	r.commit("first")
	last := ""
	used := time.Duration(0)
	for n := 0; b.Loop(); n++ {
		b.StopTimer()
		for i := range 10 {
			r.write(fmt.Sprintf("%d/%d", i*7, i*700), fmt.Sprintf("round %d\n", n))
		}
		b.StartTimer()
		before := childTime()
		o, err := Open(b.Context(), r.dir)
		if err != nil {
			b.Fatal(err)
		}
		if last, err = o.Take(b.Context(), last, subjectPrefix+"bench"); err == nil {
			err = o.Keep(b.Context(), "s1", Point{Turn: n}, last)
		}
		o.Close()
		if err != nil {
			b.Fatal(err)
		}
		used += childTime() - before
	}
	b.ReportMetric(float64(used.Milliseconds())/float64(b.N), "cpu-ms/op")
}

// BenchmarkDiff: a difference of 50,000 lines, from git's process to values.
func BenchmarkDiff(b *testing.B) {
	r := newRepo(b)
	o := r.open()
	from := r.take(o, "")
	for i := range 50 {
		text := ""
		for j := range 1000 {
			text += fmt.Sprintf("line %d of file %d, as long as one is\n", j, i)
		}
		r.write(fmt.Sprint(i), text)
	}
	to := r.take(o, "")
	for b.Loop() {
		if files := r.diff(o, from, to, Options{}); len(files) != 50 {
			b.Fatal(len(files))
		}
	}
}
