package fleet_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"ccdir/api"
	"ccdir/fleet"
	"ccdir/fleet/engine"
	"ccdir/orchestrator"
)

// box is a server with its directory; it can be ended and started again.
type box struct {
	t   *testing.T
	dir string
	e   *engine.Engine
}

func newBox(t *testing.T) *box {
	t.Helper()
	b := &box{t: t, dir: t.TempDir()}
	b.start()
	t.Cleanup(func() { b.e.Close() })
	return b
}

func (b *box) start() {
	b.t.Helper()
	e, err := engine.Serve(b.t.Context(), engine.Options{Dir: b.dir, Name: "hub", Listen: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.t.Fatal(err)
	}
	b.e = e
}

// lead begins a term of a server; the function ends it.
func (b *box) lead(name string) (stop func()) {
	b.t.Helper()
	nc, err := b.e.Connect()
	if err != nil {
		b.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- fleet.Lead(ctx, fleet.Options{Conn: nc, Name: name, Replicas: 1, Mark: b.e.MarkFile(), Times: orchestrator.DefaultTimes(), Log: slog.New(slog.DiscardHandler)})
	}()
	var once sync.Once
	stop = func() { once.Do(func() { cancel(); <-done; nc.Close() }) }
	b.t.Cleanup(stop)
	return stop
}

// member invites and connects somebody.
func (b *box) member(m engine.Member) *nats.Conn {
	b.t.Helper()
	i, err := engine.Invite(b.dir, m, []string{b.e.URL()})
	if err != nil {
		b.t.Fatal(err)
	}
	if i, err = engine.ParseInvitation(i.String()); err != nil {
		b.t.Fatal(err)
	}
	nc, err := engine.Dial(i, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(nc.Close)
	until(b.t, "the key of "+m.Name+" to hold", func() bool { return nc.IsConnected() })
	return nc
}

func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); {
		if time.Now().After(end) {
			t.Fatalf("waited for %s", what)
		}
		time.Sleep(10 * time.Millisecond) // another goroutine's or server's doing
	}
}

// join takes part until the function is called.
func join(t *testing.T, nc *nats.Conn, name string, labels []string, slots int, d fleet.Daemon) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- fleet.Join(ctx, fleet.MemberOptions{Conn: nc, Name: name, Labels: labels, Slots: slots, Daemon: d, Log: slog.New(slog.DiscardHandler)})
	}()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			if err := <-done; !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	t.Cleanup(stop)
	return stop
}

func ask(t *testing.T, nc *nats.Conn, who string, r api.FleetRequest) (reply api.FleetReply) {
	t.Helper()
	var err error
	until(t, "an answer to "+r.Op, func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		reply, err = fleet.Ask(ctx, nc, who, r)
		return api.CodeOf(err) != api.CodeUnavailable
	})
	if err != nil {
		t.Fatalf("%s: %v", r.Op, err)
	}
	return reply
}

func states(t *testing.T, nc *nats.Conn, who ...string) map[api.TaskState]int {
	t.Helper()
	got := map[api.TaskState]int{}
	for from, more := 0, true; more; {
		r := ask(t, nc, append(who, "me")[0], api.FleetRequest{Op: api.FleetTasks, From: from})
		for _, task := range r.Tasks {
			got[task.State]++
		}
		from, more = from+len(r.Tasks), r.More
	}
	return got
}

