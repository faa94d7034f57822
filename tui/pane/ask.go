package pane

import (
	"context"
	"encoding/json"
	"errors"

	"ccdir/wire"
)

// ask is a request to the session's host that waits for its response.
type ask struct {
	method string
	params any
	// answer has room for the one reply.
	answer chan reply
}

type reply struct {
	result json.RawMessage
	err    error
}

// asksWaiting bounds the requests that wait to be sent.
const asksWaiting = 4

// ErrNotConnected: a request was not sent, or its response will not come.
var ErrNotConnected = errors.New("the session's host is not connected")

// Request sends a request over the pane's own connection to the host, without the daemon,
// and waits for the response until ctx ends or the connection is lost.
func (p *Pane) Request(ctx context.Context, method string, params, result any) error {
	a := &ask{method: method, params: params, answer: make(chan reply, 1)}
	p.mu.Lock()
	connected := p.state.Connected
	p.mu.Unlock()
	if !connected {
		return ErrNotConnected
	}
	select {
	case p.asks <- a:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case r := <-a.answer:
		if r.err != nil {
			return r.err
		}
		if result == nil {
			return nil
		}
		return json.Unmarshal(r.result, result)
	case <-p.done:
		return ErrNotConnected
	case <-ctx.Done():
		return ctx.Err()
	}
}

// sendAsk sends one request. Its number leads from the response to the ask.
func (p *Pane) sendAsk(conn Conn, a *ask) error {
	params, err := json.Marshal(a.params)
	if err != nil {
		a.answer <- reply{err: err}
		return nil
	}
	p.mu.Lock()
	p.askID++
	id := p.askID
	if p.asked == nil {
		p.asked = map[uint64]*ask{}
	}
	p.asked[id] = a
	p.mu.Unlock()
	return conn.Send(&wire.Request{ID: id, Method: a.method, Params: params})
}

// answered hands a response to its ask. m is not kept.
func (p *Pane) answered(m *wire.Response) {
	p.mu.Lock()
	a := p.asked[m.ID]
	delete(p.asked, m.ID)
	p.mu.Unlock()
	switch {
	case a == nil:
	case m.Error != nil:
		a.answer <- reply{err: m.Error}
	default:
		a.answer <- reply{result: append(json.RawMessage(nil), m.Result...)}
	}
}

// dropAsks fails all asks: the connection is lost.
func (p *Pane) dropAsks() {
	p.mu.Lock()
	asked := p.asked
	p.asked = nil
	p.mu.Unlock()
	for _, a := range asked {
		a.answer <- reply{err: ErrNotConnected}
	}
	for {
		select {
		case a := <-p.asks:
			a.answer <- reply{err: ErrNotConnected}
		default:
			return
		}
	}
}
