package fleet

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"ccdir/api"
	"ccdir/orchestrator"
)

// callsAtOnce bounds the claims and requests that are answered at the same time; others wait in NATS.
const callsAtOnce = 256

// serve answers the messages of a subject until ctx ends.
func (l *leader) serve(ctx context.Context, subject string, answer func(ctx context.Context, from string, data []byte) api.FleetReply) error {
	sub, err := l.o.Conn.SubscribeSync(subject + "*")
	if err != nil {
		return err
	}
	defer func() { _ = sub.Unsubscribe() }()
	places := make(chan struct{}, callsAtOnce)
	for {
		m, err := sub.NextMsgWithContext(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, nats.ErrSlowConsumer):
			l.o.Log.Warn("more calls than can be answered: some come again", "subject", subject)
			continue
		case err != nil:
			return err
		}
		select {
		case places <- struct{}{}:
		case <-ctx.Done():
			return nil
		}
		l.wg.Go(func() {
			defer func() { <-places }()
			_ = m.Respond(encode(answer(ctx, strings.TrimPrefix(m.Subject, subject), m.Data))) // else it asks again
		})
	}
}

func refused(err error) api.FleetReply {
	var known *api.Error
	if !errors.As(err, &known) {
		known = &api.Error{Code: api.CodeUnavailable, Message: err.Error()}
	}
	return api.FleetReply{Error: known}
}

// aboutTask are the verbs that an error of a queue names.
var aboutTask = regexp.MustCompile("`ccdir task (add|cancel|ls|show|start)( --all)?")

// ofFleet is an error of the queue with the verbs that reach the fleet's.
func ofFleet(err error) error {
	var known *api.Error
	if !errors.As(err, &known) {
		return err
	}
	told := *known
	told.Message = aboutTask.ReplaceAllString(known.Message, "`ccdir task $1 --fleet")
	return &told
}

// takeClaims answers the claims of machines. The subject says who claims, by the rights of its key.
func (l *leader) takeClaims(ctx context.Context) error {
	return l.serve(ctx, subjectClaim, func(ctx context.Context, node string, data []byte) api.FleetReply {
		c, err := decode[claim](data)
		if err != nil {
			return refused(api.Errorf(api.CodeInvalid, "%s", err))
		}
		if c.Task == "" { // it asks for the fleet's id
			return api.FleetReply{Fleet: &api.Fleet{ID: l.id, Leader: l.o.Name}}
		}
		_, err = l.queue.Command(ctx, orchestrator.Claim{Of: orchestrator.Ref{Task: c.Task, Attempt: c.Attempt}, Place: node})
		if err != nil {
			return refused(err)
		}
		return api.FleetReply{}
	})
}

// takeRequests answers people's requests.
func (l *leader) takeRequests(ctx context.Context) error {
	return l.serve(ctx, subjectRequest, func(ctx context.Context, _ string, data []byte) api.FleetReply {
		r, err := decode[api.FleetRequest](data)
		if err != nil {
			return refused(api.Errorf(api.CodeInvalid, "%s", err))
		}
		reply, err := l.request(ctx, r)
		if err != nil {
			return refused(err)
		}
		return reply
	})
}

