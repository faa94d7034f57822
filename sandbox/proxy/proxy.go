// Package proxy is the one way out of a network that walls have closed: it runs outside of them and
// lets connections through to the hosts of a list. A walled process hands over sockets on which it
// listens within its own network (Offer); who connects there is answered here.
//
// Contract: a name is resolved here and the address that was checked is the one that is dialled; what
// a host that is let through passes on to others is not seen. It speaks CONNECT, and plain HTTP by
// absolute addresses. Everything that a walled process sends is bounded in size, number and time.
package proxy

import (
	"bufio"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"ccdir/sandbox"
)

// Bounds.
const (
	headTime  = 30 * time.Second // until a request's head is complete
	dialTime  = 20 * time.Second
	maxOffers = 64  // sockets that walled processes hold open here
	maxConns  = 256 // connections at a time
	lineSpace = 16 << 10
)

// Options configure a Proxy.
type Options struct {
	// Hosts returns the list as it is now (sandbox.Plan.Hosts). Required.
	Hosts func() []string
	// Refused is told a host, with its port, that the list does not have, and how often since it was told
	// last: at most once a minute of each, and of at most 64 by their names. It must not block.
	Refused func(host string, count int)
	// Env is the environment of the session: its HTTPS_PROXY and NO_PROXY are the way of this
	// machine itself to others.
	Env []string
	// Lookup resolves names; nil is the system's resolver.
	Lookup func(ctx context.Context, name string) ([]netip.Addr, error)
}

// Proxy lets connections through. Its methods may be called at any time.
type Proxy struct {
	o        Options
	upstream upstream
	slots    chan struct{} // one for each connection
	tally    tally
	ctx      context.Context
	cancel   context.CancelFunc
	wg       sync.WaitGroup

	mu     sync.Mutex
	open   map[io.Closer]bool // what Close closes
	offers int
	closed bool
}

// New makes one; Close ends it.
func New(o Options) *Proxy {
	if o.Lookup == nil {
		o.Lookup = func(ctx context.Context, name string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", name)
		}
	}
	p := &Proxy{o: o, upstream: upstreamOf(o.Env), slots: make(chan struct{}, maxConns), open: map[io.Closer]bool{}}
	p.tally.report = o.Refused
	p.ctx, p.cancel = context.WithCancel(context.Background())
	return p
}

// Close ends all connections, and waits for what serves them.
func (p *Proxy) Close() {
	p.mu.Lock()
	p.closed = true
	for c := range p.open {
		_ = c.Close()
	}
	p.mu.Unlock()
	p.cancel()
	p.wg.Wait()
	p.tally.flush()
}

// hold has Close close c; false, and c is closed, if that has begun.
func (p *Proxy) hold(c io.Closer) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		_ = c.Close()
		return false
	}
	p.open[c] = true
	return true
}

func (p *Proxy) drop(c io.Closer) {
	p.mu.Lock()
	delete(p.open, c)
	p.mu.Unlock()
	_ = c.Close()
}

// Serve answers those who connect to l, until it or p is closed. forward is the port of this
// machine to which they are joined, 0 for those who say by HTTP where to; those must name password, unless
// it is "".
func (p *Proxy) Serve(l net.Listener, forward int, password string) {
	if !p.hold(l) {
		return
	}
	defer p.drop(l)
	for {
		c, err := l.Accept()
		if err != nil {
			var temporary interface{ Temporary() bool }
			if errors.As(err, &temporary) && temporary.Temporary() && p.ctx.Err() == nil {
				time.Sleep(acceptPause)
				continue
			}
			return
		}
		select {
		case p.slots <- struct{}{}:
		default:
			_ = c.Close()
			continue
		}
		p.wg.Go(func() {
			defer func() { <-p.slots }()
			defer func() { _ = recover() }() // a fault in what is foreign must not end the host, and its agent
			if !p.hold(c) {
				return
			}
			defer p.drop(c)
			if forward != 0 {
				p.forward(c, forward)
			} else {
				p.answer(c, password)
			}
		})
	}
}

// acceptPause is the rest after an error that will pass: no file descriptor was free.
const acceptPause = 50 * time.Millisecond

