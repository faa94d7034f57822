package access

import (
	"log/slog"
	"net"

	"ccdir/internal/proc"
)

// Listener accepts connections from processes of one user only. The socket's mode does
// that too; Listener also holds if the mode was changed, and against root.
type Listener struct {
	net.Listener
	UID    int
	Logger *slog.Logger
	// Refused is called for each connection that was refused; may be nil.
	Refused func(uid int)
}

// Accept returns the next connection of the user.
func (l Listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if unix, ok := c.(*net.UnixConn); ok {
			uid, err := proc.PeerUID(unix)
			if err == nil && uid == l.UID {
				return c, nil
			}
			l.Logger.Warn("a connection of another user was refused", "uid", uid, "error", err)
			if l.Refused != nil {
				l.Refused(uid)
			}
		}
		c.Close()
	}
}
