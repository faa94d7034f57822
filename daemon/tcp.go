package daemon

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"ccdir/api"
	"ccdir/config"
	"ccdir/daemon/httpapi"
	"ccdir/internal/disk/atomicfile"
)

const (
	// maxTCP bounds the connections over TCP.
	maxTCP = 128
	// minToken is the least length of a token in its file, in bytes.
	minToken = 32
)

// serveTCP serves the API over TCP, if configured; nil: it is not. A failure is an event
// and does not end the daemon.
func (d *daemon) serveTCP(h http.Handler) *httpServer {
	address := d.config.Load().API.Listen
	if address == "" {
		return nil
	}
	s, err := d.openTCP(address, h)
	if err != nil {
		d.log.Error("the API is not served over TCP", "address", address, "error", err)
		d.note(api.EventConfigError, fmt.Sprintf("api.listen: %v: the API is not served there", err))
		return nil
	}
	return s
}

func (d *daemon) openTCP(address string, h http.Handler) (*httpServer, error) {
	token, err := apiToken(d.o.Paths.APIToken())
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	if !isLoopback(l.Addr()) {
		l.Close()
		return nil, fmt.Errorf("%s is no loopback address", l.Addr())
	}
	listening := l.Addr().String()
	d.tcpAddress.Store(&listening)
	s := newServer(httpapi.OverTCP(h, httpapi.TCP{
		Address: l.Addr(), Token: token, Logger: d.log,
		Origins: func() []string { return d.config.Load().API.Origins },
		Rate:    func() int { return d.config.Load().API.Rate },
		Refused: func(why string) { d.enforcer.Refused("", "tcp", why) },
	}), d.o.UID, d.log)
	s.serveOn(newTCPListener(l, maxTCP, d.log))
	d.log.Info("the API is served over TCP", "address", listening)
	return s, nil
}

func isLoopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// tcpListener accepts connections from this machine, at most as many as it has slots.
// Others are closed at once, with a rate-limited warning in the log.
type tcpListener struct {
	net.Listener
	slots chan struct{}
	log   *slog.Logger
	warn  *rate.Limiter // of the log
}

func newTCPListener(l net.Listener, slots int, log *slog.Logger) *tcpListener {
	return &tcpListener{Listener: l, slots: make(chan struct{}, slots), log: log, warn: rate.NewLimiter(rate.Every(time.Minute), 1)}
}

// Accept returns the next connection.
func (l *tcpListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if isLoopback(c.RemoteAddr()) {
			select {
			case l.slots <- struct{}{}:
				ctx, cancel := context.WithCancel(context.Background())
				context.AfterFunc(ctx, func() { <-l.slots })
				return &slotConn{Conn: c, free: cancel}, nil
			default:
				if l.warn.Allow() {
					l.log.Warn("connections over TCP are refused: too many are open", "address", l.Addr(), "most", cap(l.slots))
				}
			}
		}
		c.Close()
	}
}

// slotConn releases its slot when it is closed, once.
type slotConn struct {
	net.Conn
	free context.CancelFunc
}

// Close closes the connection.
func (c *slotConn) Close() error {
	err := c.Conn.Close()
	c.free()
	return err
}

// apiToken reads the API's token from its file, or makes both. Only the user may have
// access to the file.
func apiToken(path string) (string, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		var random [32]byte
		_, _ = rand.Read(random[:]) // never fails
		token := httpapi.NewToken(random[:])
		return token, atomicfile.Replace(path, []byte(token+"\n"))
	}
	if err != nil {
		return "", fmt.Errorf("the token cannot be read: %w", err)
	}
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular() || info.Mode().Perm()&0o077 != 0:
		return "", fmt.Errorf("the token file %s must be a file of yours alone: chmod 600, or remove it and a new one is made", path)
	}
	token := strings.TrimSpace(string(data))
	if len(token) < minToken || strings.ContainsFunc(token, func(c rune) bool { return c <= ' ' || c > '~' || c == ',' }) {
		return "", fmt.Errorf("the token file %s has no good token (%d characters or more): remove it and a new one is made", path, minToken)
	}
	return token, nil
}

// tcpChanged appends an event that a new listen address needs a restart.
func (d *daemon) tcpChanged(before, after config.Config) {
	if before.API.Listen != after.API.Listen {
		d.note(api.EventConfigError, "api.listen is read at the daemon's start: `ccdir daemon restart`")
	}
}
