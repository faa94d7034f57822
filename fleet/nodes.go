package fleet

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"ccdir/api"
	"ccdir/orchestrator"
)

// seen knows when each machine last told of itself. Its methods are safe for concurrent use.
type seen struct {
	mu    sync.Mutex
	nodes map[string]api.FleetNode // Used and Away are the queue's
	away  map[string]bool          // told to the queue
}

// newSeen begins with the machines that have tasks: what is not heard of them is away after a while.
func newSeen(records []orchestrator.Record, now time.Time) *seen {
	s := &seen{nodes: map[string]api.FleetNode{}, away: map[string]bool{}}
	for _, r := range records {
		if r.HasSlot && r.Place != "" {
			s.nodes[r.Place] = api.FleetNode{Name: r.Place, At: now}
		}
	}
	return s
}

func (s *seen) note(n api.FleetNode) (first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, known := s.nodes[n.Name]
	s.nodes[n.Name] = n
	delete(s.away, n.Name)
	return !known || old.Slots == 0
}

// silent are the machines of which nothing was heard for awayAfter, each once.
func (s *seen) silent(now time.Time) (list []api.FleetNode) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, n := range s.nodes {
		if !s.away[name] && now.Sub(n.At) > awayAfter {
			s.away[name] = true
			list = append(list, n)
		}
	}
	return list
}

func (s *seen) all() map[string]api.FleetNode {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.nodes)
}

// watchNodes tells the queue of machines that come, go and change.
func (l *leader) watchNodes(ctx context.Context) error {
	kv, err := l.js.KeyValue(ctx, bucketNodes)
	if err != nil {
		return err
	}
	w, err := kv.WatchAll(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = w.Stop() }()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case e, ok := <-w.Updates():
			if !ok {
				return errors.New("the watch of the machines has ended")
			}
			if e != nil && e.Operation() == jetstream.KeyValuePut {
				if err := l.heard(ctx, e.Key(), e.Value()); err != nil {
					return err
				}
			}
		case now := <-tick.C:
			for _, n := range l.seen.silent(now) {
				l.o.Log.Warn("nothing is heard of a machine", "node", n.Name, "since", n.At)
				l.queue.Report(ctx, orchestrator.PlaceAway{Name: n.Name, Since: n.At})
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// heard takes what a machine tells of itself.
func (l *leader) heard(ctx context.Context, name string, data []byte) error {
	p, err := decode[presence](data)
	if err != nil || !ValidName(name) || p.Slots < 0 || p.Slots > orchestrator.MaxLimit || len(p.Labels) > maxLabels {
		l.o.Log.Warn("a machine tells nonsense of itself", "node", name, "error", err)
		return nil
	}
	if l.seen.note(api.FleetNode{Name: name, Labels: p.Labels, Slots: p.Slots, Limited: p.Limited, Version: p.Version, Windows: p.Windows[:min(len(p.Windows), maxWindows)], At: time.Now()}) {
		if err := l.giveConsumer(ctx, name); err != nil {
			return err
		}
	}
	l.queue.Report(ctx, orchestrator.PlaceSeen{Place: orchestrator.Place{Name: name, Labels: p.Labels, Slots: p.Slots, Limited: p.Limited}})
	return nil
}

// maxLabels bounds what a machine offers.
const maxLabels = 200

// consumerOf is the consumer of a machine's orders.
func consumerOf(node string) string { return "orders-" + node }

// giveConsumer makes the consumer of a machine's orders, once: a changed one could lose its place.
func (l *leader) giveConsumer(ctx context.Context, node string) error {
	_, err := l.js.Consumer(ctx, streamOrders, consumerOf(node))
	if !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return err
	}
	_, err = l.js.CreateConsumer(ctx, streamOrders, jetstream.ConsumerConfig{
		Durable: consumerOf(node), FilterSubject: subjectOrder + node, AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: orderWait, MaxDeliver: -1, MaxAckPending: 1})
	if err != nil {
		return fmt.Errorf("the orders of %s: %w", node, err)
	}
	return nil
}

// fleet is the state for people.
func (l *leader) fleet(ctx context.Context) (api.Fleet, error) {
	queue, err := l.queue.Queue(ctx)
	if err != nil {
		return api.Fleet{}, err
	}
	nodes, err := l.queue.Places(ctx)
	if err != nil {
		return api.Fleet{}, err
	}
	known := l.seen.all()
	for i := range nodes {
		n := known[nodes[i].Name]
		nodes[i].Version, nodes[i].Windows, nodes[i].At = n.Version, n.Windows, n.At
	}
	return api.Fleet{ID: l.id, Leader: l.o.Name, Nodes: nodes, Queue: queue}, nil
}

// explain has the queued ones of tasks say why they wait. It changes the list.
func (l *leader) explain(ctx context.Context, list []api.Task) error {
	f, err := l.fleet(ctx)
	if err != nil {
		return err
	}
	var before []string
	for _, t := range list {
		if t.State == api.TaskQueued {
			for _, a := range t.After {
				before = append(before, a.Task)
			}
		}
	}
	known, err := l.queue.Several(ctx, before)
	if err != nil {
		return err
	}
	open, now := api.OpenTasks(known), time.Now()
	for i, t := range list {
		if hold := f.Hold(t, open, now); hold != "" {
			list[i].Reason = t.Headline(hold)
		}
	}
	return nil
}
