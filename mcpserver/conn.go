package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

const (
	// maxMessage bounds one message of a client, in bytes.
	maxMessage = 32 << 20
	// maxRequests bounds the requests of one connection under way, waiting ones
	// included; one more is refused at once.
	maxRequests = 64
	// writeTime ends a connection whose client doesn't read.
	writeTime = 30 * time.Second
	// lastAnswers is how long the calls of a client that has said all may go on:
	// what is piped into the bridge is answered, and the calls of an agent that is
	// gone end soon.
	lastAnswers = 2 * time.Second
)

// session is one connection's side of mcp-go's session.
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

// Serve speaks with one client until it hangs up or ctx is done, and closes
// conn. It returns when all calls of the connection have ended; they are
// cancelled first, those of a client that hung up after lastAnswers. The error is
// nil if the client hung up.
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

	var writer, calls sync.WaitGroup
	done := make(chan struct{})
	writer.Go(func() { sess.write(conn, cancel, done) })
	err = s.read(callCtx, r, sess, &calls)
	if errors.Is(err, io.EOF) {
		defer time.AfterFunc(lastAnswers, cancel).Stop()
	} else {
		cancel()
	}
	calls.Wait()
	close(done) // the writer has taken every answer, and writes the last
	writer.Wait()
	if errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) {
		err = nil
	}
	return err
}

func (s *Server) read(ctx context.Context, r *bufio.Reader, sess *session, calls *sync.WaitGroup) error {
	under := make(chan struct{}, maxRequests)
	open := underway{cancels: map[string]*context.CancelFunc{}}
	for {
		line, err := readLine(r)
		if err != nil {
			return err
		}
		if len(line) == 0 {
			continue
		}
		var base struct {
			Method string           `json:"method"`
			ID     *json.RawMessage `json:"id"`
		}
		if json.Unmarshal(line, &base) == nil && base.Method != "" && base.ID == nil {
			if base.Method == methodCancelled {
				open.cancel(line)
			}
			s.handle(ctx, line, nil) // notifications, cancellation among them, overtake calls
			continue
		}
		select {
		case under <- struct{}{}:
		default:
			sess.send(ctx, mcp.NewJSONRPCError(mcp.NewRequestId(id(base.ID)), mcp.INTERNAL_ERROR, "too many requests at once; wait for some to end", nil))
			continue
		}
		callCtx, ended := open.begin(ctx, base.ID)
		calls.Go(func() {
			defer func() { ended(); <-under }()
			if res := s.handle(callCtx, line, base.ID); res != nil {
				sess.send(ctx, res)
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

// handle contains a panic of the library, too.
func (s *Server) handle(ctx context.Context, line []byte, rawID *json.RawMessage) (res mcp.JSONRPCMessage) {
	defer func() {
		if r := recover(); r != nil && rawID != nil {
			res = mcp.NewJSONRPCError(mcp.NewRequestId(id(rawID)), mcp.INTERNAL_ERROR, fmt.Sprintf("internal error: %v", r), nil)
		}
	}()
	return s.mcp.HandleMessage(ctx, line)
}

// readLine returns one line, its own copy, without the end.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxMessage {
			return nil, fmt.Errorf("a message has more than %d MiB", maxMessage>>20)
		}
		if err == nil {
			return line[:len(line)-1], nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
	}
}

func (s *session) send(ctx context.Context, msg mcp.JSONRPCMessage) {
	select {
	case s.results <- msg:
	case <-ctx.Done():
	}
}

// write is the only writer. What was notified before a result is written
// before it.
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
