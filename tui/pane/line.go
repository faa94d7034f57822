package pane

import (
	"context"
	"sync/atomic"
	"time"

	"ccdir/wire"
	"ccdir/wire/directline"
)

// LineDialer is a [Dialer] that can open direct lines. Without one all input goes to
// the hosts.
type LineDialer interface {
	// DialLine fetches the direct line of a connection to the session's host, by
	// the token that the host gave on it. The caller closes it. display is where the
	// session is shown, to be lent to the host; it may be nil.
	DialLine(ctx context.Context, id, token string, display wire.Display) (*directline.Line, error)
}

// lineWithin bounds the opening of a line. Meanwhile text goes to the host.
const lineWithin = 5 * time.Second

// directLine is a pane's way past the host. Text goes by it only while nothing that was
// given to the pane before is still under way to the program.
type directLine struct {
	open atomic.Pointer[directline.Line]
	// wanted has one slot: the first text of a connection asks for the line, which
	// asked tells from the others.
	wanted chan struct{}
	asked  atomic.Bool
	// waiting is how many inputs have not been sent, sent how many were on this
	// connection. An input is counted as waiting until it is counted as sent.
	waiting atomic.Int64
	sent    atomic.Uint64
}

// TypeText writes text that a key typed straight to the program, if it may, and
// reports whether it did. The rest of what it could not write whole is sent.
func (p *Pane) TypeText(text string) bool {
	l := p.line.open.Load()
	if l == nil {
		p.line.want()
		return false
	}
	if p.line.waiting.Load() != 0 {
		return false
	}
	b := []byte(text)
	n := l.Write(b, p.line.sent.Load())
	if n > 0 && n < len(b) {
		p.SendSoon(&wire.Input{Type: wire.InputRaw, Text: b[n:]})
	}
	return n > 0
}

// Line is the direct line of the connection, nil if it has none (yet). It may be closed
// at any time, and then does nothing.
func (p *Pane) Line() *directline.Line { return p.line.open.Load() }

// UseLine makes l the direct line of the connection, which closes it.
func (p *Pane) UseLine(l *directline.Line) { p.line.open.Store(l) }

// Lendable reports whether the host may be lent what shows the session.
func (p *Pane) Lendable() bool { return p.cfg.Display != nil }

// begin begins anew for a connection.
func (l *directLine) begin() {
	l.sent.Store(0)
	l.asked.Store(false)
}

// want asks for the line, once per connection.
func (l *directLine) want() {
	if l.asked.Load() || l.asked.Swap(true) {
		return
	}
	select {
	case l.wanted <- struct{}{}:
	default:
	}
}

// openLine opens the line of this connection. It fails where the host is older or
// the system has no such lines; nothing is lost by that but time.
func (p *Pane) openLine(ctx context.Context) {
	d, ok := p.cfg.Dialer.(LineDialer)
	if !ok || p.cfg.ReadOnly {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, lineWithin)
	defer cancel()
	var r wire.LineResult
	if p.Request(ctx, wire.MethodLine, nil, &r) != nil {
		return
	}
	if l, err := d.DialLine(ctx, p.cfg.ID, r.Token, p.cfg.Display); err == nil {
		p.UseLine(l)
	}
}

// close gives the connection's line up.
func (l *directLine) close() {
	if open := l.open.Swap(nil); open != nil {
		open.Close()
	}
}
