package fleet_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"ccdir/api"
	"ccdir/client"
	"ccdir/fleet"
	"ccdir/fleet/engine"
)

var (
	drillTasks = flag.Int("drill-tasks", 60, "tasks of TestDrill")
	drillFor   = flag.Duration("drill-for", 8*time.Second, "how long TestDrill does harm")
)

// busy is a machine's daemon whose tasks take a moment, but for those that the test ends. It is killed and comes back:
// it keeps what it has saved, answers nothing meanwhile, and answers of before may be lost.
type busy struct {
	*daemon
	mu   sync.Mutex
	dead bool
	stop context.CancelFunc // of who watches
}

const heldPrompt = "held"

// gone is the error while it is dead; nil while it lives.
func (b *busy) gone() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.dead {
		return api.Errorf(api.CodeUnavailable, "the daemon was killed")
	}
	return nil
}

// set kills it, or has it back.
func (b *busy) set(dead bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.dead = dead; dead && b.stop != nil {
		b.stop()
	}
}

func (b *busy) AddTasks(ctx context.Context, list []api.NewTask) ([]api.Task, error) {
	if err := b.gone(); err != nil && rand.IntN(2) == 0 {
		return nil, err
	}
	added, err := b.daemon.AddTasks(ctx, list)
	if err == nil && !strings.HasPrefix(list[0].Prompt, heldPrompt) {
		time.AfterFunc(time.Duration(rand.IntN(400))*time.Millisecond, func() { _, _ = b.end(added[0].ID, api.TaskDone) })
	}
	return added, errors.Join(err, b.gone()) // it was saved, and nobody hears of it
}

func (b *busy) Tasks(ctx context.Context) ([]api.Task, error) {
	if err := b.gone(); err != nil {
		return nil, err
	}
	return b.daemon.Tasks(ctx)
}

func (b *busy) Task(ctx context.Context, ref string) (api.Task, error) {
	if err := b.gone(); err != nil {
		return api.Task{}, err
	}
	return b.daemon.Task(ctx, ref)
}

func (b *busy) StartTask(ctx context.Context, ref string) (api.Task, error) { return b.Task(ctx, ref) }

func (b *busy) Queue(context.Context) (api.Queue, error) { return api.Queue{}, b.gone() }

func (b *busy) Watch(ctx context.Context, w client.Watcher) error {
	if err := b.gone(); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	b.mu.Lock()
	b.stop = stop
	b.mu.Unlock()
	return b.daemon.Watch(ctx, w)
}

// machine is one of the drill: its daemon lives, what joins the fleet for it comes and goes.
type machine struct {
	name string
	nc   *nats.Conn
	d    *busy
	stop func()
}

func (m *machine) join(t *testing.T) { m.stop = join(t, m.nc, m.name, nil, 4, m.d) }

// drill has what TestDrill does harm to, and how often it has.
type drill struct {
	t                                       *testing.T
	servers                                 []*server
	machines                                []*machine
	me                                      *nats.Conn
	killed, frozen, ended, cut, daemons     int
	leaders, released, again, late, refused int
}

// TestDrill: three servers are killed and frozen one after the other, joins end, daemons are killed, connections are cut,
// and the leader and machines are away beyond their leases. Each task is done once, no attempt is started twice, the
// end of an attempt that was given anew counts nothing, and what was acknowledged is kept.
func TestDrill(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	dice := rand.New(rand.NewPCG(seed, 1))
	d := &drill{t: t, servers: newServers(t, 3)}
	d.me = connect(t, d.servers, engine.Member{Name: "me", Asks: true})
	for i := range 4 {
		m := &machine{name: fmt.Sprintf("n%d", i), d: &busy{daemon: newDaemon(false)}}
		m.nc = connect(t, d.servers, engine.Member{Name: m.name, Runs: true})
		m.join(t)
		d.machines = append(d.machines, m)
	}
	var added sync.WaitGroup
	added.Go(func() {
		for n := range *drillTasks {
			addOnce(t, d.me, fmt.Sprintf("p%d", n))
			time.Sleep(rand.N(2 * *drillFor / time.Duration(*drillTasks))) // over the whole time of the harm
		}
	})
	const kinds = 5
	for step, end := 0, time.Now().Add(*drillFor); step < kinds || time.Now().Before(end); step++ {
		time.Sleep(time.Duration(dice.IntN(800)) * time.Millisecond) // the moment of the harm is the point
		kind := dice.IntN(kinds)
		if step < kinds { // each at least once
			kind = step
		}
		d.harm(kind, dice)
	}
	d.freezeLeader()
	d.lateEnds(2, *drillFor >= time.Minute)
	added.Wait()
	all := *drillTasks + d.late
	until(t, "all tasks to end", func() bool { return states(t, d.me)[api.TaskDone] == all })
	began := d.count()
	t.Logf("%d tasks, %d attempts began; servers: %d killed, %d frozen, %d of them as leader beyond the lease; %d joins ended, %d daemons killed, %d connections cut; %d attempts given anew by a person, %d beyond a machine's lease; %d late ends refused",
		all, began, d.killed, d.frozen+d.leaders, d.leaders, d.ended, d.daemons, d.cut, d.released, d.again, d.refused)
	if d.refused < d.late || d.refused == 0 {
		t.Errorf("of %d late ends %d were refused", d.late, d.refused)
	}
}

