package proxy

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"ccdir/sandbox"

	"golang.org/x/sys/unix"
)

// Offer is what a walled process asks of the proxy: its sockets come with it, in the order of
// Ports.
type Offer struct {
	// Ports are those of this machine to which the sockets lead; 0 is the proxy itself.
	Ports []int `json:"ports"`
	// Password is what users of the proxy must name, "" for none.
	Password string `json:"password,omitempty"`
	// Keep: the sockets are served as long as the proxy is there; otherwise as long as somebody has
	// the other end of the connection open.
	Keep bool `json:"keep,omitempty"`
}

// Bounds of an offer.
const (
	maxOffer     = 4 << 10
	maxListeners = 32
	offerTime    = 10 * time.Second
)

// Send makes an offer by a connection to a proxy. It does not close the sockets.
func (o Offer) Send(connection int, sockets []int) error {
	data, err := json.Marshal(o)
	if err == nil {
		err = unix.Sendmsg(connection, data, unix.UnixRights(sockets...), nil, 0)
	}
	if err != nil {
		return fmt.Errorf("the way to the network cannot be made: %w", err)
	}
	return nil
}

// Listen takes offers on a socket at path, which only the user may reach. The socket is made by
// a short name, since a path in it is bounded to some 100 bytes.
func (p *Proxy) Listen(path string) error {
	var l *net.UnixListener
	err := byShortName(path, func(short string) (err error) {
		_ = os.Remove(path)
		l, err = net.ListenUnix("unix", &net.UnixAddr{Name: short, Net: "unix"})
		return err
	})
	if err != nil {
		return fmt.Errorf("the way to the network cannot be made: %w", err)
	}
	l.SetUnlinkOnClose(false) // the name is not there any more
	if !p.hold(l) {
		return net.ErrClosed
	}
	p.wg.Go(func() {
		defer p.drop(l)
		for {
			c, err := l.AcceptUnix()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err != nil {
				time.Sleep(acceptPause)
				continue
			}
			p.wg.Go(func() { p.take(c) })
		}
	})
	return nil
}

// Dial connects with the socket of a proxy at path. The file may be passed on to a child.
func Dial(path string) (f *os.File, err error) {
	err = byShortName(path, func(short string) error {
		c, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: short, Net: "unix"})
		if err != nil {
			return err
		}
		defer c.Close()
		f, err = c.File()
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("the way to the network is not there (restart the session): %w", err)
	}
	return f, nil
}

// byShortName calls do with a name of path that is short.
func byShortName(path string, do func(short string) error) error {
	if len(path) < 100 {
		return do(path)
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer dir.Close()
	return do(fmt.Sprintf("/proc/self/fd/%d/%s", dir.Fd(), filepath.Base(path)))
}

// take reads one offer from c and serves it; it returns at the end of that.
func (p *Proxy) take(c *net.UnixConn) {
	if !p.hold(c) {
		return
	}
	defer p.drop(c)
	p.mu.Lock()
	full := p.offers >= maxOffers
	p.offers++
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		p.offers--
		p.mu.Unlock()
	}()
	if full {
		return
	}
	_ = c.SetReadDeadline(time.Now().Add(offerTime))
	o, listeners := receive(c)
	if len(listeners) == 0 {
		return
	}
	if o.Keep {
		defer func() { <-p.ctx.Done() }()
	}
	for i, l := range listeners {
		p.wg.Go(func() { p.Serve(l, o.Ports[i], o.Password) })
		if !o.Keep {
			defer l.Close()
		}
	}
	_ = c.SetReadDeadline(time.Time{})
	for buf := make([]byte, 64); ; { // nothing more is meant, and descriptors that come are not taken
		if _, err := c.Read(buf); err != nil {
			return
		}
	}
}

// decodeOffer reads an offer of so many sockets.
func decodeOffer(data []byte, sockets int) (o Offer, ok bool) {
	ok = json.Unmarshal(data, &o) == nil && len(o.Ports) == sockets && len(o.Password) <= maxOffer
	for _, port := range o.Ports {
		ok = ok && port >= 0 && port <= 65535
	}
	return o, ok
}

// receive reads an offer with its sockets; none if it is not whole.
func receive(c *net.UnixConn) (o Offer, listeners []net.Listener) {
	buf, rights := make([]byte, maxOffer), make([]byte, unix.CmsgSpace(4*maxListeners))
	n, nr, _, _, err := c.ReadMsgUnix(buf, rights)
	if err != nil {
		return o, nil
	}
	var files []*os.File
	messages, _ := unix.ParseSocketControlMessage(rights[:nr])
	for _, m := range messages {
		fds, _ := unix.ParseUnixRights(&m)
		for _, fd := range fds {
			files = append(files, os.NewFile(uintptr(fd), "offered"+strconv.Itoa(fd)))
		}
	}
	o, whole := decodeOffer(buf[:n], len(files))
	for _, f := range files {
		if whole {
			if l, err := net.FileListener(f); err == nil {
				if _, ok := l.(*net.TCPListener); ok {
					listeners = append(listeners, l)
				} else {
					_ = l.Close()
				}
			}
		}
		_ = f.Close()
	}
	if !whole || len(listeners) != len(o.Ports) {
		for _, l := range listeners {
			_ = l.Close()
		}
		return o, nil
	}
	return o, listeners
}

// Hosts is a source of Options.Hosts: the list in the file of a plan, read again by each call, so that what
// a person allows holds at once. A file that cannot be read has none.
func Hosts(file string) func() []string {
	return func() []string {
		data, err := os.ReadFile(file)
		var p sandbox.Plan
		if err != nil || json.Unmarshal(data, &p) != nil {
			return nil
		}
		return p.Hosts
	}
}
