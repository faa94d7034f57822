package drill

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/client"
)

// lookTime bounds the diagnosis of a failed task, in addition to the check's own time.
const lookTime = 20 * time.Second

// toldEvents is how many of the newest events of a task are reported.
const toldEvents = 30

// whyTask reports on a task that did not end as expected: how its session's state came
// about, its last events, and the end of its output. For information that is no longer
// available it reports why.
func (r *run) whyTask(ctx context.Context, id string) string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTime)
	defer cancel()
	var b strings.Builder
	t, err := r.client.Task(ctx, id)
	tell(&b, "task", t, err)
	if t.Session != "" {
		x, err := r.client.Explain(ctx, t.Session)
		tell(&b, "explanation", x, err)
		s, err := r.client.Session(ctx, t.Session)
		tell(&b, "session", s, err)
	}
	if list, err := r.taskEvents(ctx, t); err != nil {
		tell(&b, "events", nil, err)
	} else {
		for _, e := range list {
			fmt.Fprintf(&b, "\n  %d %s %s %s %s %s→%s %q %s", e.Seq, e.At.Format("05.000"), e.Session, e.Source, e.Type, e.StateFrom, e.StateTo, e.Message, e.Data)
		}
	}
	logs, err := r.client.TaskLogs(ctx, id)
	tell(&b, "logs", logs, err)
	return b.String()
}

// taskEvents are the newest events of a task and of its session, oldest first.
func (r *run) taskEvents(ctx context.Context, t api.Task) ([]api.Event, error) {
	all, err := r.client.Events(ctx, client.EventFilter{Limit: 1000})
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(e api.Event) bool {
		return (t.Session == "" || e.Session != t.Session) && !strings.Contains(e.Message+string(e.Data), t.ID) &&
			e.Type != api.EventDaemonStarted && e.Type != api.EventDaemonStopped
	})
	return all[max(0, len(all)-toldEvents):], nil
}

// tell writes one line: the value as JSON, or the error.
func tell(b *strings.Builder, what string, v any, err error) {
	if err != nil {
		fmt.Fprintf(b, "\n  %s: %v", what, err)
		return
	}
	data, err := json.Marshal(v)
	if err != nil {
		data = []byte(err.Error())
	}
	fmt.Fprintf(b, "\n  %s: %s", what, data)
}