// TestFleet: tasks of one queue run on the machines that have what they need, each once, over the ends
// of leaders, machines' programs and the server.
func TestFleet(t *testing.T) {
	b := newBox(t)
	stop := b.lead("one")
	me := b.member(engine.Member{Name: "me", Asks: true})
	d1, d2 := newDaemon(true), newDaemon(true)
	n1 := b.member(engine.Member{Name: "n1", Runs: true})
	stopN1 := join(t, n1, "n1", []string{"gpu"}, 3, d1)
	join(t, b.member(engine.Member{Name: "n2", Runs: true}), "n2", nil, 2, d2)

	var list []api.NewTask
	for i := range 40 {
		n := api.NewTask{Prompt: fmt.Sprintf("p%d", i), Agent: "claude", CWD: "/tmp", Request: "once"}
		if i%4 == 0 {
			n.Fleet = &api.Placement{Needs: []string{"gpu"}}
		}
		list = append(list, n)
	}
	first := ask(t, me, "me", api.FleetRequest{Op: api.FleetAdd, Tasks: list})
	if again := ask(t, me, "me", api.FleetRequest{Op: api.FleetAdd, Tasks: list}); len(again.Tasks) != 40 || again.Tasks[0].ID != first.Tasks[0].ID {
		t.Errorf("a repeated call added tasks: %d", len(again.Tasks))
	}
	until(t, "some tasks to end", func() bool { return states(t, me)[api.TaskDone] > 5 })
	stop()
	stopN1()
	b.lead("two")
	join(t, n1, "n1", []string{"gpu"}, 3, d1)
	until(t, "all tasks to end", func() bool { return states(t, me)[api.TaskDone] == 40 })
	for _, d := range []*daemon{d1, d2} {
		for request, n := range d.began {
			if n != 1 {
				t.Errorf("%s began %d times", request, n)
			}
		}
	}
	if len(d1.began)+len(d2.began) < 40 || len(d2.began) == 0 {
		t.Errorf("%d and %d tasks", len(d1.began), len(d2.began))
	}
	for _, task := range d2.tasks {
		for i := 0; i < 40; i += 4 {
			if task.Prompt == fmt.Sprintf("p%d", i) {
				t.Errorf("%s needs a gpu and ran on n2", task.Prompt)
			}
		}
	}
	r := ask(t, me, "me", api.FleetRequest{Op: api.FleetTask, Ref: first.Tasks[1].ID})
	if got := r.Tasks[0].Result.Message; got != "done: p1" {
		t.Errorf("the result is %q", got)
	}
	f := ask(t, me, "me", api.FleetRequest{Op: api.FleetState}).Fleet
	if f.Leader != "two" || len(f.Nodes) != 2 || f.Nodes[0].Name != "n1" || f.Nodes[0].Slots != 3 {
		t.Errorf("%+v", f)
	}
}

// TestTold: the answers say why a task waits, and what is left of the limits of each machine's accounts.
func TestTold(t *testing.T) {
	b := newBox(t)
	b.lead("one")
	me := b.member(engine.Member{Name: "me", Asks: true})
	why := func(ref string) string {
		t.Helper()
		one := ask(t, me, "me", api.FleetRequest{Op: api.FleetTask, Ref: ref}).Tasks[0]
		for _, of := range ask(t, me, "me", api.FleetRequest{Op: api.FleetTasks}).Tasks {
			if of.ID == ref && of.Reason != one.Reason {
				t.Errorf("%s: %q in the list, %q alone", ref, of.Reason, one.Reason)
			}
		}
		return one.Reason
	}
	add := func(n api.NewTask) string {
		t.Helper()
		n.Agent, n.CWD = "claude", "/tmp"
		return ask(t, me, "me", api.FleetRequest{Op: api.FleetAdd, Tasks: []api.NewTask{n}}).Tasks[0].ID
	}
	gpu := add(api.NewTask{Prompt: "a", Fleet: &api.Placement{Needs: []string{"gpu"}}})
	next := add(api.NewTask{Prompt: "b", After: []api.TaskAfter{{Task: gpu}}})
	if got := why(gpu); got != "no machine has joined" {
		t.Errorf("without machines: %q", got)
	}
	if got := why(next); got != "waits for "+gpu {
		t.Errorf("after another: %q", got)
	}
	join(t, b.member(engine.Member{Name: "n1", Runs: true}), "n1", nil, 1, newDaemon(true))
	until(t, "the reason to name the label", func() bool { return why(gpu) == "no machine has claude, gpu" })
	until(t, "the windows of n1", func() bool {
		f := ask(t, me, "me", api.FleetRequest{Op: api.FleetState}).Fleet
		return len(f.Nodes) == 1 && len(f.Nodes[0].Windows) == 1
	})
}

// TestJoinEarly: a machine tells of itself until the servers take it: they may have no streams yet, or choose who has them.
func TestJoinEarly(t *testing.T) {
	b := newBox(t)
	nc, err := b.e.Connect()
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	told := make(chan struct{}, 1)
	_, err = nc.Subscribe("$KV.CCDIR_NODES.n1", func(*nats.Msg) {
		select {
		case told <- struct{}{}:
		default:
		}
	})
	claims, err2 := nc.Subscribe("claim.n1", func(m *nats.Msg) { _ = m.Respond([]byte(`{"fleet":{"id":"f"}}`)) })
	if err := errors.Join(err, err2, nc.Flush()); err != nil {
		t.Fatal(err)
	}
	join(t, b.member(engine.Member{Name: "n1", Runs: true}), "n1", nil, 1, newDaemon(true))
	select {
	case <-told:
	case <-time.After(time.Minute):
		t.Fatal("it tells nothing")
	}
	_ = claims.Unsubscribe()
	b.lead("one")
	me := b.member(engine.Member{Name: "me", Asks: true})
	until(t, "the machine", func() bool { return len(ask(t, me, "me", api.FleetRequest{Op: api.FleetState}).Fleet.Nodes) == 1 })
}

