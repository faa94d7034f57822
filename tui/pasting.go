package tui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"ccdir/internal/hostwire"
	"ccdir/internal/keymap"
	"ccdir/internal/textsafe"
)

// pasteShown is from when on a paste is shown that its program has not taken yet.
const pasteShown = 500 * time.Millisecond

// dropWithin bounds the call that cancels a paste.
const dropWithin = 10 * time.Second

// pasting is the long text on its way to a session's program: hosts tell how much of it
// they have written. Guarded by pane.mu.
type pasting struct {
	conn    uint64 // number of the connection, 0: its host does not tell
	inputs  uint64 // how many were sent over this connection
	bytes   uint64 // of their text
	dropped uint64 // as the host told last
	waiting int    // long texts that were not sent yet
	skip    int    // so many of them will not be
	sent    []longInput
	// total, done and lost are bytes of long text since there was none on its way: all
	// of it, what is written or dropped, and what is dropped.
	total, done, lost int
}

// longInput is long text that was sent and that the host is not through with.
type longInput struct {
	end  uint64 // how many bytes of text the connection had seen with it
	size int
}

// isLong reports whether an input is text whose progress is told and that can be dropped.
func isLong(in *hostwire.Input) bool {
	return (in.Type == hostwire.InputPaste || in.Type == hostwire.InputRaw) && len(in.Text) >= hostwire.LongText
}

// counting updates what is known of long text, and what is reported of it.
func (p *pane) counting(f func(g *pasting)) {
	p.change(func(s *paneState) {
		g := &p.pasting
		f(g)
		if len(g.sent) == 0 && g.waiting == 0 {
			s.Lost += g.lost
			g.total, g.done, g.lost = 0, 0, 0
		}
		s.Pasting, s.Pasted = g.total, g.done
	})
}

// enters counts an input that is put into the queue, leaves one that was not, or that
// is taken out of it without being sent.
func (p *pane) enters(in *hostwire.Input) {
	if isLong(in) {
		p.counting(func(g *pasting) { g.waiting++; g.total += len(in.Text) })
	}
}

func (p *pane) leaves(in *hostwire.Input) {
	if isLong(in) {
		p.counting(func(g *pasting) { g.waiting--; g.total -= len(in.Text) })
	}
}

// goesOut counts an input that is about to be sent; false: it was cancelled.
func (p *pane) goesOut(in *hostwire.Input) (sent bool) {
	if !isLong(in) {
		p.mu.Lock()
		p.pasting.inputs++
		p.pasting.bytes += uint64(len(in.Text))
		p.mu.Unlock()
		return true
	}
	p.counting(func(g *pasting) {
		g.waiting--
		if sent = g.skip == 0; !sent {
			g.skip--
			g.done += len(in.Text)
			g.lost += len(in.Text)
			return
		}
		g.inputs++
		g.bytes += uint64(len(in.Text))
		if g.conn == 0 {
			g.done += len(in.Text) // nobody will tell
			return
		}
		g.sent = append(g.sent, longInput{g.bytes, len(in.Text)})
	})
	return sent
}

// connected begins to count anew.
func (p *pane) connected(status hostwire.Status) {
	p.counting(func(g *pasting) {
		g.conn, g.inputs, g.bytes, g.dropped = status.Connection, 0, 0, 0
	})
}

// disconnected gives up what the host has not told to be written: it may not be.
func (p *pane) disconnected() {
	p.counting(func(g *pasting) {
		for _, l := range g.sent {
			g.lost += l.size
			g.done += l.size
		}
		g.sent, g.skip = nil, 0
	})
}

// took lays in what the host tells of the connection's inputs.
func (p *pane) took(status *hostwire.Status) {
	p.counting(func(g *pasting) {
		if g.conn == 0 {
			return
		}
		g.lost += int(status.Dropped - g.dropped)
		g.dropped = status.Dropped
		for len(g.sent) > 0 && g.sent[0].end <= status.Taken {
			g.done += g.sent[0].size
			g.sent = g.sent[1:]
		}
		if len(g.sent) > 0 {
			l := &g.sent[0]
			if left := int(l.end - status.Taken); left < l.size {
				g.done += l.size - left
				l.size = left
			}
		}
	})
}

