package underway

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

// Streamed is the message that brings values of a stream.
type Streamed struct {
	of   *stream
	told ui.Told
}

// Stream begins a component's stream; another one of it ends.
func (w *Work) Stream(way Way, id ui.ID, e ui.Stream) {
	if old := w.streams[id]; old != nil {
		old.cancel()
	}
	client := way.Client
	ctx, cancel := context.WithCancel(way.Ctx)
	s := &stream{id: id, cancel: cancel, values: make(chan any, streamAhead)}
	if w.streams == nil {
		w.streams = map[ui.ID]*stream{}
	}
	w.streams[id] = s
	run := func() (msg tea.Msg) {
		defer cancel()
		defer func() {
			if r := recover(); r != nil {
				msg = Crash{&PanicError{Value: r, Stack: debug.Stack()}}
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
	way.Out.Put(run)
	way.Out.Put(way.Waits(s.next))
}

// next waits for values, and takes all that are there.
func (s *stream) next() tea.Msg {
	var told ui.Told
	v, open := <-s.values
	for open {
		told.Values = append(told.Values, v)
		if len(told.Values) >= streamAhead {
			return Streamed{s, told}
		}
		select {
		case v, open = <-s.values:
		default:
			return Streamed{s, told}
		}
	}
	told.Over = true
	return Streamed{s, told}
}

// Streamed passes on what a stream told, as long as it is the component's; open reports whether
// that is still there.
func (w *Work) Streamed(way Way, msg Streamed, open func(ui.ID) bool) Outcome {
	s := msg.of
	if w.streams[s.id] != s || !open(s.id) {
		s.cancel()
		if !msg.told.Over {
			way.Out.Put(way.Waits(s.next)) // until its Run has noticed
		}
		return Outcome{}
	}
	out := Outcome{To: s.id, Tells: true, Value: msg.told}
	if msg.told.Over {
		delete(w.streams, s.id)
		out.Err = s.err
		return out
	}
	way.Out.Put(way.Waits(s.next))
	return out
}

// EndStreams ends the streams of components that are not open any more.
func (w *Work) EndStreams(open func(ui.ID) bool) {
	for id, s := range w.streams {
		if !open(id) {
			s.cancel()
			delete(w.streams, id)
		}
	}
}
