package fleet_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"ccdir/api"
	"ccdir/fleet"
	"ccdir/fleet/engine"
	"ccdir/orchestrator"
)

var (
	drillTasks = flag.Int("drill-tasks", 60, "tasks of TestDrill")
	drillFor   = flag.Duration("drill-for", 8*time.Second, "how long TestDrill does harm")
)

// busy is a machine's daemon whose tasks take a moment.
type busy struct{ *daemon }

func (b busy) AddTasks(ctx context.Context, list []api.NewTask) ([]api.Task, error) {
	added, err := b.daemon.AddTasks(ctx, list)
	if err == nil {
		time.AfterFunc(time.Duration(rand.IntN(400))*time.Millisecond, func() { _, _ = b.end(added[0].ID, api.TaskDone) })
	}
	return added, err
}

// machine is one of the drill: its daemon lives, what joins the fleet for it comes and goes.
type machine struct {
	name string
	nc   *nats.Conn
	d    busy
	stop func()
}

// TestDrill: three servers are killed and frozen one after the other, joins end and connections are cut.
// Each task is done once, no attempt is started twice, and what was acknowledged is kept.
func TestDrill(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	dice := rand.New(rand.NewPCG(seed, 1))
	servers := newServers(t, 3)
	me := connect(t, servers, engine.Member{Name: "me", Asks: true})
	var machines []*machine
	for i := range 4 {
		m := &machine{name: fmt.Sprintf("n%d", i), d: busy{newDaemon(false)}}
		m.nc = connect(t, servers, engine.Member{Name: m.name, Runs: true})
		m.stop = join(t, m.nc, m.name, nil, 4, m.d)
		machines = append(machines, m)
	}
	var added sync.WaitGroup
	added.Go(func() {
		for n := range *drillTasks {
			addOnce(t, me, fmt.Sprintf("p%d", n))
			time.Sleep(rand.N(2 * *drillFor / time.Duration(*drillTasks))) // over the whole time of the harm
		}
	})
	kills, frozen, ended, cut := 0, 0, 0, 0
	for end := time.Now().Add(*drillFor); time.Now().Before(end); {
		time.Sleep(time.Duration(dice.IntN(800)) * time.Millisecond) // the moment of the harm is the point
		s, m := servers[dice.IntN(len(servers))], machines[dice.IntN(len(machines))]
		switch dice.IntN(4) {
		case 0:
			kills++
			s.kill()
			s.start()
			time.Sleep(time.Duration(dice.IntN(2000)) * time.Millisecond)
		case 1:
			frozen++
			s.signal(syscall.SIGSTOP)
			time.Sleep(time.Duration(dice.IntN(int(*drillFor / 4)))) // of the long drill: beyond the leader's lease
			s.signal(syscall.SIGCONT)
		case 2:
			ended++
			m.stop()
			m.stop = join(t, m.nc, m.name, nil, 4, m.d)
		case 3:
			cut++
			_ = m.nc.ForceReconnect()
		}
	}
	added.Wait()
	until(t, "all tasks to end", func() bool { return states(t, me)[api.TaskDone] == *drillTasks })
	began, prompts := 0, map[string]int{}
	for _, m := range machines {
		for request, n := range m.d.began {
			if began++; n != 1 {
				t.Errorf("%s: %s began %d times", m.name, request, n)
			}
		}
		for _, task := range m.d.tasks {
			prompts[task.Prompt]++
		}
	}
	for prompt, n := range prompts {
		if n != 1 {
			t.Errorf("%s was done %d times", prompt, n)
		}
	}
	t.Logf("%d tasks, %d attempts began; %d servers killed, %d frozen, %d joins ended, %d connections cut", *drillTasks, began, kills, frozen, ended, cut)
}

// addOnce gives the fleet a task until that is acknowledged.
func addOnce(t *testing.T, nc *nats.Conn, prompt string) {
	for {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		_, err := fleet.Ask(ctx, nc, "me", api.FleetRequest{Op: api.FleetAdd, Tasks: []api.NewTask{{Prompt: prompt, Agent: "claude", CWD: "/tmp", Request: prompt}}})
		cancel()
		if err == nil {
			return
		}
		if t.Context().Err() != nil || api.CodeOf(err) != api.CodeUnavailable {
			t.Errorf("%s was not taken: %v", prompt, err)
			return
		}
		time.Sleep(100 * time.Millisecond) // the next leader's doing
	}
}

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
