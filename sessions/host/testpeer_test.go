package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"ccdir/wire"
)

// peer is a client under test: a goroutine reads all the time and keeps what
// came.
type peer struct {
	t       testing.TB
	conn    *wire.Conn
	welcome wire.Welcome

	mu       sync.Mutex
	cond     *sync.Cond
	mirror   *wire.Mirror
	status   wire.Status
	evidence []wire.Evidence
	lost     []wire.EvidenceLost
	exit     *wire.Exit
	answers  map[uint64]*wire.Response
	screens  []wire.Screen
	copies   []wire.Copy
	err      error
	next     uint64
	frames   int
	fulls    int
	written  uint64
	stopped  chan struct{}
}

func (r *running) dial(change ...func(*wire.Hello)) *peer {
	r.t.Helper()
	hello := wire.Hello{Ticket: ticket, Client: "test", Evidence: new(uint64)}
	for _, c := range change {
		c(&hello)
	}
	conn, w, err := wire.Dial(context.Background(), r.spec.Socket, hello)
	if err != nil {
		r.t.Fatal(err)
	}
	p := &peer{t: r.t, conn: conn, welcome: w, mirror: wire.NewMirror(), answers: map[uint64]*wire.Response{},
		status: w.Status, stopped: make(chan struct{})}
	p.cond = sync.NewCond(&p.mu)
	go p.read()
	r.t.Cleanup(func() { p.close() })
	return p
}

func (p *peer) close() {
	p.conn.Close()
	<-p.stopped
}

func (p *peer) read() {
	defer close(p.stopped)
	for {
		m, err := p.conn.Receive()
		p.mu.Lock()
		if err != nil {
			p.err = err
			p.cond.Broadcast()
			p.mu.Unlock()
			return
		}
		switch m := m.(type) {
		case *wire.Frame:
			p.frames++
			if m.Full {
				p.fulls++
			}
			p.written = m.Written
			if err := p.mirror.Apply(m); err != nil {
				p.t.Errorf("frame: %v", err)
			}
		case *wire.Status:
			p.status = *m
		case *wire.Evidence:
			p.evidence = append(p.evidence, *m)
		case *wire.EvidenceLost:
			p.lost = append(p.lost, *m)
		case *wire.Exit:
			p.exit = m
		case *wire.Response:
			p.answers[m.ID] = m
		case *wire.Screen:
			p.screens = append(p.screens, *m)
		case *wire.Copy:
			p.copies = append(p.copies, *m)
		}
		p.cond.Broadcast()
		p.mu.Unlock()
	}
}

// until waits for a condition, which is asked with the lock held.
func (p *peer) until(what string, ok func() bool) {
	p.t.Helper()
	late := time.AfterFunc(patience, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.cond.Broadcast()
	})
	defer late.Stop()
	end := time.Now().Add(patience)
	p.mu.Lock()
	defer p.mu.Unlock()
	for !ok() {
		if time.Now().After(end) || p.err != nil && !errors.Is(p.err, io.EOF) {
			p.t.Fatalf("waited in vain for %s; error %v, screen:\n%s", what, p.err, p.text())
		}
		if p.err != nil {
			p.t.Fatalf("the host ended while waiting for %s; screen:\n%s", what, p.text())
		}
		p.cond.Wait()
	}
}

// text is the mirror's. The lock is held.
func (p *peer) text() string {
	_, rows := p.mirror.Size()
	var b []byte
	for y := range rows {
		b = p.mirror.Table().AppendText(b, p.mirror.Row(y).Cells)
		b = append(b, '\n')
	}
	return strings.TrimRight(string(b), "\n")
}

func (p *peer) shows(s string) {
	p.t.Helper()
	p.until(fmt.Sprintf("%q on the screen", s), func() bool { return strings.Contains(p.text(), s) })
}

func (p *peer) send(m wire.Message) {
	p.t.Helper()
	if err := p.conn.Send(m); err != nil {
		p.t.Fatal(err)
	}
}

func (p *peer) view(cols, rows int) {
	p.send(&wire.View{Visible: true, Cols: cols, Rows: rows})
}

func (p *peer) keys(names ...string) {
	for _, n := range names {
		p.send(&wire.Input{Type: wire.InputKey, Text: []byte(n)})
	}
}

// typeLine types characters and Enter.
func (p *peer) typeLine(s string) {
	for _, r := range s {
		p.keys(string(r))
	}
	p.keys("Enter")
}

func (p *peer) request(method string, params any) *wire.Response {
	p.t.Helper()
	b, err := json.Marshal(params)
	if err != nil {
		p.t.Fatal(err)
	}
	p.next++
	id := p.next
	p.send(&wire.Request{ID: id, Method: method, Params: b})
	var r *wire.Response
	p.until("the answer to "+method, func() bool { r = p.answers[id]; return r != nil })
	return r
}

// call is request for what must succeed.
func call[T any](p *peer, method string, params any) (v T) {
	p.t.Helper()
	r := p.request(method, params)
	if r.Error != nil {
		p.t.Fatalf("%s: %v", method, r.Error)
	}
	if len(r.Result) > 0 {
		if err := json.Unmarshal(r.Result, &v); err != nil {
			p.t.Fatal(err)
		}
	}
	return v
}

// saw waits for evidence.
func (p *peer) saw(name string, fields ...string) wire.Evidence {
	p.t.Helper()
	var found wire.Evidence
	p.until("evidence "+name+" "+strings.Join(fields, " "), func() bool {
		for _, e := range p.evidence {
			ok := e.Name == name
			for i := 0; ok && i+1 < len(fields); i += 2 {
				ok = e.Fields[fields[i]] == fields[i+1]
			}
			if ok {
				found = e
				return true
			}
		}
		return false
	})
	return found
}