func (d *drill) harm(kind int, dice *rand.Rand) {
	s, m := d.servers[dice.IntN(len(d.servers))], d.machines[dice.IntN(len(d.machines))]
	switch kind {
	case 0:
		d.killed++
		s.kill()
		s.start()
		time.Sleep(time.Duration(dice.IntN(2000)) * time.Millisecond)
	case 1:
		d.frozen++
		s.signal(syscall.SIGSTOP)
		time.Sleep(time.Duration(dice.IntN(int(min(*drillFor/4, 20*time.Second))))) // of the long drill: beyond the leader's lease
		s.signal(syscall.SIGCONT)
	case 2:
		d.ended++
		m.stop()
		m.join(d.t)
	case 3:
		d.cut++
		_ = m.nc.ForceReconnect()
	case 4:
		d.daemons++
		m.d.set(true)
		time.Sleep(time.Duration(dice.IntN(1000)) * time.Millisecond)
		m.d.set(false)
	}
}

// freezeLeader stops the server that leads until another one does.
func (d *drill) freezeLeader() {
	leader := func() string { return ask(d.t, d.me, "me", api.FleetRequest{Op: api.FleetState}).Fleet.Leader }
	name := leader()
	for _, s := range d.servers {
		if s.o.Name != name {
			continue
		}
		s.signal(syscall.SIGSTOP)
		until(d.t, "another leader", func() bool { return leader() != name })
		s.signal(syscall.SIGCONT)
		d.leaders++
	}
}

// lateEnds lets tasks end on a machine whose join is away, after they were given anew: by a person, or with lease when the
// machine is away for too long.
func (d *drill) lateEnds(count int, lease bool) {
	d.t.Helper()
	list := ask(d.t, d.me, "me", api.FleetRequest{Op: api.FleetAdd, Tasks: d.held("by a person", count, nil)}).Tasks
	if lease {
		list = append(list, ask(d.t, d.me, "me", api.FleetRequest{Op: api.FleetAdd,
			Tasks: d.held("by the lease", count, &api.Placement{OnNodeLoss: api.NodeLossAgain})}).Tasks...)
	}
	task := func(id string) api.Task {
		return ask(d.t, d.me, "me", api.FleetRequest{Op: api.FleetTask, Ref: id}).Tasks[0]
	}
	first := map[string]int{} // attempts that run
	away := map[string]*machine{}
	for _, added := range list {
		var t api.Task
		until(d.t, added.Prompt+" to run", func() bool { t = task(added.ID); return t.State == api.TaskRunning })
		first[t.ID] = t.Attempt
		away[t.Place] = d.machines[t.Place[1]-'0']
	}
	for _, m := range away {
		m.stop()
	}
	for _, t := range list {
		if t.Fleet == nil {
			ask(d.t, d.me, "me", api.FleetRequest{Op: api.FleetRelease, Ref: t.ID})
			d.released++
			continue
		}
		for task(t.ID).Attempt == first[t.ID] {
			time.Sleep(time.Second) // awayAfter and orchestrator.AgainAfter have to pass; the test's own bound ends it
		}
		d.again++
	}
	for _, m := range d.machines {
		for _, t := range list {
			if m.began(t.Prompt) {
				m.d.endOf(d.t, t.Prompt)
			}
		}
	}
	d.late = len(list)
	for _, m := range away {
		m.join(d.t)
	}
	for _, t := range list { // the attempts that count
		until(d.t, t.Prompt+" to end", func() bool {
			for _, m := range d.machines {
				if m.began(t.Prompt) {
					m.d.endOf(d.t, t.Prompt)
				}
			}
			got := task(t.ID)
			return got.State == api.TaskDone && got.Attempt > first[t.ID]
		})
	}
}

func (d *drill) held(name string, count int, where *api.Placement) (list []api.NewTask) {
	for n := range count {
		list = append(list, api.NewTask{Prompt: fmt.Sprintf("%s %d %s", heldPrompt, n, name), Agent: "claude", CWD: "/tmp", Request: name, Fleet: where, Idempotent: where != nil})
	}
	return list
}

// began reports whether its daemon has had a task of a prompt.
func (m *machine) began(prompt string) bool {
	m.d.daemon.mu.Lock()
	defer m.d.daemon.mu.Unlock()
	return slices.ContainsFunc(m.d.tasks, func(t api.Task) bool { return t.Prompt == prompt })
}

// count holds what the daemons had against what the fleet says, and counts the ends that it refused.
func (d *drill) count() (began int) {
	counted := map[string]int{} // attempt by prompt
	for from, more := 0, true; more; {
		r := ask(d.t, d.me, "me", api.FleetRequest{Op: api.FleetTasks, From: from})
		for _, t := range r.Tasks {
			counted[t.Prompt] = t.Attempt
		}
		from, more = from+len(r.Tasks), r.More
	}
	prompts := map[string]int{}
	for _, m := range d.machines {
		m.d.daemon.mu.Lock()
		for request, n := range m.d.daemon.began {
			if began++; n != 1 {
				d.t.Errorf("%s: %s began %d times", m.name, request, n)
			}
		}
		for _, task := range m.d.tasks {
			if !strings.HasSuffix(task.Request, fmt.Sprintf("-%d", counted[task.Prompt])) && task.State == api.TaskDone {
				d.refused++
			} else {
				prompts[task.Prompt]++
			}
		}
		m.d.daemon.mu.Unlock()
	}
	for prompt, attempt := range counted {
		if prompts[prompt] != 1 {
			d.t.Errorf("%s: attempt %d, which counts, was done %d times", prompt, attempt, prompts[prompt])
		}
	}
	return began
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

// TestFrozenServer: who is connected to a server that answers nothing goes to another one within the time in which it counts as away.
func TestFrozenServer(t *testing.T) {
	t.Parallel()
	servers := newServers(t, 3)
	nc := connect(t, servers, engine.Member{Name: "me", Asks: true})
	was := nc.ConnectedAddr()
	for _, s := range servers {
		if s.o.Listen == was {
			s.signal(syscall.SIGSTOP)
		}
	}
	until(t, "a connection to another server", func() bool { return nc.IsConnected() && nc.ConnectedAddr() != was })
}
