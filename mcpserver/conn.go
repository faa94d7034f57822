package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"ccdir/internal/contain"
)

const (
	// maxRequests bounds the requests of one connection in flight, including those that
	// wait; further ones are refused at once.
	maxRequests = 64
	// writeTime ends a connection whose client does not read.
	writeTime = 30 * time.Second
	// lastAnswers is how long calls may run after the client's EOF: requests piped into
	// the bridge are answered, and the calls of an agent that has exited end soon.
	lastAnswers = 2 * time.Second
)

// session is mcp-go's session of one connection.
type session struct {
	id            string
	notifications chan mcp.JSONRPCNotification
	results       chan mcp.JSONRPCMessage
	ready         atomic.Bool
	level, info   atomic.Value
	caps, version atomic.Value
}

var (
	_ server.SessionWithLogging         = (*session)(nil)
	_ server.SessionWithClientInfo      = (*session)(nil)
	_ server.SessionWithProtocolVersion = (*session)(nil)
)

func (s *session) Initialize()                                         { s.ready.Store(true) }
func (s *session) Initialized() bool                                   { return s.ready.Load() }
func (s *session) NotificationChannel() chan<- mcp.JSONRPCNotification { return s.notifications }
func (s *session) SessionID() string                                   { return s.id }
func (s *session) SetLogLevel(l mcp.LoggingLevel)                      { s.level.Store(l) }
func (s *session) SetClientInfo(i mcp.Implementation)                  { s.info.Store(i) }
func (s *session) SetClientCapabilities(c mcp.ClientCapabilities)      { s.caps.Store(c) }
func (s *session) SetProtocolVersion(v string)                         { s.version.Store(v) }

func (s *session) GetLogLevel() mcp.LoggingLevel {
	if l, ok := s.level.Load().(mcp.LoggingLevel); ok {
		return l
	}
	return mcp.LoggingLevelError
}

func (s *session) GetClientInfo() mcp.Implementation {
	i, _ := s.info.Load().(mcp.Implementation)
	return i
}

func (s *session) GetClientCapabilities() mcp.ClientCapabilities {
	c, _ := s.caps.Load().(mcp.ClientCapabilities)
	return c
}

func (s *session) ProtocolVersion() string {
	v, _ := s.version.Load().(string)
	return v
}

// Serve serves one client until it hangs up or ctx is done, and closes conn. It returns
// when all calls of the connection have ended; they are cancelled first, after
// lastAnswers if the client hung up. The error is nil if the client hung up.
func (s *Server) Serve(ctx context.Context, conn net.Conn, r *bufio.Reader, caller Caller) error {
	defer conn.Close()
	p, release, err := s.newPeer(caller)
	if err != nil {
		return err
	}
	defer release()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	sess := &session{id: fmt.Sprintf("unix-%d", s.ids.Add(1)), notifications: make(chan mcp.JSONRPCNotification, 256), results: make(chan mcp.JSONRPCMessage)}
	if err := s.mcp.RegisterSession(ctx, sess); err != nil {
		return err
	}
	defer s.mcp.UnregisterSession(context.WithoutCancel(ctx), sess.id)
	callCtx := context.WithValue(s.mcp.WithContext(ctx, sess), callerKey{}, p)

	var writer, calls contain.Group
	done := make(chan struct{})
	writer.Go(func() {
		defer cancel() // also after a panic, or nobody would take the results
		sess.write(conn, cancel, done)
	})
	err = s.read(callCtx, r, sess, p.slots.room, &calls)
	if errors.Is(err, io.EOF) {
		defer time.AfterFunc(lastAnswers, cancel).Stop()
	} else {
		cancel()
	}
	calls.Wait()
	close(done) // the writer has received every answer, and writes the last
	writer.Wait()
	if errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) {
		err = nil
	}
	return err
}

func (s *Server) read(ctx context.Context, r *bufio.Reader, sess *session, room *budget, calls *contain.Group) error {
	under := make(chan struct{}, maxRequests)
	open := underway{cancels: map[string]*context.CancelFunc{}}
	for {
		line, took, err := readLine(r, room)
		if err != nil {
			return err
		}
		var base struct {
			Method string           `json:"method"`
			ID     *json.RawMessage `json:"id"`
		}
		if json.Unmarshal(line, &base) == nil && base.Method != "" && base.ID == nil || len(line) == 0 {
			if base.Method == methodCancelled {
				open.cancel(line)
			}
			if len(line) > 0 && values(line) <= maxValues {
				s.handle(ctx, line, nil) // notifications, cancellation among them, overtake calls
			}
			room.give(took)
			continue
		}
		refusal := ""
		if values(line) > maxValues {
			refusal = tooManyValues
		} else {
			select {
			case under <- struct{}{}:
			default:
				refusal = "too many requests at once; wait for some to end"
			}
		}
		if refusal != "" {
			room.give(took)
			sess.send(ctx, mcp.NewJSONRPCError(mcp.NewRequestId(id(base.ID)), mcp.INTERNAL_ERROR, refusal, nil))
			continue
		}
		callCtx, ended := open.begin(ctx, base.ID)
		calls.Go(func() {
			defer func() { ended(); <-under; room.give(took) }()
			if res := s.handle(callCtx, line, base.ID); res != nil {
				sess.send(ctx, res)
			}
			if base.Method == string(mcp.MethodToolsList) && s.opts.Listed != nil {
				s.opts.Listed(peerOf(ctx).caller)
			}
		})
	}
}

func id(raw *json.RawMessage) any {
	var v any
	if raw != nil {
		_ = json.Unmarshal(*raw, &v)
	}
	return v
}

// handle also contains a panic of the library.
func (s *Server) handle(ctx context.Context, line []byte, rawID *json.RawMessage) (res mcp.JSONRPCMessage) {
	defer func() {
		if r := recover(); r != nil && rawID != nil {
			res = mcp.NewJSONRPCError(mcp.NewRequestId(id(rawID)), mcp.INTERNAL_ERROR, fmt.Sprintf("internal error: %v", r), nil)
		}
	}()
	return s.mcp.HandleMessage(ctx, line)
}

// readLine returns a copy of one line without its end, and how many bytes of the budget
// it took, which the caller gives back; after an error they are given back already.
func readLine(r *bufio.Reader, room *budget) (line []byte, took int, err error) {
	defer func() {
		if err != nil {
			room.give(took)
		}
	}()
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > maxMessage {
			return nil, took, fmt.Errorf("a message has more than %d MiB", maxMessage>>20)
		}
		if err := room.take(len(part)); err != nil {
			return nil, took, err
		}
		took += len(part)
		line = append(line, part...)
		if err == nil {
			return line[:len(line)-1], took, nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, took, err
		}
	}
}

func (s *session) send(ctx context.Context, msg mcp.JSONRPCMessage) {
	select {
	case s.results <- msg:
	case <-ctx.Done():
	}
}

// write is the only writer. A notification sent before a result is written before it.
func (s *session) write(conn net.Conn, cancel func(), done <-chan struct{}) {
	put := func(v any) {
		b, err := json.Marshal(v)
		if err != nil {
			return
		}
		_ = conn.SetWriteDeadline(time.Now().Add(writeTime))
		if _, err := conn.Write(append(b, '\n')); err != nil {
			cancel()
		}
	}
	for {
		select {
		case n := <-s.notifications:
			put(n)
		case res := <-s.results:
			for more := true; more; {
				select {
				case n := <-s.notifications:
					put(n)
				default:
					more = false
				}
			}
			put(res)
		case <-done:
			return
		}
	}
}
