// Package mailbox keeps messages between sessions, and to and from the person.
//
// Contract: a message is durable before Send returns, and stays in its mailbox until its
// receiver acknowledges it, also across restarts of session and daemon. A message to an
// ended session waits for its restart. An idle session is nudged once about new messages,
// at most every few seconds; a working one sees them at the end of its turn (AtStop), or
// is nudged when it is idle.
//
// Leads asks the lead of a session about a permission request by such a message, and waits for the
// reply until its context ends. Its questions are in memory only: after a restart of the daemon a
// request is asked about again.
package mailbox

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"ccdir/api"
	"ccdir/internal/contain"
)

const (
	// maxText bounds a message, in bytes.
	maxText = 64 << 10
	// maxOpen bounds the open messages of a mailbox.
	maxOpen = 1000
	// nudgeEvery is the least time between two nudges of a session.
	nudgeEvery = 5 * time.Second
	// nudgeAgain is the delay of a retry when an idle session could not be nudged.
	nudgeAgain = 30 * time.Second
)

// Store keeps the messages.
type Store interface {
	AddMessage(m api.Message) (id int64, err error)
	// MessageOf returns the message with that api.Message.Request.
	MessageOf(ctx context.Context, request string) (m api.Message, known bool, err error)
	Messages(ctx context.Context, receiver string, all bool, limit int) ([]api.Message, error)
	OpenMessages(ctx context.Context, receiver string) (n int, newest int64, err error)
	AckMessages(receiver string, ids []int64, at time.Time) (n int, err error)
}

// Options configure a Box.
type Options struct {
	Store Store
	// Resolve finds a session by its id, a unique prefix, or its name.
	Resolve func(ctx context.Context, ref string) (api.Session, error)
	// Told is called for each durable message, and again for a retry of its call. It may
	// be nil.
	Told func(m api.Message)
	// Nudge types a prompt into a session that was idle when it was called; nil: none. It
	// may block.
	Nudge  func(ctx context.Context, s api.Session, text string) error
	Now    func() time.Time
	Logger *slog.Logger
}

// Box holds the mailboxes. Its methods are safe for concurrent use; Run nudges.
type Box struct {
	o Options

	mu sync.Mutex
	// due are the ids of sessions to check.
	due map[string]bool
	// busy are those being nudged; true: one to check again at the end.
	busy   map[string]bool
	nudged map[string]nudge
	// stopped is the newest message that a session saw at the end of its turn, by id, until
	// the turn is seen to continue.
	stopped map[string]int64
	// later are the timers of checks to come, by id.
	later map[string]*time.Timer
	wake  chan struct{}
}

// nudge is the last nudge of a session: its newest message, and when.
type nudge struct {
	newest int64
	at     time.Time
}

// New makes a Box.
func New(o Options) *Box {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &Box{o: o, due: map[string]bool{}, busy: map[string]bool{}, nudged: map[string]nudge{}, stopped: map[string]int64{},
		later: map[string]*time.Timer{}, wake: make(chan struct{}, 1)}
}

// Send puts a message into a mailbox: to is api.Person, or names a session. The
// zero from is the person.
func (b *Box) Send(ctx context.Context, from api.Session, to, text string, reply int64) (api.Message, error) {
	return b.SendOnce(ctx, from, api.NewMessage{To: to, Text: text, Reply: reply})
}

// SendOnce is an idempotent Send: a call with the Request of an earlier one returns its
// message. An empty Request always sends.
func (b *Box) SendOnce(ctx context.Context, from api.Session, n api.NewMessage) (api.Message, error) {
	to, text := n.To, n.Text
	m := api.Message{At: b.o.Now().UTC(), From: from.ID, FromName: from.Name, To: api.Person, ToName: api.Person, Text: text, Reply: n.Reply, Request: n.Request}
	if n.Request != "" {
		old, known, err := b.o.Store.MessageOf(ctx, n.Request)
		if err != nil {
			return old, err
		}
		if known {
			b.told(old)
			return old, nil
		}
	}
	if from.ID == "" {
		m.From, m.FromName = api.Person, api.Person
	}
	if to != api.Person {
		s, err := b.o.Resolve(ctx, to)
		if err != nil {
			return m, err
		}
		m.To, m.ToName = s.ID, s.Name
	}
	switch {
	case strings.TrimSpace(text) == "":
		return m, api.Errorf(api.CodeInvalid, "the message is empty")
	case len(text) > maxText:
		return m, api.Errorf(api.CodeTooLarge, "the message is longer than %d KiB: write it to a file and send the path", maxText>>10)
	case m.To == m.From:
		return m, api.Errorf(api.CodeInvalid, "a message needs another receiver than its sender")
	}
	m.Text = strings.ToValidUTF8(text, "\uFFFD")
	if n, _, err := b.o.Store.OpenMessages(ctx, m.To); err != nil {
		return m, err
	} else if n >= maxOpen {
		return m, api.Errorf(api.CodeLimit, "the mailbox of %s has %d open messages: it must acknowledge some first", m.ToName, n)
	}
	id, err := b.o.Store.AddMessage(m)
	if err != nil {
		return m, err
	}
	m.ID = id
	b.told(m)
	return m, nil
}

