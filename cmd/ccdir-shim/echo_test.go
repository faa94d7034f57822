package main

import (
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"ccdir/wire"

	"github.com/creack/pty"
)

// echoer prints what is typed, itself: the terminal driver does not.
var echoer = []string{"sh", "-c", "stty raw -echo; echo ready; exec cat"}

// report adds percentiles to a benchmark of single round trips.
func report(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2])/1e3, "p50-µs")
	b.ReportMetric(float64(took[len(took)*95/100])/1e3, "p95-µs")
}

// pace is the time between two keys: long enough that everything sleeps, as it
// does when a person types.
const pace = 2 * time.Millisecond

// BenchmarkEcho measures from a key's write to its echo's arrival, over a bare
// PTY and through a host process, in the same run.
func BenchmarkEcho(b *testing.B) {
	b.Run("bare", func(b *testing.B) {
		cmd := exec.Command(echoer[0], echoer[1:]...)
		ptm, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 100, Rows: 30})
		if err != nil {
			b.Fatal(err)
		}
		defer func() {
			ptm.Close()
			cmd.Process.Kill()
			cmd.Wait()
		}()
		readUntil(b, ptm, '\n')
		buf := make([]byte, 100)
		var took []time.Duration
		for b.Loop() {
			b.StopTimer()
			time.Sleep(pace)
			b.StartTimer()
			at := time.Now()
			if _, err := ptm.Write([]byte("a")); err != nil {
				b.Fatal(err)
			}
			if _, err := ptm.Read(buf); err != nil {
				b.Fatal(err)
			}
			took = append(took, time.Since(at))
		}
		report(b, took)
	})
	b.Run("host", func(b *testing.B) {
		h := startHost(b, nil, echoer...)
		c := h.dial()
		if err := c.Send(&wire.View{Visible: true, Cols: 100, Rows: 30}); err != nil {
			b.Fatal(err)
		}
		m := wire.NewMirror()
		frame := func() *wire.Frame {
			for {
				msg, err := c.Receive()
				if err != nil {
					b.Fatal(err)
				}
				if f, ok := msg.(*wire.Frame); ok {
					if err := m.Apply(f); err != nil {
						b.Fatal(err)
					}
					return f
				}
			}
		}
		for frame().Written == 0 {
		}
		key := &wire.Input{Type: wire.InputKey, Text: []byte("a")}
		var took []time.Duration
		for b.Loop() {
			b.StopTimer()
			time.Sleep(pace)
			b.StartTimer()
			want := m.Meta().Written + 1
			at := time.Now()
			if err := c.Send(key); err != nil {
				b.Fatal(err)
			}
			for frame().Written < want {
			}
			took = append(took, time.Since(at))
		}
		report(b, took)
	})
}

func readUntil(b *testing.B, f *os.File, end byte) {
	buf := make([]byte, 100)
	for {
		n, err := f.Read(buf)
		if err != nil {
			b.Fatal(err)
		}
		if slices.Contains(buf[:n], end) {
			return
		}
	}
}
