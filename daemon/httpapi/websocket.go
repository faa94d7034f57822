package httpapi

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/coder/websocket"

	"ccdir/api"
	"ccdir/daemon/httpapi/access"
	"ccdir/internal/tune/timer"
)

// Limits of WebSockets.
const (
	// maxMessage bounds a client's message, in bytes.
	maxMessage = 4 << 20
	// socketWrite bounds a write: a client that does not read is dropped.
	socketWrite = 20 * time.Second
	// pingEvery is the interval of pings, pingWait bounds the wait for a pong.
	pingEvery = 30 * time.Second
	pingWait  = 20 * time.Second
	// maxReason bounds the reason of a close frame (RFC 6455, 5.5), in bytes.
	maxReason = 120
)

// errSlow: a client did not read for socketWrite.
var errSlow = api.Errorf(api.CodeTimeout, "too slow: it took nothing for %s", socketWrite)

// closeWait bounds the wait for the answer to a close frame.
const closeWait = time.Second

// webSocket is one WebSocket. send may be called by several goroutines at a time,
// read by one. Its owner calls end and waits for what it started.
type webSocket struct {
	conn *websocket.Conn
	// below is the connection below the WebSocket.
	below net.Conn
	// alarms are for pings.
	alarms *timer.Clock
	// ctx ends with the connection; its cause is sent to the client.
	ctx    context.Context
	cancel context.CancelCauseFunc
	// closed is closed when the connection and our goroutines for it have ended.
	closed chan struct{}
}

// upgrade turns the call into a WebSocket. On an error no answer was sent.
func (s *server) upgrade(w http.ResponseWriter, r *http.Request, protocol string) (*webSocket, error) {
	if err := upgradable(r, protocol); err != nil {
		return nil, err
	}
	// Over TCP the origin was checked with everything else; on the unix socket a
	// browser's is refused here.
	taken := &takenConn{ResponseWriter: w}
	conn, err := websocket.Accept(taken, r, &websocket.AcceptOptions{Subprotocols: []string{protocol}, InsecureSkipVerify: access.Remote(r.Context())})
	if err != nil {
		s.log.Warn("a WebSocket was not made", "path", r.URL.Path, "error", err)
		return nil, errAnswered
	}
	conn.SetReadLimit(maxMessage)
	c := &webSocket{conn: conn, below: taken.conn, alarms: s.Alarms, closed: make(chan struct{})}
	c.ctx, c.cancel = context.WithCancelCause(r.Context())
	pinged := make(chan struct{})
	go func() { defer close(pinged); c.ping() }()
	go func() {
		defer close(c.closed)
		<-c.ctx.Done()
		s.closeWebSocket(c, r)
		<-pinged
	}()
	return c, nil
}

// takenConn remembers the connection that was taken over.
type takenConn struct {
	http.ResponseWriter
	conn net.Conn
}

// Hijack implements http.Hijacker.
func (t *takenConn) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(t.ResponseWriter).Hijack()
	t.conn = conn
	return conn, rw, err
}

// errAnswered: the call failed, and the answer was sent.
var errAnswered = errors.New("answered")

// upgradable returns an error if the call cannot become a WebSocket.
func upgradable(r *http.Request, protocol string) error {
	has := func(header, word string) bool {
		for _, line := range r.Header.Values(header) {
			for part := range strings.SplitSeq(line, ",") {
				if strings.EqualFold(strings.TrimSpace(part), word) {
					return true
				}
			}
		}
		return false
	}
	switch {
	case !has("Connection", "upgrade") || !has("Upgrade", "websocket"):
		return api.Errorf(api.CodeInvalid, "%.200q is a WebSocket: connect with a client for these (subprotocol %s)", r.URL.Path, protocol)
	case r.Header.Get("Sec-WebSocket-Version") != "13" || len(r.Header.Values("Sec-WebSocket-Key")) != 1:
		return api.Errorf(api.CodeInvalid, "the WebSocket's version must be 13, with one key")
	case r.ProtoMajor != 1:
		return api.Errorf(api.CodeInvalid, "WebSockets are made over HTTP/1.1")
	}
	if offered := r.Header.Values("Sec-WebSocket-Protocol"); len(offered) > 0 && !has("Sec-WebSocket-Protocol", protocol) {
		return api.Errorf(api.CodeInvalid, "the subprotocol here is %s", protocol)
	}
	return nil
}

// ping detects that the client is gone; read must be running.
func (c *webSocket) ping() {
	tick := c.alarms.NewTicker(pingEvery)
	defer tick.Stop()
	for {
		select {
		case <-c.ctx.Done():
			return
		case <-tick.C:
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), pingWait)
		err := c.conn.Ping(ctx)
		cancel()
		if err != nil {
			c.cancel(api.Errorf(api.CodeTimeout, "it did not answer for %s", pingWait))
			return
		}
	}
}

// read returns the next message. It ends with the connection, and not with ctx:
// cancelling a read would close the connection without a reason.
func (c *webSocket) read() (websocket.MessageType, []byte, error) {
	return c.conn.Read(context.WithoutCancel(c.ctx))
}

// send writes one message. A client that takes nothing is dropped.
func (c *webSocket) send(kind websocket.MessageType, data []byte) error {
	if err := context.Cause(c.ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(c.ctx))
	defer cancel()
	// The cause is set before the write fails, so that the reader finds it.
	timer := time.AfterFunc(socketWrite, func() { c.cancel(errSlow); cancel() })
	defer timer.Stop()
	err := c.conn.Write(ctx, kind, data)
	if err != nil {
		c.cancel(err)
		return context.Cause(c.ctx) // the first reason
	}
	return nil
}

// sendJSON writes a text message.
func (c *webSocket) sendJSON(v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return c.send(websocket.MessageText, data)
}

// end closes the connection with the first reason and waits; why is nil if the client
// ended it.
func (c *webSocket) end(why error) {
	c.cancel(why)
	<-c.closed
}

// closeWebSocket sends the reason to the client and to the log.
func (s *server) closeWebSocket(c *webSocket, r *http.Request) {
	why := context.Cause(c.ctx)
	status, reason := websocket.StatusNormalClosure, ""
	var known *api.Error
	switch {
	case r.Context().Err() != nil:
		status, reason = websocket.StatusGoingAway, "the daemon is stopping"
	case errors.As(why, &known):
		status, reason = closeStatus(known.Code), known.Message
	}
	if reason != "" {
		s.log.Info("a WebSocket was closed", "path", r.URL.Path, "reason", reason)
	}
	if len(reason) > maxReason {
		reason = strings.ToValidUTF8(reason[:maxReason], "")
	}
	if errors.Is(why, errSlow) { // the buffers are full: a reason would not arrive
		_ = c.conn.CloseNow()
		return
	}
	done := make(chan struct{})
	go func() { defer close(done); _ = c.conn.Close(status, reason) }()
	select {
	case <-done:
	case <-time.After(closeWait):
		_ = c.below.Close() // Close itself would wait for longer, and CloseNow for Close
		<-done
	}
}

// closeStatus returns the status of the close frame for an error.
func closeStatus(code api.Code) websocket.StatusCode {
	switch code {
	case api.CodeNotRunning:
		return websocket.StatusNormalClosure
	case api.CodeInvalid, api.CodeForbidden, api.CodeLimit, api.CodeTimeout:
		return websocket.StatusPolicyViolation
	case api.CodeTooLarge:
		return websocket.StatusMessageTooBig
	}
	return websocket.StatusInternalError
}
