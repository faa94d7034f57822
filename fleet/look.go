package fleet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nats-io/nats.go"

	"ccdir/api"
	"ccdir/orchestrator"
)

// What a machine keeps of an attempt is asked of it when somebody wants to see it: the leader hands the
// question on, so that nobody else reaches machines.

// lookWait is how long a machine has for an answer.
const lookWait = 15 * time.Second

// maxText bounds the text of one answer.
const maxText = 512 << 10

// question asks a machine about an attempt.
type question struct {
	Op      string `json:"op"` // api.FleetLogs, api.FleetErrors, api.FleetPatch; api.FleetStart
	Task    string `json:"task"`
	Attempt int    `json:"attempt"`
	From    int    `json:"from"`
}

// subjectLook is where a machine is asked: the leader alone may publish there, and the machine read.
func subjectLook(node string) string { return InboxOf(node) + ".look" }

// look asks the machine that has a task's last attempt.
func (l *leader) look(ctx context.Context, r api.FleetRequest) (api.FleetReply, error) {
	t, err := l.queue.Task(ctx, r.Ref)
	if err != nil {
		return api.FleetReply{}, ofFleet(err)
	}
	if t.Place == "" || t.Attempt == 0 {
		return api.FleetReply{}, api.Errorf(api.CodeConflict, "%s has not begun on any machine (%s)", t.ID, t.State)
	}
	ctx, cancel := context.WithTimeout(ctx, lookWait)
	defer cancel()
	m, err := l.o.Conn.RequestWithContext(ctx, subjectLook(t.Place), encode(question{Op: r.Op, Task: t.ID, Attempt: t.Attempt, From: r.From}))
	if errors.Is(err, nats.ErrNoResponders) || errors.Is(err, context.DeadlineExceeded) {
		return api.FleetReply{}, api.Errorf(api.CodeUnavailable, "%s does not answer now, and what %s wrote is there alone", t.Place, t.ID)
	}
	if err != nil {
		return api.FleetReply{}, err
	}
	got, err := decode[api.FleetReply](m.Data)
	if err != nil {
		return api.FleetReply{}, fmt.Errorf("%s: %w", t.Place, err)
	}
	if got.Error != nil {
		return api.FleetReply{}, api.Errorf(got.Error.Code, "%s: %s", t.Place, got.Error.Message)
	}
	got = api.FleetReply{Tasks: []api.Task{t}, Text: got.Text, Part: got.Part, Whole: got.Whole, More: got.More}
	got.More = got.More && (len(got.Part) > 0 || r.Op != api.FleetPatch && got.Text != "")
	return got, nil
}

// answer answers the leader's questions until ctx ends.
func (m *member) answer(ctx context.Context) error {
	sub, err := m.o.Conn.SubscribeSync(subjectLook(m.o.Name))
	if err != nil {
		return err
	}
	defer func() { _ = sub.Unsubscribe() }()
	for ctx.Err() == nil {
		msg, err := sub.NextMsgWithContext(ctx)
		if errors.Is(err, nats.ErrSlowConsumer) {
			continue // who asked asks again
		}
		if err != nil {
			return err
		}
		reply, err := m.shown(ctx, msg.Data)
		if err != nil {
			reply = refused(err)
		}
		_ = msg.Respond(encode(reply)) // else it asks again
	}
	return nil
}

func (m *member) shown(ctx context.Context, data []byte) (api.FleetReply, error) {
	q, err := decode[question](data)
	if err != nil {
		return api.FleetReply{}, api.Errorf(api.CodeInvalid, "%s", err)
	}
	ctx, cancel := context.WithTimeout(ctx, lookWait/2)
	defer cancel()
	list, err := m.o.Daemon.Tasks(ctx)
	if err != nil {
		return api.FleetReply{}, err
	}
	request := requestOf(m.id, orchestrator.Ref{Task: q.Task, Attempt: q.Attempt})
	i := slices.IndexFunc(list, func(t api.Task) bool { return t.Request == request })
	if i < 0 {
		return api.FleetReply{}, api.Errorf(api.CodeNotFound, "its daemon has no attempt %d of %s any more", q.Attempt, q.Task)
	}
	switch q.Op {
	case api.FleetPatch:
		return m.patch(ctx, list[i], q.From)
	case api.FleetStart: // a person's ok, which the leader hands on
		_, err := m.o.Daemon.StartTask(ctx, list[i].ID)
		return api.FleetReply{}, err
	}
	logs, err := m.o.Daemon.TaskLogs(ctx, list[i].ID)
	if err != nil {
		return api.FleetReply{}, err
	}
	switch q.Op {
	case api.FleetLogs:
		return part(logs.Stdout+logs.Screen, q.From), nil
	case api.FleetErrors:
		return part(logs.Stderr, q.From), nil
	}
	return api.FleetReply{}, api.Errorf(api.CodeInvalid, "%.40q is no question: this machine's ccdir-fleet is older than the server's", q.Op)
}

// part is what one answer has of a text, from a byte on. It cuts no character.
func part(text string, from int) api.FleetReply {
	text = text[min(max(from, 0), len(text)):]
	if len(text) <= maxText {
		return api.FleetReply{Text: text}
	}
	end := maxText
	for end > maxText-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return api.FleetReply{Text: text[:end], More: true}
}

// patch is what the session of a task has changed since it began, from a byte on.
func (m *member) patch(ctx context.Context, t api.Task, from int) (api.FleetReply, error) {
	if t.Session == "" {
		return api.FleetReply{}, api.Errorf(api.CodeConflict, "%s has no session there: nothing was changed", t.ID)
	}
	d, err := m.o.Daemon.Diff(ctx, t.Session, api.DiffQuestion{Scope: api.DiffSession, Patch: true})
	if err != nil {
		return api.FleetReply{}, err
	}
	rest := d.Patch[min(max(from, 0), len(d.Patch)):]
	sum := sha256.Sum256(d.Patch)
	return api.FleetReply{Text: part(strings.Join(d.NotInPatch(), "\n"), 0).Text, Part: rest[:min(len(rest), maxText)], Whole: hex.EncodeToString(sum[:]), More: len(rest) > maxText}, nil
}
