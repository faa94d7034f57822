package tui

import (
	"context"
	"runtime/debug"

	tea "charm.land/bubbletea/v2"

	"ccdir/tui/ui"
)

// streamAhead bounds the values of a stream that wait for the program; then its Run waits.
const streamAhead = 64

// stream is a ui.Stream of an open component.
type stream struct {
	id     ui.ID
	cancel context.CancelFunc
	values chan any
	err    error // of Run; read when values is closed
}

// streamMsg brings values of a stream.
type streamMsg struct {
	of   *stream
	told ui.Told
}

// streamFor begins a component's stream.
func (m *model) streamFor(id ui.ID, e ui.Stream) {
	if old := m.streams[id]; old != nil {
		old.cancel()
	}
	client := m.opts.Client
	if client == nil {
		m.receive(id, ui.Told{Over: true}, ui.ErrUnknown)
		return // tests of the model alone
	}
	ctx, cancel := context.WithCancel(m.ctx)
	s := &stream{id: id, cancel: cancel, values: make(chan any, streamAhead)}
	if m.streams == nil {
		m.streams = map[ui.ID]*stream{}
	}
	m.streams[id] = s
	run := func() (msg tea.Msg) {
		defer cancel()
		defer func() {
			if r := recover(); r != nil {
				msg = crashMsg{&PanicError{Value: r, Stack: debug.Stack()}}
			}
			close(s.values)
		}()
		s.err = e.Run(ctx, client, func(v any) error {
			select {
			case s.values <- v:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		return nil
	}
	m.out.put(run)
	m.out.put(m.wait(s.next))
}

// next waits for values, and takes all that are there.
func (s *stream) next() tea.Msg {
	var told ui.Told
	v, open := <-s.values
	for open {
		told.Values = append(told.Values, v)
		if len(told.Values) >= streamAhead {
			return streamMsg{s, told}
		}
		select {
		case v, open = <-s.values:
		default:
			return streamMsg{s, told}
		}
	}
	told.Over = true
	return streamMsg{s, told}
}

// streamed passes on what a stream told, as long as it is the component's.
func (m *model) streamed(msg streamMsg) {
	s := msg.of
	if m.streams[s.id] != s || m.overlay.find(s.id) == nil {
		s.cancel()
		if msg.told.Over {
			return
		}
		m.out.put(m.wait(s.next))
		return // until its Run has noticed
	}
	if msg.told.Over {
		delete(m.streams, s.id)
		m.receive(s.id, msg.told, s.err)
		return
	}
	m.receive(s.id, msg.told, nil)
	m.out.put(m.wait(s.next))
}

// endStreams ends the streams of components that have closed.
func (m *model) endStreams() {
	for id, s := range m.streams {
		if m.overlay.find(id) == nil {
			s.cancel()
			delete(m.streams, id)
		}
	}
}