// TestCancel: a task that runs somewhere is ended there.
func TestCancel(t *testing.T) {
	b := newBox(t)
	b.lead("one")
	me := b.member(engine.Member{Name: "me", Asks: true})
	d := newDaemon(false)
	join(t, b.member(engine.Member{Name: "n1", Runs: true}), "n1", nil, 1, d)
	list := ask(t, me, "me", api.FleetRequest{Op: api.FleetAdd, Tasks: []api.NewTask{{Prompt: "a", Worktree: "."}, {Prompt: "b"}}}).Tasks
	until(t, "it to run", func() bool { return states(t, me)[api.TaskRunning] == 1 })
	if branch := d.tasks[0].Worktree; branch != "ccdir/t1-1" {
		t.Errorf("the branch is %q", branch)
	}
	ask(t, me, "me", api.FleetRequest{Op: api.FleetCancel, Ref: list[0].ID})
	until(t, "the next one to run", func() bool { return states(t, me)[api.TaskRunning] == 1 })
	if got, _ := d.Task(t.Context(), "t1"); got.State != api.TaskCancelled {
		t.Errorf("it is %s there", got.State)
	}
	d.endOf(t, "b")
	until(t, "that to end", func() bool { return states(t, me)[api.TaskDone] == 1 })
	_, err := fleet.Ask(t.Context(), me, "me", api.FleetRequest{Op: api.FleetCancel, Ref: list[1].ID})
	if api.CodeOf(err) != api.CodeConflict || !strings.Contains(err.Error(), "nothing to cancel (`ccdir task show --fleet t2`") {
		t.Errorf("cancelled after its end: %v", err)
	}
}

// TestServerEnds: what was acknowledged is there after the server's end.
func TestServerEnds(t *testing.T) {
	b := newBox(t)
	stop := b.lead("one")
	me := b.member(engine.Member{Name: "me", Asks: true})
	ask(t, me, "me", api.FleetRequest{Op: api.FleetAdd, Tasks: []api.NewTask{{Prompt: "a", Agent: "claude"}}})
	stop()
	b.e.Close()
	b.start()
	b.lead("one")
	me = b.member(engine.Member{Name: "me2", Asks: true})
	if got := states(t, me, "me2"); got[api.TaskQueued] != 1 {
		t.Errorf("%v", got)
	}
}

// log opens the log of a new server.
func openLog(t *testing.T, b *box) (jetstream.JetStream, *fleet.Log) {
	t.Helper()
	nc, err := b.e.Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	if err := fleet.Open(t.Context(), js, 1); err != nil {
		t.Fatal(err)
	}
	l, _, _, err := fleet.OpenLog(t.Context(), js)
	if err != nil {
		t.Fatal(err)
	}
	return js, l
}

func row(id, state string, size int) orchestrator.Row {
	return orchestrator.Row{ID: id, Record: fmt.Appendf(nil, `{"id":%q,"prompt":%q,"state":%q}`, id, fmt.Sprintf("%0*d", size, 0), state)}
}

// TestDeposed: a leader that another one has followed cannot commit.
func TestDeposed(t *testing.T) {
	b := newBox(t)
	js, old := openLog(t, b)
	if err := old.CommitTasks([]orchestrator.Row{row("t1", "queued", 1)}, []byte(`{"next":2}`), nil); err != nil {
		t.Fatal(err)
	}
	next, set, records, err := fleet.OpenLog(t.Context(), js)
	if err != nil || len(records) != 1 || set.Next != 2 {
		t.Fatal(err, records, set)
	}
	if err := next.CommitTasks([]orchestrator.Row{row("t1", "done", 1)}, nil, nil); err != nil {
		t.Fatal(err)
	}
	if err := old.CommitTasks([]orchestrator.Row{row("t1", "failed", 1)}, nil, nil); !errors.Is(err, fleet.ErrDeposed) {
		t.Fatalf("an old leader committed: %v", err)
	}
	// A queue on such a log tells who asks to ask again, as for a server that is away.
	q := orchestrator.NewQueue(orchestrator.Restore(orchestrator.DefaultTimes(), orchestrator.Settings{}, nil), orchestrator.Options{Store: old, Logger: slog.New(slog.DiscardHandler)})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); q.Run(ctx, nil) }()
	_, err = q.Command(ctx, orchestrator.Add{Tasks: []api.NewTask{{Prompt: "a", Agent: "claude", CWD: "/tmp"}}})
	if api.CodeOf(err) != api.CodeUnavailable {
		t.Errorf("it says %s: %v", api.CodeOf(err), err)
	}
	stop()
	<-ended
	select {
	case <-old.Deposed:
	default:
		t.Error("it does not know")
	}
	if _, _, records, err = fleet.OpenLog(t.Context(), js); err != nil || records[0].State != api.TaskDone {
		t.Errorf("%v %+v", err, records)
	}
}

