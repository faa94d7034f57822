package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/mark3labs/mcp-go/server"
)

// Bounds on the messages kept for HTTP clients that lose their connection; the oldest
// is evicted first.
const (
	maxStreamEvents = 10_000
	maxStreamBytes  = 32 << 20
)

// eventStore keeps the messages of Streamable HTTP streams, so that a client that lost
// its connection gets the rest when it reconnects with Last-Event-ID
// (server.EventStore). The library's own store has no bounds.
type eventStore struct {
	mu       sync.Mutex
	seq      int64
	bytes    int
	count    int
	sessions map[string][]streamEvent // each in the order of ids
	order    []eventKey               // of all sessions; may include purged ones
}

type streamEvent struct {
	id      int64
	stream  string
	message json.RawMessage
}

type eventKey struct {
	session string
	id      int64
}

func newEventStore() *eventStore { return &eventStore{sessions: map[string][]streamEvent{}} }

// StoreEvent keeps a message, and evicts the oldest beyond the bounds.
func (s *eventStore) StoreEvent(_ context.Context, session, stream string, message json.RawMessage) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seq++
	s.sessions[session] = append(s.sessions[session], streamEvent{s.seq, stream, slices.Clone(message)})
	s.order = append(s.order, eventKey{session, s.seq})
	s.bytes += len(message)
	s.count++
	for s.count > maxStreamEvents || s.bytes > maxStreamBytes && s.count > 1 {
		s.forget(s.order[0])
		s.order = s.order[1:]
	}
	return strconv.FormatInt(s.seq, 10), nil
}

// forget drops an event, which is the first of its session if it still exists.
func (s *eventStore) forget(k eventKey) {
	list := s.sessions[k.session]
	if len(list) == 0 || list[0].id != k.id {
		return
	}
	s.bytes -= len(list[0].message)
	s.count--
	if list[0].message = nil; len(list) == 1 {
		delete(s.sessions, k.session)
		return
	}
	s.sessions[k.session] = list[1:]
}

// ReplayEventsAfter sends the messages that followed an event on its stream.
func (s *eventStore) ReplayEventsAfter(_ context.Context, session, last string, send func(id string, message json.RawMessage) error) (string, error) {
	id, err := strconv.ParseInt(last, 10, 64)
	s.mu.Lock()
	list := s.sessions[session]
	i := slices.IndexFunc(list, func(e streamEvent) bool { return e.id == id })
	if err != nil || i < 0 {
		s.mu.Unlock()
		return "", fmt.Errorf("%w: %.40q", server.ErrUnknownEventID, last)
	}
	stream, rest := list[i].stream, slices.Clone(list[i+1:])
	s.mu.Unlock()
	for _, e := range rest {
		if e.stream != stream {
			continue
		}
		if err := send(strconv.FormatInt(e.id, 10), e.message); err != nil {
			return "", err
		}
	}
	return stream, nil
}

// PurgeSession forgets a session.
func (s *eventStore) PurgeSession(_ context.Context, session string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.sessions[session] {
		s.bytes -= len(e.message)
		s.count--
	}
	delete(s.sessions, session)
	s.order = slices.DeleteFunc(s.order, func(k eventKey) bool { return k.session == session })
	return nil
}
