package mcpserver

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
)

// TestValues: a message of many small values is refused and leaves the connection as it
// was; a long text is one value, whatever is in it.
func TestValues(t *testing.T) {
	c := connect(t, New(Options{LogDir: t.TempDir()}), Caller{Session: "s", Role: "dev", Dir: t.TempDir(), Env: environ()})
	many := "[" + strings.Repeat("0,", maxValues) + "0]"
	if a := c.request("ping", `{"x":`+many+`}`); a.Error == nil || a.Error.Message != tooManyValues {
		t.Errorf("many values: %+v", a)
	}
	c.send(`{"jsonrpc":"2.0","method":"notifications/x","params":` + many + `}`)
	if a := c.request("ping", `{"x":"`+strings.Repeat(`[{,\"\\`, maxValues)+`"}`); a.Error != nil {
		t.Errorf("a long text: %+v", a.Error)
	}
}

// TestUnderWay: what a session sends is bounded over all of its connections, that of
// another one is not touched by it, and what was answered or given up counts no more.
func TestUnderWay(t *testing.T) {
	s := New(Options{LogDir: t.TempDir()})
	const most = 4
	part := strings.Repeat(" ", 100_000)
	s.guests.most = most*len(part) + 10_000
	dir := t.TempDir()
	open := func(session string) (conn net.Conn, ended <-chan error) {
		here, there := net.Pipe()
		done := make(chan error, 1)
		go func() {
			done <- s.Serve(context.Background(), there, bufio.NewReader(there), Caller{Session: session, Role: "dev", Dir: dir})
		}()
		t.Cleanup(func() { here.Close() })
		return here, done
	}
	var held []net.Conn
	var ends []<-chan error
	for range most {
		conn, ended := open("one")
		if _, err := io.WriteString(conn, part); err != nil { // never ended
			t.Fatal(err)
		}
		held, ends = append(held, conn), append(ends, ended)
	}
	conn, ended := open("one")
	_, _ = io.WriteString(conn, part) // it is ended meanwhile
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "under way") {
		t.Errorf("one more: %v", err)
	}
	for _, session := range []string{"two", ""} {
		c := serve(t, s, Caller{Session: session, Role: "dev", Dir: dir})
		c.initialize()
		if a := c.request("ping", `{"x":"`+part+`"}`); a.Error != nil {
			t.Errorf("session %q: %+v", session, a.Error)
		}
	}
	for i, conn := range held {
		conn.Close()
		if err := <-ends[i]; err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Error(err)
		}
	}
	c := serve(t, s, Caller{Session: "one", Role: "dev", Dir: dir})
	c.initialize()
	for range most + 1 { // each is answered before the next
		if a := c.request("ping", `{"x":"`+part+`"}`); a.Error != nil {
			t.Fatalf("%+v", a.Error)
		}
	}
}
