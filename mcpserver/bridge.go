package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"ccdir/api"
)

// Preamble is the first line that a bridge sends.
type Preamble struct {
	// Token is the session's token; "" makes the caller a guest.
	Token string `json:"token"`
	// Session is the id that the token must belong to.
	Session string `json:"session"`
	// Dir is the bridge's working directory, which a guest works in.
	Dir string `json:"dir"`
}

const (
	// maxPreamble bounds the preamble, in bytes.
	maxPreamble = 16 << 10
	// preambleTime bounds the wait for the preamble.
	preambleTime = 5 * time.Second
)

// Identify returns the caller of a bridge. The bridge gets its error.
type Identify func(ctx context.Context, pre Preamble) (Caller, error)

// ServeUpgrade answers a request for the bare connection (api.UpgradeMCP): it
// takes the connection over and serves it until the client hangs up or ctx
// ends. The peer's uid is the caller's to check.
func (s *Server) ServeUpgrade(ctx context.Context, w http.ResponseWriter, identify Identify) error {
	conn, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return fmt.Errorf("the connection cannot be taken over: %w", err)
	}
	return s.ServeBridge(ctx, conn, rw.Reader, identify)
}

// ServeBridge reads the preamble, which must arrive within 5 s, calls identify, answers
// with the head of an HTTP response (101, or 403 and an api.Error) and serves the
// connection. r reads from conn.
func (s *Server) ServeBridge(ctx context.Context, conn net.Conn, r io.Reader, identify Identify) error {
	_ = conn.SetDeadline(time.Now().Add(preambleTime))
	in := bufio.NewReaderSize(r, maxPreamble)
	caller, err := preamble(ctx, in, identify)
	if err != nil {
		refuse(conn, err)
		return fmt.Errorf("preamble: %w", err)
	}
	head := "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: " + api.UpgradeMCP + "\r\n\r\n"
	if _, err := io.WriteString(conn, head); err != nil {
		conn.Close()
		return err
	}
	_ = conn.SetDeadline(time.Time{})
	return s.Serve(ctx, conn, in, caller)
}

func preamble(ctx context.Context, r *bufio.Reader, identify Identify) (caller Caller, err error) {
	line, err := r.ReadSlice('\n')
	if err != nil {
		return caller, fmt.Errorf("no line of at most %d bytes came: %w", maxPreamble, err)
	}
	var pre Preamble
	if err := json.Unmarshal(line, &pre); err != nil {
		return caller, errors.New("it is not a JSON object")
	}
	return identify(ctx, pre)
}

// refuse answers with the error and hangs up.
func refuse(conn net.Conn, why error) {
	body, _ := json.Marshal(api.Errorf(api.CodeForbidden, "%s", why.Error())) // cannot fail
	_, _ = fmt.Fprintf(conn, "HTTP/1.1 403 Forbidden\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", len(body), body)
	conn.Close()
}