// forward joins a connection to a port of this machine.
func (p *Proxy) forward(c net.Conn, port int) {
	ctx, cancel := context.WithTimeout(p.ctx, dialTime)
	defer cancel()
	if let, _ := sandbox.Let(p.o.Hosts(), "localhost", port); !let {
		p.tally.add("localhost:" + strconv.Itoa(port))
		return
	}
	if to, err := (&net.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort("localhost", strconv.Itoa(port))); err == nil {
		p.join(c, c, to)
	}
}

// answer reads one request and does what it says.
func (p *Proxy) answer(c net.Conn, password string) {
	_ = c.SetReadDeadline(time.Now().Add(headTime))
	r := bufio.NewReaderSize(c, 4<<10)
	h, err := readHead(r)
	if err != nil {
		refuse(c, 400, err.Error())
		return
	}
	_ = c.SetReadDeadline(time.Time{})
	if password != "" && subtle.ConstantTimeCompare([]byte(h.password), []byte(password)) != 1 {
		refuse(c, 407, "this proxy is that of one session")
		return
	}
	to, err := p.dial(h.host, h.port)
	var refused refusedError
	switch {
	case errors.As(err, &refused):
		p.tally.add(net.JoinHostPort(h.host, strconv.Itoa(h.port)))
		refuse(c, 403, err.Error())
		return
	case err != nil:
		refuse(c, 502, err.Error())
		return
	}
	if h.connect {
		_, err = io.WriteString(c, "HTTP/1.1 200 Connection established\r\n\r\n")
	} else {
		_, err = io.WriteString(to, h.forOrigin)
	}
	if err != nil {
		_ = to.Close()
		return
	}
	p.join(c, r, to)
}

// refusedError is why a host is not let through.
type refusedError struct{ message string }

func (e refusedError) Error() string { return e.message }

// dial connects with a host if the list has it.
func (p *Proxy) dial(host string, port int) (net.Conn, error) {
	let, byName := sandbox.Let(p.o.Hosts(), host, port)
	at := net.JoinHostPort(host, strconv.Itoa(port))
	if !let {
		return nil, refusedError{"the session's sandbox does not let " + at + " through: the person can allow it with `ccdir sandbox allow SESSION " + at + "`"}
	}
	ctx, cancel := context.WithTimeout(p.ctx, dialTime)
	defer cancel()
	if p.upstream.serves(host) {
		return p.upstream.dial(ctx, at)
	}
	if sandbox.Loopback(host) {
		return (&net.Dialer{}).DialContext(ctx, "tcp", at)
	}
	addrs, err := p.o.Lookup(ctx, host)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be resolved: %w", host, err)
	}
	err = refusedError{"the session's sandbox does not let " + at + " through: its name leads to this machine or its neighbours"}
	for _, a := range addrs {
		if a.String() != host && sandbox.Reserved(a, byName) {
			continue
		}
		var c net.Conn
		if c, err = (&net.Dialer{}).DialContext(ctx, "tcp", netip.AddrPortFrom(a.Unmap(), uint16(port)).String()); err == nil {
			return c, nil
		}
	}
	return nil, err
}

// join passes bytes both ways until both ends are through, or one has failed. from is c, with what was read of it
// already.
func (p *Proxy) join(c net.Conn, from io.Reader, to net.Conn) {
	if !p.hold(to) {
		return
	}
	defer p.drop(to)
	back := make(chan struct{})
	p.wg.Go(func() {
		defer close(back)
		pass(c, to)
	})
	if r, ok := from.(*bufio.Reader); ok {
		if n := r.Buffered(); n > 0 {
			rest, _ := r.Peek(n)
			if _, err := to.Write(rest); err != nil {
				_ = to.Close()
			}
		}
	}
	pass(to, c)
	<-back
}

// pass copies to the end, and ends the writing there; an error ends both.
func pass(to, from net.Conn) {
	if _, err := io.Copy(to, from); err != nil {
		_, _ = to.Close(), from.Close()
		return
	}
	if half, ok := to.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
}

// refuse answers with a reason, which clients show.
func refuse(c net.Conn, status int, reason string) {
	_ = c.SetWriteDeadline(time.Now().Add(headTime))
	words := map[int]string{400: "Bad Request", 403: "Forbidden by the sandbox", 407: "Proxy Authentication Required", 502: "Bad Gateway"}
	_, _ = fmt.Fprintf(c, "HTTP/1.1 %d %s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s\n", status, words[status], len(reason)+1, reason)
}
