package fleet_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"ccdir/api"
	"ccdir/fleet"
	"ccdir/fleet/engine"
	"ccdir/orchestrator"
)

// TestMove: a queue goes on with three new servers. What runs goes on and is not started anew, an attempt that was given
// anew before stays refused, and the servers and keys of before have no part in it.
func TestMove(t *testing.T) {
	t.Parallel()
	old := newServers(t, 1)
	me := connect(t, old, engine.Member{Name: "me", Asks: true})
	before, err := engine.Invite(old[0].o.Dir, engine.Member{Name: "n1", Runs: true}, []string{"nats://" + old[0].o.Listen})
	if err != nil {
		t.Fatal(err)
	}
	n1, err := engine.Dial(before, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n1.Close)
	d1, d2 := newDaemon(false), newDaemon(false)
	stop1 := join(t, n1, "n1", nil, 3, d1)
	add := func(names ...string) {
		var list []api.NewTask
		for _, name := range names {
			list = append(list, api.NewTask{Prompt: name, Agent: "claude", CWD: "/tmp", Request: names[0]})
		}
		ask(t, me, "me", api.FleetRequest{Op: api.FleetAdd, Tasks: list})
	}
	task := func(id string) api.Task {
		return ask(t, me, "me", api.FleetRequest{Op: api.FleetTask, Ref: id}).Tasks[0]
	}
	add("ends", "goes on", "is given anew", "waits")
	until(t, "three tasks to run", func() bool { return states(t, me)[api.TaskRunning] == 3 })
	d1.endOf(t, "ends")
	until(t, "the first one to end", func() bool { return task("t1").State == api.TaskDone })
	until(t, "the last one to run", func() bool { return task("t4").State == api.TaskRunning })
	stop1() // it is away, and the third one is given anew
	ask(t, me, "me", api.FleetRequest{Op: api.FleetRelease, Ref: "t3"})

	var queue bytes.Buffer
	if err := fleet.Export(t.Context(), streamsOf(t, old[0]), &queue, true); err != nil {
		t.Fatal(err)
	}
	again := bytes.Buffer{}
	if err := fleet.Export(t.Context(), streamsOf(t, old[0]), &again, true); err != nil || again.String() != queue.String() {
		t.Errorf("a second export is another one: %v", err)
	}
	until(t, "the old server to lead no more", func() bool {
		_, err := fleet.Ask(t.Context(), me, "me", api.FleetRequest{Op: api.FleetState})
		return api.CodeOf(err) == api.CodeUnavailable
	})

	servers := newServers(t, 3)
	me = connect(t, servers, engine.Member{Name: "me", Asks: true})
	nc := connect(t, servers, engine.Member{Name: "n1", Runs: true})
	states(t, me) // somebody leads
	if n, err := fleet.Import(t.Context(), streamsOf(t, servers[1]), bytes.NewReader(queue.Bytes())); err != nil || n != 4 {
		t.Fatal(n, err)
	}
	if _, err := fleet.Import(t.Context(), streamsOf(t, servers[1]), bytes.NewReader(queue.Bytes())); err == nil {
		t.Error("a queue was imported over another one")
	}
	until(t, "the queue", func() bool { return len(ask(t, me, "me", api.FleetRequest{Op: api.FleetTasks}).Tasks) == 4 })
	join(t, connect(t, servers, engine.Member{Name: "n2", Runs: true}), "n2", nil, 1, d2)
	until(t, "the third one to run elsewhere", func() bool { return task("t3").State == api.TaskRunning })
	for _, prompt := range []string{"goes on", "is given anew", "waits"} { // on the first machine, while that is in no fleet
		d1.endOf(t, prompt)
	}
	join(t, nc, "n1", nil, 3, d1)
	until(t, "what went on to end", func() bool { return states(t, me)[api.TaskDone] == 3 })
	if got := task("t3"); got.State != api.TaskRunning || got.Place != "n2" || got.Attempt == 1 {
		t.Errorf("the end of an attempt that was given anew counted: %+v", got)
	}
	d2.endOf(t, "is given anew")
	until(t, "all tasks to end", func() bool { return states(t, me)[api.TaskDone] == 4 })
	if len(d1.began) != 4 || len(d2.began) != 1 {
		t.Errorf("%v and %v began", d1.began, d2.began)
	}
	if got := task("t1"); got.Result.Message != "ended: ends" || got.Attempt != 1 {
		t.Errorf("the result of before is %+v", got)
	}

	pair, err := nkeys.FromSeed([]byte(before.Seed))
	if err != nil {
		t.Fatal(err)
	}
	key, _ := pair.PublicKey()
	until(t, "the key of before to be refused", func() bool {
		stranger, err := nats.Connect("nats://"+servers[0].o.Listen, nats.Nkey(key, pair.Sign))
		if err == nil {
			stranger.Close()
			t.Fatal("the key of before holds")
		}
		return errors.Is(err, nats.ErrAuthorization)
	})
}

// streamsOf has every right on a server.
func streamsOf(t *testing.T, s *server) jetstream.JetStream {
	t.Helper()
	nc, err := engine.Admin(s.o.Dir, "nats://"+s.o.Listen)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// TestImportCutOff: with a part of a queue nobody leads, and large ones come in several parts.
func TestImportCutOff(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	js, l := openLog(t, b)
	for i := range 100 {
		if err := l.CommitTasks([]orchestrator.Row{row(fmt.Sprintf("t%d", i+1), "queued", 100_000)}, []byte(`{"next":101}`), nil); err != nil {
			t.Fatal(err)
		}
	}
	var queue bytes.Buffer
	if err := fleet.Export(t.Context(), js, &queue, false); err != nil {
		t.Fatal(err)
	}
	for whole, part := range map[bool]io.Reader{true: bytes.NewReader(queue.Bytes()), false: bytes.NewReader(queue.Bytes()[:queue.Len()-1000])} {
		b := newBox(t)
		js, _ := openLog(t, b)
		n, err := fleet.Import(t.Context(), js, part)
		if (err == nil) != whole || whole && n != 100 {
			t.Errorf("%d tasks, %v", n, err)
		}
		b.lead("one")
		me := b.member(engine.Member{Name: "me", Asks: true})
		if whole {
			if got := states(t, me); got[api.TaskQueued] != 100 {
				t.Errorf("%v", got)
			}
			continue
		}
		until(t, "it not to lead", func() bool {
			_, err := fleet.Ask(t.Context(), me, "me", api.FleetRequest{Op: api.FleetTasks})
			return api.CodeOf(err) == api.CodeUnavailable
		})
	}
}