// cancelPaste drops long text that was not sent yet, and returns what has to be asked
// for so that the host drops what it has not written. Other keys are kept.
func (p *pane) cancelPaste() (ask hostwire.DropParams, asks bool) {
	p.counting(func(g *pasting) {
		g.skip = g.waiting
		ask, asks = hostwire.DropParams{Connection: g.conn, Inputs: g.inputs}, len(g.sent) > 0
	})
	return ask, asks
}

// drop asks the host to drop long text: over the pane's own connection, which the host
// does not read if something was typed behind the text, and over one of its own, for
// which the daemon may be needed. It may be asked for twice.
func (p *pane) drop(ctx context.Context, ask hostwire.DropParams) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := make(chan error, 2)
	go func() { results <- p.request(ctx, hostwire.MethodDrop, ask, nil) }()
	go func() { results <- p.dropBeside(ctx, ask) }()
	err := <-results
	if err == nil {
		cancel()
		<-results
		return nil
	}
	if other := <-results; other == nil {
		return nil
	}
	return err
}

// dropBeside is drop over a connection of its own.
func (p *pane) dropBeside(ctx context.Context, ask hostwire.DropParams) error {
	conn, _, err := p.client.DialHost(ctx, p.id, false, hostwire.View{})
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer func() {
		stop()
		_ = conn.Close()
	}()
	params, err := json.Marshal(ask)
	if err != nil {
		return err
	}
	if err := conn.Send(&hostwire.Request{ID: 1, Method: hostwire.MethodDrop, Params: params}); err != nil {
		return err
	}
	for {
		m, err := conn.Receive()
		if err != nil {
			return err
		}
		switch m := m.(type) {
		case *hostwire.Response:
			if m.Error != nil {
				return m.Error
			}
			return nil
		case *hostwire.Error:
			return m
		case *hostwire.Exit:
			return errors.New("the session's process has ended")
		}
	}
}

// notePaste takes what a pane tells of long text.
func (m *model) notePaste(id string, old, now paneState) {
	switch {
	case now.Pasting == 0:
		delete(m.pastes, id)
	case m.pastes[id].IsZero():
		if m.pastes == nil {
			m.pastes = map[string]time.Time{}
		}
		m.pastes[id] = m.now()
	}
	if lost := now.Lost - old.Lost; lost > 0 {
		m.warn(fmt.Sprintf("%d KB of what was pasted into %s were not written to its program", kilobytes(lost), m.nameOf(id)))
	}
}

// kilobytes rounds up.
func kilobytes(n int) int { return (n + 1023) >> 10 }

func (m *model) nameOf(id string) string {
	if v := m.session(id); v != nil {
		return textsafe.Line(v.Name)
	}
	return id
}

// slowPastes are the sessions with a paste on its way that takes long by now, the
// focused one first.
func (m *model) slowPastes(now time.Time) (out []string) {
	for _, v := range m.sessions {
		if began := m.pastes[v.ID]; !began.IsZero() && now.Sub(began) >= pasteShown {
			out = append(out, v.ID)
		}
	}
	if at := slices.Index(out, m.focus); at > 0 {
		out[0], out[at] = out[at], out[0]
	}
	return out
}

// pasteStep is how long until a paste is to be shown.
func (m *model) pasteStep(now time.Time) time.Duration {
	next := m.incoming.step(now)
	for _, began := range m.pastes {
		if left := pasteShown - now.Sub(began); left > 0 {
			next = min(next, left)
		}
	}
	return next
}

// pasteProgress shows the first of those pastes; nil if there is none.
func (m *model) pasteProgress(now time.Time) *progress {
	all := m.slowPastes(now)
	if p := m.incoming.progress(now); p != nil {
		p.more = len(all)
		return p
	}
	if len(all) == 0 {
		return nil
	}
	s := m.states[all[0]]
	return &progress{what: "pasting into " + m.nameOf(all[0]), done: s.Pasted >> 10, total: kilobytes(s.Pasting), unit: " KB",
		more: len(all) - 1, cancel: m.keys.Hint(keymap.CancelWork)}
}

// cancelPasting cancels what is on its way to a session.
func (m *model) cancelPasting(id string) {
	p := m.panes[id]
	if p == nil {
		return
	}
	ask, asks := p.cancelPaste()
	if !asks {
		return
	}
	m.later = append(m.later, m.callWithin(dropWithin, m.ctx, nil, func(c calls) (func(*model), error) {
		return nil, p.drop(c.ctx, ask)
	}, func(m *model, err error) {
		m.warn("the paste into " + m.nameOf(id) + " could not be cancelled: " + problem(err))
	}))
}
