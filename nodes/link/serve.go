package link

import (
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"time"

	"ccdir/internal/proc"
	"ccdir/wire/ancestry"
)

// maxRequest bounds a client's line, in bytes.
const maxRequest = 16 << 10

// accept serves clients until the listener closes.
func (k *link) accept(l *net.UnixListener) {
	for {
		conn, err := l.AcceptUnix()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(10 * time.Millisecond) // probably out of descriptors
			continue
		}
		pid, pidErr := proc.PeerPID(conn) // while it is fresh
		k.wg.Go(func() { k.client(conn, pid, pidErr) })
	}
}

// client serves one client.
func (k *link) client(conn *net.UnixConn, pid int, pidErr error) {
	k.come(1)
	joined := false
	defer func() {
		if !joined {
			conn.Close()
			k.come(-1)
		}
	}()
	stop := context.AfterFunc(k.ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	_ = conn.SetReadDeadline(time.Now().Add(5 * time.Second))
	if uid, err := proc.PeerUID(conn); err != nil || uid != k.UID || pidErr != nil {
		return
	}
	var r Request
	if err := readLine(conn, maxRequest, &r); err != nil {
		return
	}
	if _, inside := ancestry.Inside(pid, filepath.Dir(k.Paths.SessionDir("x"))); inside {
		_ = writeLine(conn, Status{Node: k.Node.Name, State: StateOffline, PID: k.status.PID,
			Reason: "this process runs inside a session of ccdir, which may not act on other machines"})
		return
	}
	_ = conn.SetReadDeadline(time.Time{})
	switch {
	case r.Down:
		k.change(func(s *Status) { s.State, s.Reason = StateOffline, "the link was taken down" })
		_ = writeLine(conn, k.now())
		k.cancel()
	case r.Ask != "":
		k.asked(conn, r.Ask)
	case r.Open != "":
		joined = k.open(conn, r)
	case r.Answer, r.Install != nil:
		k.answers(conn, r)
	case r.Watch:
		if r.Again {
			wake(k.again)
		}
		k.watch(conn)
	case r.Ready:
		ctx, stop := hangUp(conn)
		_, s := k.reach(ctx, r.Soon)
		stop()
		s.Question = nil
		_ = writeLine(conn, s)
	default:
		if r.Again {
			wake(k.again)
		}
		_ = writeLine(conn, k.now())
	}
}

// come counts clients; the last one that goes starts the time after which the link ends.
func (k *link) come(n int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.clients += n; k.clients == 0 {
		k.idle.Reset(idleTime)
	} else {
		k.idle.Stop()
	}
}

func (k *link) now() Status {
	k.mu.Lock()
	defer k.mu.Unlock()
	s := k.status
	s.Question = nil
	return s
}

// open joins a client with a socket of the node; false: it was told why not.
func (k *link) open(conn *net.UnixConn, r Request) bool {
	k.mu.Lock()
	m, s := k.mux, k.status
	k.mu.Unlock()
	if m == nil {
		ctx, stop := hangUp(conn)
		m, s = k.reach(ctx, r.Soon)
		stop()
	}
	s.Question, s.Opened = nil, m != nil
	if m == nil {
		_ = writeLine(conn, s)
		return false
	}
	if err := writeLine(conn, s); err != nil {
		return false
	}
	_ = m.Open(r.Open, &counted{UnixConn: conn, gone: func() { k.come(-1) }}) // it closes conn if it fails
	return true
}

// counted tells when a joined connection is closed, once.
type counted struct {
	*net.UnixConn
	gone func()
}

func (c *counted) Close() error {
	err := c.UnixConn.Close()
	if err == nil {
		c.gone()
	}
	return err
}

// watch sends the status whenever it changes.
func (k *link) watch(conn *net.UnixConn) {
	changed, leave := k.watcher()
	defer leave()
	ctx, stop := hangUp(conn)
	defer stop()
	for {
		if writeLine(conn, k.now()) != nil {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		case <-k.ctx.Done():
			return
		}
	}
}

// watcher registers for changes of the status.
func (k *link) watcher() (changed chan struct{}, leave func()) {
	changed = make(chan struct{}, 1)
	k.mu.Lock()
	k.watchers[changed] = true
	k.mu.Unlock()
	return changed, func() {
		k.mu.Lock()
		delete(k.watchers, changed)
		k.mu.Unlock()
	}
}

// hangUp returns a context that ends when the client, which has to be silent, hangs up. stop
// ends the watch and lets the connection be read again.
func hangUp(conn net.Conn) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(io.Discard, conn)
		cancel()
	}()
	return ctx, func() {
		_ = conn.SetReadDeadline(time.Unix(1, 0))
		<-done
		_ = conn.SetReadDeadline(time.Time{})
	}
}
