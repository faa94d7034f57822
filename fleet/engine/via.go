package engine

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ccdir/internal/contain"
)

// viaTimeout is how long ssh has to connect and the server to greet.
const viaTimeout = 30 * time.Second

// via reaches the server through a host that ssh reaches: the server's address is one of that host's.
type via struct{ argv []string }

// newVia reads ssh://[USER@]HOST[:PORT].
func newVia(text string) (via, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "ssh" || u.Hostname() == "" || u.Path != "" || u.RawQuery != "" || strings.HasPrefix(u.Hostname(), "-") {
		return via{}, fmt.Errorf("%.80q is no way by ssh: ssh://[USER@]HOST[:PORT]", text)
	}
	argv := []string{"ssh", "-T", "-a", "-x", "-o", "PermitLocalCommand=no", "-o", "ControlMaster=no", "-o", "RemoteCommand=none",
		"-o", "ConnectTimeout=15", "-o", "ServerAliveInterval=15"}
	if port := u.Port(); port != "" {
		argv = append(argv, "-p", port)
	}
	target := u.Hostname()
	if user := u.User.Username(); user != "" {
		target = user + "@" + target
	}
	return via{argv: append(argv, "--", target)}, nil
}

// CheckVia fails for what is no way by ssh.
func CheckVia(text string) error {
	_, err := newVia(text)
	return err
}

// Dial starts ssh, which connects to address (nats.CustomDialer). It returns before ssh is connected: that it
// cannot is the error of the first read.
func (v via) Dial(_, address string) (net.Conn, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, err
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "ssh"), os.NewFile(uintptr(pair[1]), "ssh")
	unix.CloseOnExec(pair[0])
	unix.CloseOnExec(pair[1])
	defer func() { _ = theirs.Close() }()
	inner, err := net.FileConn(ours)
	_ = ours.Close() // inner has a copy
	if err != nil {
		return nil, err
	}
	c := &viaConn{Conn: inner, ended: make(chan struct{})}
	argv := append([]string{v.argv[0], "-W", address}, v.argv[1:]...)
	c.ssh = exec.Command(argv[0], argv[1:]...) //nolint:gosec // of the person's own words
	c.ssh.Stdin, c.ssh.Stdout, c.ssh.Stderr = theirs, theirs, &c.said
	if err := c.ssh.Start(); err != nil {
		_ = inner.Close()
		return nil, err
	}
	contain.Go(nil, func() {
		defer close(c.ended)
		_ = c.ssh.Wait() // what it said tells more
	})
	return c, nil
}

// viaConn is a connection that ssh carries. Close ends ssh and waits for it.
type viaConn struct {
	net.Conn
	ssh   *exec.Cmd
	ended chan struct{}
	said  tail
}

// Read reads; the end of ssh is an error with its last words.
func (c *viaConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if errors.Is(err, io.EOF) {
		<-c.ended
		if words := c.said.last(); words != "" {
			err = errors.New("ssh: " + words)
		}
	}
	return n, err
}

// Close ends the connection.
func (c *viaConn) Close() error {
	err := c.Conn.Close()
	_ = c.ssh.Process.Kill() // it may have ended
	<-c.ended
	return err
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	data []byte
}

const tailSize = 1024

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, p...)
	t.data = t.data[max(0, len(t.data)-tailSize):]
	return len(p), nil
}

// last is the last line.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := bytes.Split(bytes.TrimSpace(t.data), []byte("\n"))
	return strings.TrimSpace(string(lines[len(lines)-1]))
}
