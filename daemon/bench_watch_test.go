package daemon

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"syscall"
	"testing"
	"time"

	"ccdir/api"
)

// BenchmarkWatch is one event with its session's new value, from the log's queue
// through the store to every watcher, with so many sessions and watchers; 32 are
// under way at a time. What an event costs must not depend on how many sessions
// there are, and for each watcher more only what sending it takes. cpu-µs/event
// has the watchers' own part in it: they read here.
func BenchmarkWatch(b *testing.B) {
	for _, sessions := range []int{1, 32, 200} {
		for _, watchers := range []int{1, 8} {
			b.Run(fmt.Sprintf("%d-sessions/%d-watchers", sessions, watchers), func(b *testing.B) { benchWatch(b, sessions, watchers) })
		}
	}
}

func benchWatch(b *testing.B, sessions, watchers int) {
	s := serveLog(b, sessions)
	var wg sync.WaitGroup
	last := int64(b.N)
	for range watchers {
		each := s.watch(b)
		each(func([]byte) bool { return false }) // the snapshot
		wg.Go(func() {
			each(func(data []byte) bool { return lastEvent(data) < last })
		})
	}
	b.ReportAllocs()
	b.ResetTimer()
	before := ownCPU()
	var under [32]<-chan error
	for n := range b.N {
		if done := under[n%len(under)]; done != nil {
			if err := <-done; err != nil {
				b.Fatal(err)
			}
		}
		under[n%len(under)] = s.change(n%sessions, n)
	}
	wg.Wait()
	b.ReportMetric(float64((ownCPU()-before).Microseconds())/float64(b.N), "cpu-µs/event")
}

// lastEvent is the number that a message brings its reader to.
func lastEvent(data []byte) int64 {
	var m struct {
		Event    struct{ Seq int64 }
		Snapshot struct{ Seq int64 }
	}
	if json.Unmarshal(data, &m) != nil {
		return -1
	}
	return max(m.Event.Seq, m.Snapshot.Seq)
}

// ownCPU is the CPU time that this process has used.
func ownCPU() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkList is GET /v1/sessions again and again while one session changes in
// between.
func BenchmarkList(b *testing.B) {
	for _, sessions := range []int{1, 32, 200} {
		b.Run(fmt.Sprint(sessions, "-sessions"), func(b *testing.B) {
			s := serveLog(b, sessions)
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				if err := <-s.log.Append(api.WatchMessage{Session: changedSession(n%sessions, n).Session}, nil, ""); err != nil {
					b.Fatal(err)
				}
				resp, err := s.http.Client().Get("http://ccdir/v1/sessions")
				if err != nil {
					b.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, resp.Body); err != nil {
					b.Fatal(err)
				}
				resp.Body.Close()
			}
		})
	}
}
