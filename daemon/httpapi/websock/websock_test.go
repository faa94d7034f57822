package websock

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"ccdir/api"
)

// pipes is a listener whose connections have no buffers, so that a client that does
// not read is noticed at once, and no clock but the test's.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (p pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p pipes) Close() error   { return nil }
func (p pipes) Addr() net.Addr { return &net.UnixAddr{} }

func (p pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.conns <- theirs:
		return ours, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// sockets serves WebSockets: do has each until it returns; what it returns is the
// reason of the end.
func sockets(t *testing.T, do func(*Conn) error) pipes {
	p := pipes{make(chan net.Conn), make(chan struct{})}
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := Upgrade(w, r, "test", nil, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Error(err)
			return
		}
		c.End(do(c))
	})}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = srv.Serve(p) }()
	t.Cleanup(func() {
		close(p.closed)
		_ = srv.Close()
		<-ended
	})
	return p
}

// reading reads until the connection ends, and returns why that was.
func reading(c *Conn) error {
	for {
		if _, _, err := c.Read(); err != nil {
			return context.Cause(c.ctx)
		}
	}
}

// byHand makes a WebSocket without a library and returns the connection, from which nothing is
// read.
func byHand(t *testing.T, p pipes) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := p.dial(context.Background(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(conn)
	resp, err := http.ReadResponse(in, nil)
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		t.Fatal(resp, err)
	}
	return conn, in
}

// TestPingUnanswered: a client that is there and answers no ping is dropped, and told
// why.
func TestPingUnanswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		causes := make(chan error, 1)
		p := sockets(t, func(c *Conn) error { err := reading(c); causes <- err; return err })
		began := time.Now()
		conn, in := byHand(t, p)
		defer conn.Close()
		all, _ := io.ReadAll(in) // it takes everything and says nothing
		took := time.Since(began)
		if took < pingEvery+pingWait || took > pingEvery+pingWait+2*closeWait {
			t.Errorf("dropped after %s", took)
		}
		if err := <-causes; api.CodeOf(err) != api.CodeTimeout {
			t.Errorf("the cause is %v", err)
		}
		// A ping (9), and a close frame (8) with 1008 and the reason.
		if len(all) < 2 || all[0] != 0x89 || !strings.Contains(string(all), "\x03\xf0it did not answer") {
			t.Errorf("it got %q", all)
		}
	})
}

// TestPingAnswered: one that says nothing but answers pings stays.
func TestPingAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := sockets(t, func(c *Conn) error {
			for {
				kind, data, err := c.Read()
				if err != nil {
					return nil
				}
				if err := c.Send(kind, data); err != nil {
					return err
				}
			}
		})
		transport := &http.Transport{DialContext: p.dial}
		conn, _, err := websocket.Dial(t.Context(), "ws://x/", &websocket.DialOptions{HTTPClient: &http.Client{Transport: transport}})
		if err != nil {
			t.Fatal(err)
		}
		heard := make(chan string, 1)
		go func() {
			_, data, _ := conn.Read(context.Background()) // answers pings meanwhile
			heard <- string(data)
		}()
		time.Sleep(20 * (pingEvery + pingWait)) // the fake clock
		if err := conn.Write(t.Context(), websocket.MessageText, []byte("still here")); err != nil {
			t.Error(err)
		}
		if got := <-heard; got != "still here" {
			t.Errorf("heard %q", got)
		}
		_ = conn.CloseNow()
		transport.CloseIdleConnections()
	})
}

// TestStuckClient: one that takes nothing is dropped after WriteTime, whoever
// writes then; nobody waits longer.
func TestStuckClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		errs := make(chan error, 2)
		p := sockets(t, func(c *Conn) error {
			go func() { errs <- c.Send(websocket.MessageBinary, make([]byte, 1<<20)) }()
			err := reading(c)
			errs <- c.Send(websocket.MessageText, []byte("too late"))
			return err
		})
		began := time.Now()
		conn, in := byHand(t, p)
		defer conn.Close()
		for range 2 {
			if err := <-errs; !errors.Is(err, errSlow) {
				t.Errorf("a send ended with %v", err)
			}
		}
		if took := time.Since(began); took < WriteTime || took > WriteTime+2*closeWait {
			t.Errorf("dropped after %s", took)
		}
		_, _ = io.ReadAll(in) // it is closed
	})
}
