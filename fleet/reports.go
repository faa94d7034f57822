package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"ccdir/api"
	"ccdir/client"
	"ccdir/orchestrator"
)

// allTasks stands in member.changed for every task of the daemon.
const allTasks = ""

// note has a task reported soon, or all.
func (m *member) note(task string) {
	m.mu.Lock()
	m.changed[task] = true
	m.mu.Unlock()
	select {
	case m.wake <- struct{}{}:
	default: // it is awake
	}
}

// follow notes what changes in the daemon's queue, until ctx ends.
func (m *member) follow(ctx context.Context) error {
	for ctx.Err() == nil {
		err := m.o.Daemon.Watch(ctx, client.Watcher{Message: func(w api.WatchMessage) {
			limits := w.Limits
			if w.Snapshot != nil {
				limits = w.Snapshot.Limits
			}
			if limits != nil {
				m.mu.Lock()
				m.windows = limits.Windows[:min(len(limits.Windows), maxWindows)]
				m.mu.Unlock()
			}
			switch {
			case w.Snapshot != nil:
				m.note(allTasks)
			case w.Task != nil:
				if _, ours := attemptOf(m.id, w.Task.Request); ours {
					m.note(w.Task.ID)
				}
			}
		}})
		if ctx.Err() == nil {
			m.o.Log.Warn("the daemon cannot be watched, will try again", "error", err)
			pause(ctx, orderAgain)
		}
	}
	return nil
}

// report tells the fleet what becomes of its tasks here, until ctx ends. What was not taken is told again.
func (m *member) report(ctx context.Context) error {
	for {
		select {
		case <-m.wake:
		case <-ctx.Done():
			return nil
		}
		m.mu.Lock()
		due := m.changed
		m.changed = map[string]bool{}
		m.mu.Unlock()
		for _, t := range m.read(ctx, due) {
			if !m.reportTask(ctx, t) {
				m.note(t.ID)
			}
		}
		m.mu.Lock()
		left := len(m.changed) > 0
		m.mu.Unlock()
		if left {
			pause(ctx, time.Second) // whoever is away needs a moment
		}
	}
}

// read asks the daemon for tasks. Those that it does not give now are noted again.
func (m *member) read(ctx context.Context, due map[string]bool) (list []api.Task) {
	try, cancel := context.WithTimeout(ctx, orderWait)
	defer cancel()
	if due[allTasks] {
		list, err := m.o.Daemon.Tasks(try)
		if err != nil {
			m.note(allTasks)
		}
		return list
	}
	for id := range due {
		t, err := m.o.Daemon.Task(try, id)
		switch {
		case err == nil:
			list = append(list, t)
		case api.CodeOf(err) != api.CodeNotFound:
			m.note(id)
		}
	}
	return list
}

// reportTask reports a task of the daemon, if it is one of the fleet and differs from what was told. It
// returns false if the fleet did not take it.
func (m *member) reportTask(ctx context.Context, t api.Task) bool {
	ref, ours := attemptOf(m.id, t.Request)
	if !ours {
		return true
	}
	r := report{State: t.State, Reason: m.spoken(t, ref), Session: t.Session, Result: t.Result}
	if !t.State.Ended() {
		r.Result = api.TaskResult{}
	}
	version := string(encode(r))
	m.mu.Lock()
	same := m.told[t.ID] == version
	m.mu.Unlock()
	if same {
		return true
	}
	if !m.publish(ctx, ref, r) {
		return false
	}
	m.mu.Lock()
	m.told[t.ID] = version
	m.mu.Unlock()
	return true
}

// spoken is why a task is in its state, as it reads on other machines: with the fleet's name of it, and with where its session is.
func (m *member) spoken(t api.Task, ref orchestrator.Ref) string {
	return strings.NewReplacer("`ccdir task start "+t.ID+"`", "`ccdir task start --fleet "+ref.Task+"`",
		"`ccdir review "+t.Session+"`", "on "+m.o.Name+" `ccdir review "+t.Session+"`, here `ccdir task patch --fleet "+ref.Task+"`").Replace(t.Reason)
}

// forget has the task reported again: the fleet asks for it.
func (m *member) forget(task string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.told, task)
}

// publish reports an attempt and waits until the fleet has it on disk.
func (m *member) publish(ctx context.Context, ref orchestrator.Ref, r report) bool {
	try, cancel := context.WithTimeout(ctx, commitTry)
	defer cancel()
	_, err := m.js.Publish(try, fmt.Sprintf("%s%s.%s.%d", subjectReport, m.o.Name, ref.Task, ref.Attempt), encode(r), jetstream.WithExpectStream(streamReports))
	if err != nil && ctx.Err() == nil {
		m.o.Log.Warn("a report was not taken, will try again", "task", ref.Task, "error", err)
	}
	return err == nil
}

// guard ends tasks that another machine gets when this one hears nothing of the fleet for too long.
func (m *member) guard(ctx context.Context) error {
	for ctx.Err() == nil {
		pause(ctx, presenceEvery)
		if now()-m.contact.Load() < int64(orchestrator.AloneAfter) {
			continue
		}
		list, err := m.o.Daemon.Tasks(ctx)
		if err != nil {
			continue
		}
		for _, t := range list {
			if _, ours := attemptOf(m.id, t.Request); !ours || t.State.Ended() || !slices.Contains(t.Labels, labelAgain) {
				continue
			}
			m.o.Log.Warn("nothing was heard of the fleet, which gives this task to another machine", "task", t.ID, "for", orchestrator.AloneAfter)
			if _, err := m.o.Daemon.CancelTask(ctx, t.ID); err != nil {
				m.o.Log.Warn("a task could not be ended", "task", t.ID, "error", err)
			}
		}
	}
	return nil
}

// ask sends a request to the leader and waits for its answer.
func ask(ctx context.Context, nc *nats.Conn, subject string, body any) (r api.FleetReply, err error) {
	m, err := nc.RequestWithContext(ctx, subject, encode(body))
	if err != nil {
		if errors.Is(err, nats.ErrNoResponders) {
			err = errors.New("nobody leads the fleet now: what `ccdir-fleet serve` prints says why (after `export --move` it goes on elsewhere: end that server)")
		}
		return r, api.Errorf(api.CodeUnavailable, "%s", err)
	}
	if err := json.Unmarshal(m.Data, &r); err != nil {
		return r, api.Errorf(api.CodeInternal, "the fleet's answer is none: %s", err)
	}
	if r.Error != nil {
		return r, r.Error
	}
	return r, nil
}

// Ask is a call of who to the leader. It blocks until the leader has answered, or ctx ends.
func Ask(ctx context.Context, nc *nats.Conn, who string, r api.FleetRequest) (api.FleetReply, error) {
	return ask(ctx, nc, subjectRequest+who, r)
}
