package faults

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"ccdir/api"
)

// deaths is how often TestKilledWhileWriting kills the daemon.
const deaths = 12

// TestKilledWhileWriting: the daemon is killed repeatedly while it writes its files and
// its database continuously. Every file is complete and has the last acknowledged
// content or a newer one.
func TestKilledWhileWriting(t *testing.T) {
	w := newWorld(t, "", "")
	pid := w.start()
	s := w.sh("name-0", "exec cat")
	for i := range deaths {
		var grid, name atomic.Int64
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{}, 2)
		write := func(acked *atomic.Int64, call func(n int64) error) {
			defer func() { done <- struct{}{} }()
			for n := int64(i+1) * 1_000_000; ctx.Err() == nil; n++ {
				if call(n) != nil {
					return
				}
				acked.Store(n)
			}
		}
		go write(&grid, func(n int64) error {
			return w.client.SetGrid(ctx, api.Grid{Layout: fmt.Sprint(n), Order: []string{strings.Repeat("x", 100), s.ID}})
		})
		go write(&name, func(n int64) error {
			_, err := w.client.RenameSession(ctx, s.ID, fmt.Sprintf("name-%d", n))
			return err
		})
		w.until("both are acknowledged", func() bool { return grid.Load() > 0 && name.Load() > 0 })
		time.Sleep(rand.N(20 * time.Millisecond)) // any moment will do
		w.kill9(pid)
		cancel()
		<-done
		<-done
		w.whole()
		pid = w.start()
		g, err := w.client.Grid(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := number(g.Layout); got < grid.Load() {
			t.Errorf("the arrangement is %q, and %d was acknowledged", g.Layout, grid.Load())
		}
		v, err := w.client.Session(t.Context(), s.ID)
		if err != nil {
			t.Fatal(err)
		}
		if got := number(strings.TrimPrefix(v.Name, "name-")); got < name.Load() || v.PID != s.PID {
			t.Errorf("the name is %q, and %d was acknowledged", v.Name, name.Load())
		}
	}
	w.events() // without a gap
}

func number(text string) (n int64) {
	if _, err := fmt.Sscan(text, &n); err != nil {
		return -1
	}
	return n
}

// whole checks that every JSON file below the state directory can be read.
func (w *world) whole() {
	w.Helper()
	err := filepath.WalkDir(w.paths.State, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".json" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if !json.Valid(data) {
			w.Errorf("%s is torn: %.200q", path, data)
		}
		return nil
	})
	if err != nil {
		w.Error(err)
	}
}

// TestStoppedGrid: an attached terminal that stops reading blocks neither the agent nor
// other clients; when it continues, it shows the present screen.
func TestStoppedGrid(t *testing.T) {
	w := newWorld(t, "", "")
	w.start()
	counter := w.sh("counter", "i=0; while :; do i=$((i+1)); echo tick $i; sleep 0.002; done")
	stuck, well := w.attach(), w.attach()
	for _, g := range []*terminal{stuck, well} {
		w.until("a grid shows the session", func() bool { return strings.Contains(g.text(), "tick ") })
	}
	if err := syscall.Kill(stuck.pid(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Kill(stuck.pid(), syscall.SIGCONT) }()
	from := w.ticks(counter.ID)
	w.until("the agent goes on", func() bool { return w.ticks(counter.ID) > from+300 })
	w.until("the other grid goes on", func() bool { return lastTick(well.text()) > from+300 })
	now := w.ticks(counter.ID)
	if err := syscall.Kill(stuck.pid(), syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	w.until("the grid shows the present", func() bool { return lastTick(stuck.text()) >= now })
}

func (w *world) ticks(id string) int { return lastTick(w.text(id)) }

// lastTick is the highest number after a "tick".
func lastTick(text string) (most int) {
	for _, part := range strings.Split(text, "tick ")[1:] {
		n := 0
		if _, err := fmt.Sscan(part, &n); err == nil {
			most = max(most, n)
		}
	}
	return most
}
