// Package websock serves WebSockets: it answers the upgrade, pings, drops a client that takes
// nothing, and tells every client why its connection ends.
package websock

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/coder/websocket"

	"ccdir/api"
	"ccdir/daemon/httpapi/access"
	"ccdir/internal/contain"
	"ccdir/internal/tune/timer"
)

// WriteTime bounds a write: a client that does not read is dropped.
const WriteTime = 20 * time.Second

const (
	// maxMessage bounds a client's message, in bytes.
	maxMessage = 4 << 20
	// pingEvery is the interval of pings, pingWait bounds the wait for a pong.
	pingEvery = 30 * time.Second
	pingWait  = 20 * time.Second
	// maxReason bounds the reason of a close frame (RFC 6455, 5.5), in bytes.
	maxReason = 120
)

// errSlow: a client did not read for WriteTime.
var errSlow = api.Errorf(api.CodeTimeout, "too slow: it took nothing for %s", WriteTime)

// closeWait bounds the wait for the answer to a close frame.
const closeWait = time.Second

// Conn is one WebSocket. Send may be called by several goroutines at a time, Read by one.
// Its owner calls End, and waits for the goroutines that it started itself.
type Conn struct {
	conn *websocket.Conn
	// below is the connection below the WebSocket.
	below net.Conn
	// alarms are for pings; nil is usable.
	alarms *timer.Clock
	log    *slog.Logger
	// ctx ends with the connection; its cause is sent to the client.
	ctx    context.Context
	cancel context.CancelCauseFunc
	// closed is closed when the connection and our goroutines for it have ended.
	closed chan struct{}
}

// Upgrade turns the call into a WebSocket with that subprotocol. alarms are for pings; nil is
// usable. No answer was sent for an error other than ErrAnswered.
func Upgrade(w http.ResponseWriter, r *http.Request, protocol string, alarms *timer.Clock, log *slog.Logger) (*Conn, error) {
	if err := Upgradable(r, protocol); err != nil {
		return nil, err
	}
	// Over TCP the origin was checked with everything else; on the unix socket a
	// browser's is refused here.
	taken := &takenConn{ResponseWriter: w}
	conn, err := websocket.Accept(taken, r, &websocket.AcceptOptions{Subprotocols: []string{protocol}, InsecureSkipVerify: access.Remote(r.Context())})
	if err != nil {
		log.Warn("a WebSocket was not made", "path", r.URL.Path, "error", err)
		return nil, ErrAnswered
	}
	conn.SetReadLimit(maxMessage)
	c := &Conn{conn: conn, below: taken.conn, alarms: alarms, log: log, closed: make(chan struct{})}
	c.ctx, c.cancel = context.WithCancelCause(r.Context())
	pinged := make(chan struct{})
	contain.Go(log, func() { defer close(pinged); c.ping() })
	contain.Go(log, func() {
		defer close(c.closed)
		<-c.ctx.Done()
		c.close(r)
		<-pinged
	})
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

// ErrAnswered is the error of a call that failed and was answered.
var ErrAnswered = errors.New("answered")

// Upgradable returns an error for the client if the call cannot become a WebSocket.
func Upgradable(r *http.Request, protocol string) error {
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

// Context ends with the connection; its cause is the first reason.
func (c *Conn) Context() context.Context { return c.ctx }

// Drop ends the connection for that reason, and does not wait.
func (c *Conn) Drop(why error) { c.cancel(why) }

// ping detects that the client is gone; Read must be running.
func (c *Conn) ping() {
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
			c.Drop(api.Errorf(api.CodeTimeout, "it did not answer for %s", pingWait))
			return
		}
	}
}

// Read returns the next message. It ends with the connection, and not with ctx:
// cancelling a read would close the connection without a reason.
func (c *Conn) Read() (websocket.MessageType, []byte, error) {
	return c.conn.Read(context.WithoutCancel(c.ctx))
}

// Send writes one message. A client that takes nothing is dropped.
func (c *Conn) Send(kind websocket.MessageType, data []byte) error {
	if err := context.Cause(c.ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(c.ctx))
	defer cancel()
	// The cause is set before the write fails, so that the reader finds it.
	timer := time.AfterFunc(WriteTime, func() { c.Drop(errSlow); cancel() })
	defer timer.Stop()
	err := c.conn.Write(ctx, kind, data)
	if err != nil {
		c.Drop(err)
		return context.Cause(c.ctx) // the first reason
	}
	return nil
}

// SendJSON writes a text message.
func (c *Conn) SendJSON(v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return c.Send(websocket.MessageText, data)
}

// End closes the connection with the first reason and waits; why is nil if the client
// ended it.
func (c *Conn) End(why error) {
	c.Drop(why)
	<-c.closed
}

// close sends the reason to the client and to the log.
func (c *Conn) close(r *http.Request) {
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
		c.log.Info("a WebSocket was closed", "path", r.URL.Path, "reason", reason)
	}
	if len(reason) > maxReason {
		reason = strings.ToValidUTF8(reason[:maxReason], "")
	}
	if errors.Is(why, errSlow) { // the buffers are full: a reason would not arrive
		_ = c.conn.CloseNow()
		return
	}
	done := make(chan struct{})
	contain.Go(c.log, func() { defer close(done); _ = c.conn.Close(status, reason) })
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
