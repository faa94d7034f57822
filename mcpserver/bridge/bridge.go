// Package bridge connects an agent's MCP client on standard input and output to the daemon's
// MCP server: `ccdir-shim mcp`.
//
// It asks the daemon's socket for the bare connection (api.MCPPath), sends one preamble
// line that identifies the session, then copies bytes both ways without reading them. It
// ends when either side does: an agent starts a new bridge for its next call, so it need
// not reconnect. It speaks HTTP by hand, because the start of net/http takes longer than
// the bridge may.
package bridge

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	"ccdir/api"
	"ccdir/internal/disk/paths"
	"ccdir/internal/proc"
)

const (
	// dialTime bounds the wait for a daemon that hangs.
	dialTime = 5 * time.Second
	// lastTime is how long the daemon may take to hang up after the end of input;
	// longer than it lets the last calls run.
	lastTime = 5 * time.Second
	// maxAnswer bounds the head and the error of the daemon's answer, in bytes.
	maxAnswer = 16 << 10
)

// preamble is mcpserver.Preamble as JSON.
type preamble struct {
	Token   string `json:"token"`
	Session string `json:"session"`
	Dir     string `json:"dir"`
}

// Main runs the bridge and returns the exit code: 0 when a side hung up, 1 with a line
// on stderr when there is no daemon or it refuses. Without CCDIR_SOCKET in the
// environment it calls the user's daemon.
func Main(stdin io.Reader, stdout, stderr io.Writer, environ []string) int {
	env := map[string]string{}
	for _, kv := range environ {
		if k, v, ok := strings.Cut(kv, "="); ok {
			env[k] = v
		}
	}
	dir, err := os.Getwd()
	socket := env[api.EnvSocket]
	if err == nil && socket == "" {
		var p paths.Paths
		if p, err = paths.New(func(k string) string { return env[k] }, os.Getuid()); err == nil {
			socket = p.Socket()
		}
	}
	if err == nil {
		err = run(stdin, stdout, socket, preamble{env[api.EnvToken], env[api.EnvSession], dir})
	}
	if err != nil {
		fmt.Fprintf(stderr, "ccdir-shim mcp: %v\n", err)
		return 1
	}
	return 0
}

func run(stdin io.Reader, stdout io.Writer, socket string, pre preamble) error {
	conn, err := net.DialTimeout("unix", socket, dialTime)
	if err != nil {
		return fmt.Errorf("no daemon: %w; start it with ccdir daemon start", err)
	}
	defer conn.Close()
	if c, ok := conn.(syscall.Conn); ok {
		if err := proc.CheckDialled(c, os.Getuid()); err != nil {
			return err
		}
	}
	line, err := json.Marshal(pre)
	if err != nil {
		return err
	}
	head := "GET " + api.MCPPath + " HTTP/1.1\r\nHost: ccdir\r\nConnection: Upgrade\r\nUpgrade: " + api.UpgradeMCP + "\r\n\r\n"
	_ = conn.SetDeadline(time.Now().Add(dialTime))
	if _, err := conn.Write(append([]byte(head), append(line, '\n')...)); err != nil {
		return fmt.Errorf("daemon: %w", err)
	}
	r := bufio.NewReaderSize(conn, maxAnswer)
	if err := accepted(r); err != nil {
		return err
	}
	_ = conn.SetDeadline(time.Time{})
	// The agent closes standard input to end the bridge. Requests in flight are still
	// answered: the daemon sees the half-closed connection and hangs up. A read of
	// standard input cannot be interrupted, so that goroutine ends with the process.
	ended := make(chan error, 2)
	go func() {
		err := copyLines(conn, stdin)
		half, ok := conn.(*net.UnixConn)
		if !ok || err != nil || half.CloseWrite() != nil {
			ended <- err
			return
		}
		_ = conn.SetReadDeadline(time.Now().Add(lastTime))
	}()
	go func() { _, err := io.Copy(stdout, r); ended <- err }()
	if err := <-ended; err != nil && !errors.Is(err, net.ErrClosed) && !errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("connection: %w", err)
	}
	return nil
}

// copyLines copies r to w until EOF. A last message without a newline, as from `printf
// … | ccdir mcp`, gets one: the daemon reads lines.
func copyLines(w io.Writer, r io.Reader) error {
	last := lastByte{w: w, b: '\n'}
	if _, err := io.Copy(&last, r); err != nil || last.b == '\n' {
		return err
	}
	_, err := w.Write([]byte{'\n'})
	return err
}

// lastByte remembers the last byte written through it.
type lastByte struct {
	w io.Writer
	b byte
}

func (l *lastByte) Write(p []byte) (int, error) {
	n, err := l.w.Write(p)
	if n > 0 {
		l.b = p[n-1]
	}
	return n, err
}

// accepted reads the head of the daemon's answer, and the reason if it refuses.
func accepted(r *bufio.Reader) error {
	status, err := r.ReadSlice('\n')
	if err != nil {
		return fmt.Errorf("the daemon does not answer: %w", err)
	}
	code, _, _ := strings.Cut(strings.TrimPrefix(string(status), "HTTP/1.1 "), " ")
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return fmt.Errorf("the daemon does not answer: %w", err)
		}
		if strings.TrimRight(string(line), "\r\n") == "" {
			break
		}
	}
	if code == "101" {
		return nil
	}
	body, _ := io.ReadAll(io.LimitReader(r, maxAnswer))
	var why api.Error
	if json.Unmarshal(body, &why) == nil && why.Message != "" {
		return &why
	}
	return fmt.Errorf("the daemon answers with status %.10q: it may be of another version; run ccdir daemon restart", code)
}
