package daemon

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"strings"

	"ccdir/api"
	"ccdir/daemon/httpapi/access"
	"ccdir/internal/disk/atomicfile"
)

// minToken is the least length of a token from the file, in bytes.
const minToken = 32

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
	if !access.IsLoopback(l.Addr()) {
		l.Close()
		return nil, fmt.Errorf("%s is no loopback address", l.Addr())
	}
	listening := l.Addr().String()
	d.tcpAddress.Store(&listening)
	s := newServer(access.OverTCP(h, access.TCP{
		Address: l.Addr(), Token: token, Logger: d.log,
		Origins: func() []string { return d.config.Load().API.Origins },
		Rate:    func() int { return d.config.Load().API.Rate },
		Refused: func(why string) { d.enforcer.Refused("", "tcp", why) },
	}), d.o.UID, d.log)
	s.serveOn(access.NewTCPListener(l, d.log))
	d.log.Info("the API is served over TCP", "address", listening)
	return s, nil
}

// apiToken reads the API's token from its file, or makes both. Only the user may have
// access to the file.
func apiToken(path string) (string, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		var random [32]byte
		_, _ = rand.Read(random[:]) // never fails
		token := access.NewToken(random[:])
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