// TestCompact: a log of many changes stays small, and loses nothing.
func TestCompact(t *testing.T) {
	b := newBox(t)
	js, l := openLog(t, b)
	const kept = 50
	for i := range 400 {
		rows := []orchestrator.Row{row(fmt.Sprintf("t%d", i%kept+1), "queued", 1000), row("big", "queued", 100_000)}
		if err := l.CommitTasks(rows, fmt.Appendf(nil, `{"next":%d}`, i+1), nil); err != nil {
			t.Fatal(err)
		}
	}
	s, err := js.Stream(t.Context(), "QUEUE")
	if err != nil {
		t.Fatal(err)
	}
	if info := s.CachedInfo().State; info.FirstSeq == 1 || info.Bytes > 20<<20 {
		t.Errorf("the log is as long as it was: %+v", info)
	}
	_, set, records, err := fleet.OpenLog(t.Context(), js)
	if err != nil || len(records) != kept+1 || set.Next != 400 {
		t.Errorf("%v: %d records, %+v", err, len(records), set)
	}
}

// TestDamaged: a commit that was changed or is missing is seen.
func TestDamaged(t *testing.T) {
	b := newBox(t)
	js, l := openLog(t, b)
	for i := range 3 {
		if err := l.CommitTasks([]orchestrator.Row{row(fmt.Sprintf("t%d", i), "queued", 1)}, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	m := nats.NewMsg("q.commit")
	m.Data, m.Header = []byte(`{"rows":[{"id":"t1"}]}`), nats.Header{"Ccdir-Sum": {"00"}}
	if _, err := js.PublishMsg(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := fleet.OpenLog(t.Context(), js); err == nil {
		t.Error("a commit with another checksum was read")
	}
	s, err := js.Stream(t.Context(), "QUEUE")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Purge(t.Context(), jetstream.WithPurgeSequence(3)); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := fleet.OpenLog(t.Context(), js); err == nil {
		t.Error("a log without its beginning was read")
	}
}

// TestRights: a machine's key reaches nothing of others.
func TestRights(t *testing.T) {
	b := newBox(t)
	b.lead("one")
	nc := b.member(engine.Member{Name: "n1", Runs: true})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	refused := make(chan string, 100)
	nc.SetErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { refused <- err.Error() })
	for _, subject := range []string{"claim.n2", "report.n2.t1.1", "$KV.CCDIR_NODES.n2", "$KV.CCDIR_LEADER.leader", "q.commit", "order.n1", "order.n2", "ask.n1", "ask.me",
		"$JS.API.STREAM.DELETE.QUEUE", "$JS.API.STREAM.INFO.KV_CCDIR_NODES", "$JS.API.STREAM.MSG.GET.QUEUE", "$JS.API.STREAM.PURGE.ORDERS", "$JS.API.CONSUMER.CREATE.ORDERS", "$JS.API.CONSUMER.DURABLE.CREATE.ORDERS.x",
		"$JS.API.CONSUMER.MSG.NEXT.ORDERS.orders-n2", "$JS.API.CONSUMER.DELETE.ORDERS.orders-n1", "$JS.API.CONSUMER.INFO.ORDERS.orders-n2", "$JS.ACK.ORDERS.orders-n2.1.1.1.1.0", "_INBOX_n2.x", "_INBOX_n2.look", "_INBOX_n1.look", "_INBOX.x", "$SYS.REQ.SERVER.PING"} {
		if err := nc.Publish(subject, []byte("{}")); err != nil {
			t.Fatal(err)
		}
		select {
		case <-refused:
		case <-ctx.Done():
			t.Fatalf("publishing on %s was not refused", subject)
		}
	}
	for _, subject := range []string{">", "order.>", "report.>", "claim.>", "q.commit", "_INBOX.>", "_INBOX_n2.>", "_INBOX_n2.look", "*.look", "_INBOX_me.>", "$KV.>", "$SYS.>", "$JS.EVENT.>"} {
		if _, err := nc.Subscribe(subject, func(*nats.Msg) {}); err != nil {
			t.Fatal(err)
		}
		select {
		case <-refused:
		case <-ctx.Done():
			t.Fatalf("reading %s was not refused", subject)
		}
	}
	if err := engine.Revoke(b.dir, "n1"); err != nil {
		t.Fatal(err)
	}
	until(t, "the revoked key to be disconnected", func() bool { return !nc.IsConnected() })
}
