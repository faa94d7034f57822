// Package mailbox keeps messages between sessions, and to and from the person.
//
// Contract: a message is durable before Send returns, and stays in its mailbox
// until its receiver acknowledges it; restarts of sessions and of the daemon
// change nothing. A message to a session that has ended waits for its restart. A
// session at rest is nudged once about what has come since the last time, not
// more often than every few seconds; one that works is told at the end of its turn
// (AtStop) or nudged when it rests.
package mailbox

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"ccdir/api"
)

const (
	// maxText bounds a message, in bytes.
	maxText = 64 << 10
	// maxOpen bounds the open messages of a mailbox.
	maxOpen = 1000
	// nudgeEvery is the least time between two nudges of a session.
	nudgeEvery = 5 * time.Second
	// nudgeAgain is after how long a session at rest that could not be nudged is tried
	// again.
	nudgeAgain = 30 * time.Second
)

// Store keeps the messages.
type Store interface {
	AddMessage(m api.Message) (id int64, err error)
	// MessageOf finds the message of an api.Message.Request.
	MessageOf(ctx context.Context, request string) (m api.Message, known bool, err error)
	Messages(ctx context.Context, receiver string, all bool, limit int) ([]api.Message, error)
	OpenMessages(ctx context.Context, receiver string) (n int, newest int64, err error)
	AckMessages(receiver string, ids []int64, at time.Time) (n int, err error)
}

// Options are what a Box needs.
type Options struct {
	Store Store
	// Resolve finds a session by its id, a unique prefix, or its name.
	Resolve func(ctx context.Context, ref string) (api.Session, error)
	// Told is called for each message once it is durable, and again when a call that
	// sent it was repeated. It may be nil.
	Told func(m api.Message)
	// Nudge gives a session at rest a prompt; nil: nobody is nudged. It may
	// block; the session may have begun to work.
	Nudge  func(ctx context.Context, s api.Session, text string) error
	Now    func() time.Time
	Logger *slog.Logger
}

// Box holds the mailboxes. Its methods may be called at the same time; Run
// nudges.
type Box struct {
	o Options

	mu sync.Mutex
	// due are sessions to look at, busy those being nudged.
	due, busy map[string]bool
	nudged    map[string]nudge
	// stopped are sessions that were told at the end of their turn, until the turn
	// was seen to go on: the newest message told.
	stopped map[string]int64
	// later looks at sessions again, one timer for each.
	later map[string]*time.Timer
	wake  chan struct{}
}

// nudge is the last one of a session: until which message, and when.
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

// SendOnce is Send for callers that may repeat themselves: of calls with the same
// Request (unless it is "") the first sends, and the others return its message.
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

// told lets everybody know of a message that is durable.
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

// Ack marks messages as dealt with and returns how many were open.
func (b *Box) Ack(_ context.Context, receiver string, ids []int64) (int, error) {
	return b.o.Store.AckMessages(receiver, ids, b.o.Now())
}

// Changed takes the new value of a session.
func (b *Box) Changed(s api.Session) {
	if s.State == api.StateIdle {
		b.mark(s.ID)
	}
}

// Gone forgets what was noted about a session that was removed. Its messages stay.
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

// mark has Run look at a session.
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

// Run nudges until ctx ends, and waits for what it began.
func (b *Box) Run(ctx context.Context) {
	var work sync.WaitGroup
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
			if b.busy[id] {
				continue // it looks again when it has ended
			}
			b.busy[id] = true
			work.Go(func() { b.look(ctx, id) })
		}
		b.mu.Unlock()
	}
}

// look nudges a session if it rests and has new messages.
func (b *Box) look(ctx context.Context, id string) {
	again, wait := b.nudge(ctx, id)
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.busy, id)
	if t := b.later[id]; again && t != nil {
		t.Reset(wait)
	} else if again {
		b.later[id] = time.AfterFunc(wait, func() { b.mark(id) }) // after Run has ended it does nothing
	}
}

// nudge returns whether to look again, and after what time.
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
	delete(b.stopped, id) // it rests: the turn did not go on
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
		// It works by now, and is looked at when it rests; or somebody types there, a
		// dialog is open, its host does not answer: nothing tells when that is over.
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
