package wire

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"ccdir/internal/proc"
	"ccdir/internal/tune/rawio"
)

// Conn carries messages over one stream connection. Send may be called by
// several goroutines at a time, Receive by one. Close unblocks both.
type Conn struct {
	nc net.Conn

	// Owned by the goroutine that calls Receive.
	in    []byte // read from nc, consumed up to inPos
	inPos int
	frame Frame
	input Input

	// mu guards the fields for writing.
	mu           sync.Mutex
	out          []byte
	writeTimeout time.Duration
}

const (
	headerLen   = 5       // length and kind
	readChunk   = 4 << 10 // least room for a read
	keepBuffers = 256 << 10
)

// Errors after which a connection is unusable.
var (
	ErrTooLarge  = errors.New("message larger than the protocol's limit")
	ErrMalformed = errors.New("malformed message")
)

// NewConn returns a connection over nc, which it owns from now on, without a write timeout.
func NewConn(nc net.Conn) *Conn { return &Conn{nc: nc} }

// SetWriteTimeout bounds each Send; 0: no bound. A Send that times out may have written a
// part of its message: the connection must be closed then.
func (c *Conn) SetWriteTimeout(d time.Duration) {
	c.mu.Lock()
	c.writeTimeout = d
	c.mu.Unlock()
}

// SetReadDeadline bounds the Receive calls from now on; zero: no bound.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.nc.SetReadDeadline(t) }

// Close closes the connection below.
func (c *Conn) Close() error { return c.nc.Close() }

// Send writes one message. After an error the connection is unusable and must be closed.
func (c *Conn) Send(m Message) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var err error
	if c.out, err = AppendMessage(c.out[:0], m); err != nil {
		return err
	}
	return c.flush()
}

// SendEncoded writes messages that AppendMessage encoded, in one write.
func (c *Conn) SendEncoded(b []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.write(b)
}

// flush writes c.out in one call. c.mu is held.
func (c *Conn) flush() error {
	err := c.write(c.out)
	if cap(c.out) > keepBuffers {
		c.out = nil
	}
	return err
}

// tryWriter is a connection that can write without blocking as much as fits.
type tryWriter interface{ TryWrite(p []byte) int }

// write writes b under the deadline, and clears it: its timer would wake an idle process
// later. What can be written without blocking needs no deadline.
func (c *Conn) write(b []byte) error {
	if t, ok := c.nc.(tryWriter); ok {
		if b = b[t.TryWrite(b):]; len(b) == 0 {
			return nil
		}
	}
	if c.writeTimeout > 0 {
		if err := c.nc.SetWriteDeadline(time.Now().Add(c.writeTimeout)); err != nil {
			return err
		}
	}
	_, err := c.nc.Write(b)
	if c.writeTimeout > 0 && err == nil {
		err = c.nc.SetWriteDeadline(time.Time{})
	}
	return err
}

// ReceiveRaw returns the next message undecoded. The body is valid until the
// next call. At the end of the stream between two messages the error is io.EOF.
func (c *Conn) ReceiveRaw() (Kind, []byte, error) {
	if err := c.fill(headerLen); err != nil {
		return 0, nil, err
	}
	n := int(binary.LittleEndian.Uint32(c.in[c.inPos:]))
	if n < 1 {
		return 0, nil, ErrMalformed
	}
	if n > MaxMessage {
		return 0, nil, ErrTooLarge
	}
	if err := c.fill(4 + n); err != nil {
		return 0, nil, noEOF(err)
	}
	kind := Kind(c.in[c.inPos+4])
	body := c.in[c.inPos+headerLen : c.inPos+4+n]
	c.inPos += 4 + n
	return kind, body, nil
}

// Receive returns the next message whose kind this build knows; others are
// skipped. The message is a pointer to one of the types of this package; a
// *Frame or *Input and what it points to is valid until the next call, the
// others are the caller's. At the end of the stream between two messages the
// error is io.EOF.
func (c *Conn) Receive() (Message, error) {
	for {
		kind, body, err := c.ReceiveRaw()
		if err != nil {
			return nil, err
		}
		switch kind {
		case KindFrame:
			return &c.frame, c.frame.decode(body)
		case KindInput:
			return &c.input, c.input.decode(body)
		}
		m := newMessage(kind)
		if m == nil {
			continue
		}
		if err := json.Unmarshal(body, m); err != nil {
			return nil, fmt.Errorf("%w: %v", ErrMalformed, err)
		}
		return m, nil
	}
}

// Ready reports whether Receive would return without blocking. Only the receiving goroutine
// may call it.
func (c *Conn) Ready() bool {
	have := c.in[c.inPos:]
	return len(have) >= headerLen && len(have)-4 >= int(binary.LittleEndian.Uint32(have))
}

