package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"ccdir/api"
	"ccdir/client"
	"ccdir/internal/contain"
	"ccdir/orchestrator"
)

// Daemon is the machine's own daemon: *client.Client.
type Daemon interface {
	AddTasks(ctx context.Context, list []api.NewTask) ([]api.Task, error)
	Tasks(ctx context.Context) ([]api.Task, error)
	Task(ctx context.Context, ref string) (api.Task, error)
	CancelTask(ctx context.Context, ref string) (api.Task, error)
	StartTask(ctx context.Context, ref string) (api.Task, error)
	TaskLogs(ctx context.Context, ref string) (api.TaskLogs, error)
	Diff(ctx context.Context, session string, q api.DiffQuestion) (api.ReviewDiff, error)
	Agents(ctx context.Context) ([]api.AgentInfo, error)
	Queue(ctx context.Context) (api.Queue, error)
	Watch(ctx context.Context, w client.Watcher) error
}

// MemberOptions are what a machine of a fleet needs.
type MemberOptions struct {
	Conn *nats.Conn
	// Name is the machine's; its key has the rights of that name alone.
	Name string
	// Labels are what it offers besides its agents.
	Labels []string
	// Slots is how many of the fleet's tasks it runs at once.
	Slots  int
	Daemon Daemon
	Log    *slog.Logger
}

// Join takes part in a fleet until ctx ends. Tasks that it has go on without it.
func Join(ctx context.Context, o MemberOptions) error {
	if !ValidName(o.Name) {
		return fmt.Errorf("%q cannot be the name of a machine: letters, digits, '-' and '_'", o.Name)
	}
	js, err := jetstream.New(o.Conn)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	m := &member{o: o, js: js, told: map[string]string{}, changed: map[string]bool{}, wake: make(chan struct{}, 1), wg: contain.Group{Log: o.Log}}
	m.contact.Store(now())
	if m.id, err = m.waitFleet(ctx); err != nil {
		return err
	}
	if err := m.checkRights(ctx); err != nil {
		return err
	}
	defer m.wg.Wait()
	defer stop(nil)
	for what, fn := range map[string]func(context.Context) error{
		"presence": m.tell, "orders": m.takeOrders, "daemon": m.follow, "reports": m.report, "alone": m.guard, "questions": m.answer,
	} {
		m.wg.Go(func() {
			if err := fn(ctx); err != nil && ctx.Err() == nil {
				stop(fmt.Errorf("%s: %w", what, err))
			}
		})
	}
	<-ctx.Done()
	return context.Cause(ctx)
}

// waitFleet waits for a leader, and returns the fleet's id.
func (m *member) waitFleet(ctx context.Context) (string, error) {
	for told := false; ; told = true {
		try, cancel := context.WithTimeout(ctx, commitTry)
		reply, err := ask(try, m.o.Conn, subjectClaim+m.o.Name, claim{})
		cancel()
		if err == nil && reply.Fleet != nil && ValidName(reply.Fleet.ID) {
			return reply.Fleet.ID, nil
		}
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if !told {
			m.o.Log.Info("nobody leads the fleet yet: waiting", "error", err)
		}
		pause(ctx, orderAgain)
	}
}

// member is a machine of a fleet.
type member struct {
	o       MemberOptions
	js      jetstream.JetStream
	id      string // the fleet's
	wg      contain.Group
	contact atomic.Int64  // when the fleet last answered, as now has it
	wake    chan struct{} // changed is not empty

	mu      sync.Mutex
	told    map[string]string // what was last reported of each task of the daemon
	changed map[string]bool   // tasks of the daemon to report; allTasks: every one
	windows []api.UsageWindow // what the daemon last told of limits; not changed
}

// tell puts the machine's presence, and notes that the fleet has answered. Servers that do not are told later.
func (m *member) tell(ctx context.Context) error {
	var agents []api.AgentInfo
	var asked time.Time
	for ctx.Err() == nil {
		try, cancel := context.WithTimeout(ctx, presenceEvery)
		if time.Since(asked) > time.Minute {
			if list, err := m.o.Daemon.Agents(try); err == nil {
				agents, asked = list, time.Now()
			}
		}
		p := presence{Labels: labelsOf(m.o.Labels, agents), Slots: m.o.Slots, Version: api.Version}
		m.mu.Lock()
		p.Windows = m.windows
		m.mu.Unlock()
		if q, err := m.o.Daemon.Queue(try); err != nil {
			p.Slots = 0 // its daemon takes nothing now
		} else {
			p.Limited = limitedOf(agents, q)
		}
		if _, err := m.js.Publish(try, subjectNode+m.o.Name, encode(p), jetstream.WithExpectStream("KV_"+bucketNodes)); err == nil {
			m.contact.Store(now())
		} else if ctx.Err() == nil {
			m.o.Log.Warn("the fleet does not answer", "error", err)
		}
		cancel()
		pause(ctx, presenceEvery)
	}
	return nil
}