func (l *leader) request(ctx context.Context, r api.FleetRequest) (api.FleetReply, error) {
	switch r.Op {
	case api.FleetAdd:
		if len(r.Tasks) > addTasks {
			return api.FleetReply{}, api.Errorf(api.CodeInvalid, "%d tasks are too many for one call: at most %d", len(r.Tasks), addTasks)
		}
		for i := range r.Tasks {
			r.Tasks[i].Env, r.Tasks[i].ExtraEnv = nil, nil // each machine has its own environment
		}
		ids, err := l.queue.Command(ctx, orchestrator.Add{Tasks: r.Tasks})
		if err != nil {
			return api.FleetReply{}, err
		}
		list, err := l.queue.Several(ctx, ids)
		return api.FleetReply{Tasks: list}, err
	case api.FleetTasks:
		all, err := l.queue.Tasks(ctx)
		if err != nil {
			return api.FleetReply{}, err
		}
		from := min(max(r.From, 0), len(all))
		to := from
		for size := 0; to < min(from+pageTasks, len(all)); to++ {
			if size += len(encode(all[to])); size > pageBytes && to > from {
				break
			}
		}
		return api.FleetReply{Tasks: all[from:to], More: to < len(all)}, l.explain(ctx, all[from:to])
	case api.FleetState:
		f, err := l.fleet(ctx)
		return api.FleetReply{Fleet: &f}, err
	case api.FleetLogs, api.FleetErrors, api.FleetPatch:
		return l.look(ctx, r)
	case api.FleetTask, api.FleetStart, api.FleetCancel, api.FleetRelease:
		t, err := l.queue.Task(ctx, r.Ref)
		if err != nil {
			return api.FleetReply{}, ofFleet(err)
		}
		events := map[string]orchestrator.Event{api.FleetStart: orchestrator.StartNow{Task: t.ID}, api.FleetCancel: orchestrator.Cancel{Task: t.ID}, api.FleetRelease: orchestrator.Release{Task: t.ID}}
		if e := events[r.Op]; e != nil {
			_, err := l.queue.Command(ctx, e)
			if api.CodeOf(err) == api.CodeConflict && r.Op == api.FleetStart && t.State == api.TaskWaiting && t.Place != "" {
				return l.look(ctx, r) // it waits for a person there: for a review, or before its next step
			}
			if err != nil {
				return api.FleetReply{}, ofFleet(err)
			}
		}
		if t, err = l.queue.Task(ctx, t.ID); err != nil {
			return api.FleetReply{}, err
		}
		list := []api.Task{t}
		return api.FleetReply{Tasks: list}, l.explain(ctx, list)
	}
	return api.FleetReply{}, api.Errorf(api.CodeInvalid, "%.40q is no request: this server is older than what asks it", r.Op)
}

// reportsConsumer is the leaders' place in the reports.
const reportsConsumer = "leaders"

// takeReports takes what machines report. A report is acknowledged when it is saved.
func (l *leader) takeReports(ctx context.Context) error {
	c, err := l.js.Consumer(ctx, streamReports, reportsConsumer)
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		c, err = l.js.CreateConsumer(ctx, streamReports, jetstream.ConsumerConfig{Durable: reportsConsumer,
			AckPolicy: jetstream.AckExplicitPolicy, AckWait: orderWait, MaxDeliver: -1, MaxAckPending: reportsAtOnce})
	}
	if err != nil {
		return err
	}
	for ctx.Err() == nil {
		list, err := pull(ctx, c, reportsAtOnce)
		if err != nil {
			l.o.Log.Warn("reports cannot be read, will try again", "error", err)
			pause(ctx, orderAgain)
		}
		if err := l.saveReports(ctx, list); err != nil {
			return err
		}
	}
	return nil
}

// reportsAtOnce bounds the reports that are read and not saved.
const reportsAtOnce = 512

// saveReports saves a batch of reports and acknowledges them.
func (l *leader) saveReports(ctx context.Context, batch []jetstream.Msg) error {
	var events []orchestrator.Event
	var taken []jetstream.Msg
	for _, m := range batch {
		e, err := eventOf(m.Subject(), m.Data())
		if err != nil {
			l.o.Log.Warn("a report that is none", "subject", m.Subject(), "error", err)
			_ = m.Term() // else it comes again, and is none again
			continue
		}
		events, taken = append(events, e), append(taken, m)
	}
	if err := l.queue.Save(ctx, events...); err != nil {
		return fmt.Errorf("reports could not be saved: %w", err)
	}
	for _, m := range taken {
		_ = m.Ack() // else it comes again, and changes nothing
	}
	return nil
}

// eventOf reads a report. The subject, which a machine's key has the right to, says whose it is.
func eventOf(subject string, data []byte) (orchestrator.Event, error) {
	parts := strings.Split(strings.TrimPrefix(subject, subjectReport), ".")
	r, err := decode[report](data)
	if err != nil {
		return nil, err
	}
	var ref orchestrator.Ref
	if len(parts) != 3 {
		return nil, errors.New("its subject has no attempt")
	}
	if _, err := fmt.Sscanf(parts[2], "%d", &ref.Attempt); err != nil {
		return nil, errors.New("its subject has no attempt")
	}
	ref.Task = parts[1]
	if r.State.Ended() {
		return orchestrator.Ended{Ref: ref, Place: parts[0], State: r.State, Reason: r.Reason, Result: r.Result}, nil
	}
	return orchestrator.Moved{Ref: ref, Place: parts[0], Session: r.Session, State: r.State, Reason: r.Reason}, nil
}
