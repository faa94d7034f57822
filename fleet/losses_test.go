package fleet_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/fleet"
	"ccdir/fleet/engine"
	"ccdir/orchestrator"
)

// TestPowerFailure: all servers lose their power at once. What they had acknowledged is there after it.
func TestPowerFailure(t *testing.T) {
	t.Parallel()
	for _, count := range []int{1, 3} {
		t.Run(fmt.Sprintf("%d", count), func(t *testing.T) {
			t.Parallel()
			servers := newServers(t, count)
			me := connect(t, servers, engine.Member{Name: "me", Asks: true})
			addOnce(t, me, "p0")
			early := copies(t, servers)
			for n := 1; n < 100; n++ {
				addOnce(t, me, fmt.Sprintf("p%d", n))
			}
			for _, s := range servers {
				s.signal(syscall.SIGSTOP)
			}
			late := copies(t, servers)
			for i, s := range servers {
				s.kill()
				if err := os.RemoveAll(s.o.Dir); err != nil {
					t.Fatal(err)
				}
				if err := os.CopyFS(s.o.Dir, os.DirFS(late[i])); err != nil {
					t.Fatal(err)
				}
				if count == 3 {
					unsync(t, s.o.Dir, early[i])
				}
			}
			for _, s := range servers {
				s.start()
			}
			until(t, "a server again", me.IsConnected)
			if got := states(t, me); got[api.TaskQueued] != 100 {
				t.Errorf("of 100 acknowledged tasks there are %v", got)
			}
		})
	}
}

// copies copies the servers' directories.
func copies(t *testing.T, servers []*server) (list []string) {
	t.Helper()
	for _, s := range servers {
		to := filepath.Join(t.TempDir(), "copy")
		if err := os.CopyFS(to, os.DirFS(s.o.Dir)); err != nil {
			t.Fatal(err)
		}
		list = append(list, to)
	}
	return list
}

// unsync puts the stream's own files back to an earlier state: with replicas they are synced from time to
// time, and what is between is in the synced log of the servers' consensus.
func unsync(t *testing.T, dir, early string) {
	t.Helper()
	const messages = "streams/jetstream/$G/streams/QUEUE/msgs"
	if err := os.RemoveAll(filepath.Join(dir, messages)); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, messages), os.DirFS(filepath.Join(early, messages))); err != nil {
		t.Fatal(err)
	}
}

// TestFlippedBit: a bit that has changed in the queue's files is told, or has changed nothing that counts. Files are
// damaged in their first and last bytes, too: the engine then takes the stream for an empty or a shorter one.
func TestFlippedBit(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	stop := b.lead("one")
	me := b.member(engine.Member{Name: "me", Asks: true})
	for n := range 20 {
		addOnce(t, me, fmt.Sprintf("p%d", n))
	}
	stop()
	b.e.Close()
	good := filepath.Join(t.TempDir(), "good")
	if err := os.CopyFS(good, os.DirFS(b.dir)); err != nil {
		t.Fatal(err)
	}
	const stream = "streams/jetstream/$G/streams/QUEUE/"
	for i, flip := range []struct {
		file  string
		part  float64 // where in the file
		index bool    // the engine has its index, which it has not after a kill
	}{
		{"msgs/1.blk", 0, true}, {"msgs/1.blk", 0.3, true}, {"msgs/1.blk", 0.5, false}, {"msgs/1.blk", 1, true}, {"msgs/1.blk", 1, false},
		{"meta.inf", 0.5, true}, {"meta.sum", 0, true}, {"msgs/index.db", 0.5, true},
	} {
		if err := errors.Join(os.RemoveAll(b.dir), os.CopyFS(b.dir, os.DirFS(good))); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(b.dir, stream+flip.file)
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		data[int(float64(len(data)-1)*flip.part)] ^= 1 << (i % 7)
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if !flip.index {
			if err := os.Remove(filepath.Join(b.dir, stream+"msgs/index.db")); err != nil {
				t.Fatal(err)
			}
		}
		b.start()
		tasks, err := b.leadOrFail()
		b.e.Close()
		t.Logf("%+v: %d tasks, %v", flip, tasks, err)
		if err == nil && tasks != 20 {
			t.Errorf("%+v: %d of 20 tasks, and nobody was told", flip, tasks)
		}
	}
	b.start()
}

// leadOrFail leads until the queue is read: how many tasks it has, or why not.
func (b *box) leadOrFail() (tasks int, err error) {
	b.t.Helper()
	nc, err := b.e.Connect()
	if err != nil {
		b.t.Fatal(err)
	}
	defer nc.Close()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- fleet.Lead(ctx, fleet.Options{Conn: nc, Name: "one", Replicas: 1, Mark: b.e.MarkFile(), Times: orchestrator.DefaultTimes(), Log: slog.New(slog.DiscardHandler)})
	}()
	defer cancel()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		r, err := fleet.Ask(ctx, nc, "server", api.FleetRequest{Op: api.FleetTasks})
		if err == nil {
			cancel()
			<-done
			return len(r.Tasks), nil
		}
		select {
		case err := <-done:
			return 0, err
		case <-time.After(20 * time.Millisecond): // it reads the log
		}
	}
	b.t.Fatal("it neither leads nor fails")
	return 0, nil
}
