package mcpserver

import (
	"bufio"
	"context"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestLastAnswers: a client that says all it has and closes its end, as a pipe into
// the bridge does, gets its answers; a call that takes long is ended then.
func TestLastAnswers(t *testing.T) {
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	listed := make(chan Caller, 2)
	s := New(Options{LogDir: t.TempDir(), Listed: func(c Caller) { listed <- c }})
	done := make(chan error, 1)
	go func() {
		conn, err := l.Accept()
		if err == nil {
			err = s.Serve(context.Background(), conn, bufio.NewReader(conn), Caller{Session: "one", Role: "dev", Dir: t.TempDir(), Env: environ()})
		}
		done <- err
	}()
	conn, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	began := time.Now()
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"bash","arguments":{"command":"sleep 600","timeout_seconds":900}}}`,
	} {
		if _, err := io.WriteString(conn, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	if err := conn.(*net.UnixConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	said, err := io.ReadAll(conn)
	if err != nil || !strings.Contains(string(said), `"serverInfo"`) || !strings.Contains(string(said), `"name":"compile"`) {
		t.Errorf("%v, %q", err, said)
	}
	if err := <-done; err != nil || time.Since(began) > patience {
		t.Errorf("Serve ended after %s with %v", time.Since(began), err)
	}
	if c := <-listed; c.Session != "one" || len(listed) != 0 {
		t.Errorf("told that %q listed the tools, and %d more", c.Session, len(listed))
	}
}