// told announces a durable message.
func (b *Box) told(m api.Message) {
	if b.o.Told != nil {
		b.o.Told(m)
	}
	b.mark(m.To)
}

// Inbox lists the messages of a mailbox, oldest first; all: acknowledged ones
// too.
func (b *Box) Inbox(ctx context.Context, receiver string, all bool, limit int) ([]api.Message, error) {
	return b.o.Store.Messages(ctx, receiver, all, limit)
}

// Ack acknowledges messages and returns how many were open.
func (b *Box) Ack(_ context.Context, receiver string, ids []int64) (int, error) {
	return b.o.Store.AckMessages(receiver, ids, b.o.Now())
}

// Changed notes the new value of a session.
func (b *Box) Changed(s api.Session) {
	if s.State == api.StateIdle {
		b.mark(s.ID)
	}
}

// Gone drops the state of a removed session. Its messages stay.
func (b *Box) Gone(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.due, id)
	delete(b.nudged, id)
	delete(b.stopped, id)
	if t := b.later[id]; t != nil {
		t.Stop()
		delete(b.later, id)
	}
}

// mark makes Run check a session.
func (b *Box) mark(id string) {
	if id == api.Person || b.o.Nudge == nil {
		return
	}
	b.mu.Lock()
	b.due[id] = true
	b.mu.Unlock()
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// Run nudges until ctx ends, and waits for the nudges in flight.
func (b *Box) Run(ctx context.Context) {
	work := contain.Group{Log: b.o.Logger}
	defer work.Wait()
	for {
		select {
		case <-b.wake:
		case <-ctx.Done():
			return
		}
		b.mu.Lock()
		for id := range b.due {
			delete(b.due, id)
			if _, inFlight := b.busy[id]; inFlight {
				b.busy[id] = true
				continue
			}
			b.busy[id] = false
			work.Go(func() { b.look(ctx, id) })
		}
		b.mu.Unlock()
	}
}

// look nudges a session if it is idle and has new messages.
func (b *Box) look(ctx context.Context, id string) {
	var again bool
	var wait time.Duration
	contain.Run(b.o.Logger, func() { again, wait = b.nudge(ctx, id) })
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.busy[id] {
		again, wait = true, 0
	}
	delete(b.busy, id)
	if t := b.later[id]; again && t != nil {
		t.Reset(wait)
	} else if again {
		b.later[id] = time.AfterFunc(wait, func() { b.mark(id) }) // after Run has ended it does nothing
	}
}

// nudge returns whether to check again, and after how long.
func (b *Box) nudge(ctx context.Context, id string) (again bool, wait time.Duration) {
	s, err := b.o.Resolve(ctx, id)
	if err != nil || s.ID != id || s.State != api.StateIdle || s.External {
		return false, 0
	}
	n, newest, err := b.o.Store.OpenMessages(ctx, id)
	if err != nil {
		b.o.Logger.Error("cannot look into a mailbox", "session", id, "error", err)
		return false, 0
	}
	b.mu.Lock()
	last := b.nudged[id]
	b.mu.Unlock()
	b.mu.Lock()
	delete(b.stopped, id) // it is idle: the turn did not continue
	b.mu.Unlock()
	now := b.o.Now()
	if n == 0 || newest <= last.newest {
		return false, 0
	}
	if since := now.Sub(last.at); since < nudgeEvery {
		return true, nudgeEvery - since
	}
	b.mu.Lock()
	b.nudged[id] = nudge{newest, now}
	b.mu.Unlock()
	if err := b.o.Nudge(ctx, s, text(n)); err != nil {
		// Either it works now, and its next idle state marks it; or somebody types there,
		// a dialog is open, or its host does not answer: no event tells the end of those.
		b.o.Logger.Info("a session was not told of its messages", "session", id, "error", err)
		b.mu.Lock()
		b.nudged[id] = nudge{last.newest, now}
		b.mu.Unlock()
		return ctx.Err() == nil, nudgeAgain
	}
	return false, 0
}

func text(n int) string {
	what := "a new message"
	if n > 1 {
		what = fmt.Sprintf("%d new messages", n)
	}
	return fmt.Sprintf("You have %s. Read with the tool message_inbox of the server %s, deal with it, then call message_ack.", what, api.MCPServer)
}
