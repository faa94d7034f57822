package pane

import (
	"context"
	"sync/atomic"
	"time"

	"ccdir/wire"
	"ccdir/wire/directline"
)

// LineDialer is a [Dialer] that can open direct lines. With any other Dialer all input
// goes to the hosts.
type LineDialer interface {
	// DialLine fetches the direct line of a connection to the session's host, with the
	// token that the host gave on that connection. The caller closes the line. display
	// is the terminal that may be lent to the host; nil lends nothing.
	DialLine(ctx context.Context, id, token string, display directline.Terminal) (*directline.Line, error)
}

// FastPath are a pane's short cuts past the host (wire/directline). The zero value
// allows none: all input goes to the host, and the host never writes to the terminal.
type FastPath struct {
	// Line allows the direct line.
	Line bool
	// Display is the terminal that shows the pane and may be lent to the host with the
	// line; nil lends nothing.
	Display directline.Terminal
}

// lineWithin bounds the opening of a line. Meanwhile text goes to the host.
const lineWithin = 5 * time.Second

// directLine is a pane's direct line. Text takes it only while everything that was given
// to the pane before has been sent.
type directLine struct {
	// open is the line of the present connection; nil: none, or not yet.
	open atomic.Pointer[directline.Line]
	// wanted has one slot: the first text of a connection asks for the line. asked says
	// that this connection's text has.
	wanted chan struct{}
	asked  atomic.Bool
	// waiting counts the inputs that have not been sent, sent those that were sent on
	// this connection. An input counts as waiting until it counts as sent.
	waiting atomic.Int64
	sent    atomic.Uint64
}

// TypeText writes text that a key typed straight to the program, if that is possible
// now, and reports whether it did. If the program does not take all of it, the rest is
// sent to the host.
func (p *Pane) TypeText(text string) bool {
	l := p.line.open.Load()
	if l == nil {
		p.wantLine()
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

// Lender is the line over which the terminal may be lent to the pane's host; nil: it may
// not be lent, or the connection has no line (yet). The line may be closed at any time,
// and then does nothing.
func (p *Pane) Lender() *directline.Line {
	if p.cfg.Fast.Display == nil {
		return nil
	}
	return p.line.open.Load()
}

// UseLine makes l the direct line of the connection, which closes it.
func (p *Pane) UseLine(l *directline.Line) { p.line.open.Store(l) }

// begin resets the line for a new connection.
func (l *directLine) begin() {
	l.sent.Store(0)
	l.asked.Store(false)
}

// wantLine asks for the line, once per connection.
func (p *Pane) wantLine() {
	l := &p.line
	if !p.cfg.Fast.Line || l.asked.Load() || l.asked.Swap(true) {
		return
	}
	select {
	case l.wanted <- struct{}{}:
	default:
	}
}

// openLine opens the line of this connection. Older hosts and systems other than Linux
// have no lines: then input goes to the host.
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
	if l, err := d.DialLine(ctx, p.cfg.ID, r.Token, p.cfg.Fast.Display); err == nil {
		p.UseLine(l)
	}
}

// close gives up the connection's line.
func (l *directLine) close() {
	if open := l.open.Swap(nil); open != nil {
		open.Close()
	}
}