// fill reads until the buffer holds n unconsumed bytes. It grows with what arrives, not
// with what a header claims.
func (c *Conn) fill(n int) error {
	for len(c.in)-c.inPos < n {
		if c.inPos == len(c.in) {
			c.in, c.inPos = c.in[:0], 0
			if cap(c.in) > keepBuffers && n <= readChunk {
				c.in = nil
			}
		}
		if cap(c.in)-len(c.in) < readChunk {
			have := len(c.in) - c.inPos
			if c.inPos > 0 && have+readChunk <= cap(c.in) {
				copy(c.in, c.in[c.inPos:])
				c.in = c.in[:have]
			} else {
				grown := make([]byte, have, max(2*have, 2*readChunk))
				copy(grown, c.in[c.inPos:])
				c.in = grown
			}
			c.inPos = 0
		}
		m, err := c.nc.Read(c.in[len(c.in):cap(c.in)])
		c.in = c.in[:len(c.in)+m]
		if err != nil {
			if len(c.in)-c.inPos >= n {
				return nil
			}
			if err == io.EOF && len(c.in) > c.inPos {
				return io.ErrUnexpectedEOF
			}
			return err
		}
	}
	return nil
}

func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// AppendMessage appends m, framed, to dst; on an error it returns dst unchanged.
func AppendMessage(dst []byte, m Message) ([]byte, error) {
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0, byte(m.Kind()))
	switch m := m.(type) {
	case *Frame:
		dst = m.append(dst)
	case *Input:
		dst = m.append(dst)
	default:
		b, err := json.Marshal(m)
		if err != nil {
			return dst[:start], err
		}
		dst = append(dst, b...)
	}
	n := len(dst) - start - 4
	if n > MaxMessage {
		return dst[:start], ErrTooLarge
	}
	binary.LittleEndian.PutUint32(dst[start:], uint32(n))
	return dst, nil
}

// dialTimeout bounds connecting and the exchange of Hello and Welcome if the context has no
// earlier deadline.
const dialTimeout = 5 * time.Second

// greetTimeout is dialTimeout for Greet: the line may be slow.
const greetTimeout = 20 * time.Second

// Dial connects to a host's socket and exchanges Hello and Welcome. Zero protocol numbers
// in hello stand for this build's range. A refusal is an *Error. The messages in follow are
// sent together with the Hello, without waiting for the Welcome.
func Dial(ctx context.Context, socket string, hello Hello, follow ...Message) (*Conn, Welcome, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	raw, err := rawio.Dial(ctx, socket)
	if err != nil {
		return nil, Welcome{}, err
	}
	c := NewConn(raw)
	var refused error
	if err := raw.Control(func(fd uintptr) { refused = proc.CheckListener(fd, os.Getuid()) }); err != nil || refused != nil {
		c.Close()
		return nil, Welcome{}, errors.Join(err, refused)
	}
	return c.greeted(ctx, hello, follow...)
}

// Greet is Dial over a connection that leads to a host already, a stream of a link for
// example. It owns nc from now on.
func Greet(ctx context.Context, nc net.Conn, hello Hello, follow ...Message) (*Conn, Welcome, error) {
	ctx, cancel := context.WithTimeout(ctx, greetTimeout)
	defer cancel()
	return NewConn(nc).greeted(ctx, hello, follow...)
}

// greeted is greet that closes c when it fails.
func (c *Conn) greeted(ctx context.Context, hello Hello, follow ...Message) (*Conn, Welcome, error) {
	w, err := c.greet(ctx, hello, follow...)
	if err != nil {
		c.Close()
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, Welcome{}, err
	}
	return c, w, nil
}

// greet sends hello and what follows it, and waits for the answer until ctx ends.
func (c *Conn) greet(ctx context.Context, hello Hello, follow ...Message) (Welcome, error) {
	stop := context.AfterFunc(ctx, func() { c.nc.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if hello.ProtocolMin == 0 && hello.ProtocolMax == 0 {
		hello.ProtocolMin, hello.ProtocolMax = ProtocolMin, ProtocolMax
	}
	var out []byte
	var err error
	for _, m := range append([]Message{&hello}, follow...) {
		if out, err = AppendMessage(out, m); err != nil {
			return Welcome{}, err
		}
	}
	if err := c.SendEncoded(out); err != nil {
		return Welcome{}, err
	}
	m, err := c.Receive()
	if err != nil {
		return Welcome{}, noEOF(err)
	}
	if !stop() {
		return Welcome{}, context.Cause(ctx)
	}
	switch m := m.(type) {
	case *Welcome:
		if m.Protocol < hello.ProtocolMin || m.Protocol > hello.ProtocolMax {
			return Welcome{}, NewError(CodeBadVersion, fmt.Sprintf("the host (version %.20q) speaks protocol %d, this ccdir %d to %d: restart the session",
				m.Version, m.Protocol, hello.ProtocolMin, hello.ProtocolMax))
		}
		return *m, nil
	case *Error:
		return Welcome{}, m
	}
	return Welcome{}, fmt.Errorf("%w: message kind %d instead of a welcome", ErrMalformed, m.Kind())
}

// Negotiate returns the highest protocol that this build and the range have in
// common.
func Negotiate(lo, hi int) (int, bool) {
	v := min(hi, ProtocolMax)
	return v, v >= lo && v >= ProtocolMin
}