// labelsOf are a machine's labels with the agents that are installed, sorted, each once.
func labelsOf(own []string, agents []api.AgentInfo) []string {
	list := slices.Clone(own)
	for _, a := range agents {
		if a.Path != "" {
			list = append(list, a.Name)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// limitedOf are the agents whose own account has met its usage limit.
func limitedOf(agents []api.AgentInfo, q api.Queue) (list []string) {
	for _, a := range agents {
		if until, ok := q.Parked[api.LimitClass(a.Name, "")]; ok && until.After(time.Now()) {
			list = append(list, a.Name)
		}
	}
	return list
}

// takeOrders carries out the machine's orders, one after the other.
func (m *member) takeOrders(ctx context.Context) error {
	for ctx.Err() == nil {
		c, err := m.js.Consumer(ctx, streamOrders, consumerOf(m.o.Name))
		if errors.Is(err, jetstream.ErrConsumerNotFound) {
			pause(ctx, time.Second) // the leader makes it when it has heard of us
			continue
		}
		if err != nil {
			m.o.Log.Warn("orders cannot be read, will try again", "error", err)
			pause(ctx, orderAgain)
			continue
		}
		list, err := pull(ctx, c, 1)
		if err != nil {
			m.o.Log.Warn("orders cannot be read, will try again", "error", err)
			pause(ctx, orderAgain)
		}
		for _, msg := range list {
			m.takeOrder(ctx, msg)
		}
	}
	return nil
}

func (m *member) takeOrder(ctx context.Context, msg jetstream.Msg) {
	o, err := decode[order](msg.Data())
	if err != nil {
		m.o.Log.Warn("an order that is none", "error", err)
		_ = msg.Term()
		return
	}
	done := true
	switch orchestrator.EffectKind(o.Kind) {
	case orchestrator.DoStart:
		done = m.start(ctx, o)
	case orchestrator.DoEnd:
		done = m.end(ctx, o)
	default:
		m.o.Log.Warn("an order of a later version", "kind", o.Kind)
	}
	if !done {
		_ = msg.NakWithDelay(orderAgain)
		return
	}
	try, cancel := context.WithTimeout(ctx, commitTry)
	defer cancel()
	_ = msg.DoubleAck(try) // else it comes again, and is carried out already
}

// start claims an attempt and gives it to the daemon. It returns false if it is to be tried again.
func (m *member) start(ctx context.Context, o order) bool {
	try, cancel := context.WithTimeout(ctx, orderWait/2)
	defer cancel()
	_, err := ask(try, m.o.Conn, subjectClaim+m.o.Name, claim{Task: o.Task, Attempt: o.Attempt})
	switch code := api.CodeOf(err); {
	case err == nil:
	case code == api.CodeConflict || code == api.CodeNotFound || code == api.CodeInvalid:
		m.o.Log.Info("an attempt that is not ours any more", "task", o.Task, "attempt", o.Attempt)
		return true
	default:
		m.o.Log.Warn("an attempt could not be claimed, will try again", "task", o.Task, "error", err)
		return false
	}
	list, err := m.o.Daemon.AddTasks(try, []api.NewTask{m.local(o)})
	switch code := api.CodeOf(err); {
	case err == nil && len(list) > 0:
		// A machine whose queue is manual takes the fleet's tasks nevertheless: whoever joined said so.
		if _, err := m.o.Daemon.StartTask(try, list[0].ID); err != nil && api.CodeOf(err) != api.CodeConflict {
			return false
		}
		m.forget(list[0].ID)
		return m.reportTask(ctx, list[0])
	case code == api.CodeInvalid || code == api.CodeForbidden || code == api.CodeNoAgent:
		return m.publish(ctx, o.ref(), report{State: api.TaskFailed, Reason: m.o.Name + ": " + err.Error()})
	}
	m.o.Log.Warn("the daemon does not take a task, will try again", "task", o.Task, "error", err)
	return false
}

// labelAgain marks tasks of the daemon that another machine gets when this one is away for long.
const labelAgain = "fleet-again"

// local is an order's task as the daemon gets it: it tries once, and the fleet does again.
func (m *member) local(o order) api.NewTask {
	n := o.What
	n.Request, n.Retries, n.After, n.Continue = requestOf(m.id, o.ref()), 0, nil, ""
	n.Name = ""
	if n.Worktree == "." {
		n.Worktree = fmt.Sprintf("ccdir/%s-%d", cmp.Or(o.What.Name, o.Task), o.Attempt)
	}
	n.Labels = append(slices.Clone(n.Labels), "fleet:"+o.Task)
	if n.Fleet != nil && n.Fleet.OnNodeLoss == api.NodeLossAgain {
		n.Labels = append(n.Labels, labelAgain)
	}
	n.Fleet = nil
	return n
}

// end ends an attempt, if the daemon has it.
func (m *member) end(ctx context.Context, o order) bool {
	try, cancel := context.WithTimeout(ctx, orderWait/2)
	defer cancel()
	list, err := m.o.Daemon.Tasks(try)
	if err != nil {
		return false
	}
	i := slices.IndexFunc(list, func(t api.Task) bool { return t.Request == requestOf(m.id, o.ref()) })
	if i < 0 {
		return m.publish(ctx, o.ref(), report{State: api.TaskCancelled, Reason: "it had not started"})
	}
	t := list[i]
	if !t.State.Ended() {
		if t, err = m.o.Daemon.CancelTask(try, t.ID); err != nil {
			return false
		}
	}
	m.forget(t.ID)
	return m.reportTask(ctx, t)
}
