package terminal

import (
	"context"
	"errors"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/cancelreader"

	"ccdir/tui/terminal/input"
	"ccdir/wire"
)

// Reader reads the terminal, decodes, and routes. One goroutine uses it.
type Reader struct {
	In     io.Reader
	Router *Router
	// Program takes a Typed or an Incoming that is for the program. It may block.
	Program func(msg any)
	// Syncs is called when the terminal says whether it has mode 2026, Answered for each
	// answer about its status.
	Syncs    func(hasSync bool)
	Answered func()
	// Now is the clock; nil: time.Now.
	Now func() time.Time

	// typed are plain keys of the read that is being decoded.
	typed keyRun
	// toldPaste is when the last Incoming was sent; zero: no paste is coming.
	toldPaste time.Time
}

func (r *Reader) now() time.Time {
	if r.Now == nil {
		return time.Now()
	}
	return r.Now()
}

// Typed is one input for the program. Exactly one of Key, Burst, Paste, Event and TooLong
// is set.
type Typed struct {
	Key   *input.Key
	Burst []input.Key // several plain keys that came in one read
	Paste []byte
	Event uv.Event // of the mouse or the focus
	// TooLong: a paste was dropped.
	TooLong bool
	At      time.Time // when it was read
}

// Background is the terminal's colour, which it tells when it is asked or changes it. It is
// no input: no person gave it, so it may overtake inputs, and nothing is painted at once
// because of it.
type Background struct{ uv.BackgroundColorEvent }

// Foreground is the colour of the terminal's text, in reply to the same query.
type Foreground struct{ uv.ForegroundColorEvent }

// Incoming reports the progress of a long paste, which the terminal is sending.
type Incoming struct {
	At    time.Time
	Bytes int  // received so far
	All   bool // it is complete
}

// incomingStep is the shortest time between two reports about one paste.
const incomingStep = 100 * time.Millisecond

// chunk is one read.
type chunk struct {
	data []byte
	at   time.Time
	err  error
}

// readBytes is how much is read at once.
const readBytes = 16 << 10

// Run reads until the terminal ends (io.EOF is returned as nil), the read is cancelled, or
// ctx ends.
func (r *Reader) Run(ctx context.Context) error {
	var dec input.Decoder
	buf := make([]byte, readBytes)
	for {
		n, err := r.In.Read(buf)
		at := r.now()
		dec.Prefix = r.Router.PrefixByte()
		pending := n > 0 && r.feed(&dec, buf[:n], at)
		if err == nil && pending {
			err = r.rest(ctx, &dec, buf)
		}
		switch {
		case ctx.Err() != nil || errors.Is(err, cancelreader.ErrCanceled):
			return nil
		case errors.Is(err, io.EOF):
			r.flush(&dec, at)
			return nil
		case err != nil:
			return err
		}
	}
}

// feed decodes and routes bytes that were read at that time, and reports whether the
// beginning of a sequence may be left.
func (r *Reader) feed(dec *input.Decoder, p []byte, at time.Time) (pending bool) {
	pending = dec.Feed(p, func(e input.Event) { r.route(e, at) })
	r.sendRun()
	r.tellPaste(dec, at)
	return pending
}

// flush routes the bytes that are left of a sequence as they are.
func (r *Reader) flush(dec *input.Decoder, at time.Time) {
	dec.Flush(func(e input.Event) { r.route(e, at) })
	r.sendRun()
}

// rest waits for the rest of a sequence, for the decoder's patience after each part. The
// read runs in a goroutine, so that nothing is lost if it takes longer; it has ended when
// rest returns.
func (r *Reader) rest(ctx context.Context, dec *input.Decoder, buf []byte) error {
	got := make(chan chunk, 1)
	for {
		go func() {
			n, err := r.In.Read(buf)
			got <- chunk{buf[:n], r.now(), err}
		}()
		timer := time.NewTimer(dec.Patience())
		var c chunk
		select {
		case c = <-got:
		case <-timer.C:
			r.flush(dec, r.now())
			c = <-got
		}
		timer.Stop()
		pending := len(c.data) > 0 && r.feed(dec, c.data, c.at)
		if c.err != nil || !pending || ctx.Err() != nil {
			return c.err
		}
	}
}

// tellPaste reports the progress of a paste that takes several reads, and its end.
func (r *Reader) tellPaste(dec *input.Decoder, at time.Time) {
	switch size, pasting := dec.Pasting(); {
	case !pasting && !r.toldPaste.IsZero():
		r.toldPaste = time.Time{}
		r.Program(Incoming{At: at, All: true})
	case pasting && at.Sub(r.toldPaste) >= incomingStep:
		r.toldPaste = at
		r.Program(Incoming{At: at, Bytes: size})
	}
}

// route sends one input on its way.
func (r *Reader) route(e input.Event, at time.Time) {
	if ev, ok := e.Event.(uv.KeyPressEvent); ok {
		r.routeKey(tea.Key(ev), at)
		return
	}
	r.sendRun()
	switch ev := e.Event.(type) {
	case nil:
		r.routePaste(e, at)
	case uv.ModeReportEvent:
		if ev.Mode == ansi.ModeSynchronizedOutput {
			r.Syncs(ev.Value == ansi.ModeReset || ev.Value == ansi.ModeSet)
		}
	case uv.UnknownCsiEvent:
		if input.Status(ev) {
			r.Answered()
		}
	case uv.MouseClickEvent, uv.MouseReleaseEvent, uv.MouseWheelEvent, uv.MouseMotionEvent, uv.FocusEvent, uv.BlurEvent:
		r.hand(Typed{Event: ev}, at)
	case uv.BackgroundColorEvent:
		r.Program(Background{ev})
	case uv.ForegroundColorEvent:
		r.Program(Foreground{ev})
	}
}

func (r *Reader) routeKey(key tea.Key, at time.Time) {
	k := input.Key{Name: input.KeyName(key), Press: key, At: at}
	if k.Name == "" {
		return
	}
	if k.Plain() {
		r.collect(k)
		return
	}
	r.sendRun()
	if p := r.Router.direct(k.Name); p != nil {
		r.Router.NoteInput(at)
		p.SendSoon(KeyInput(k))
		return
	}
	r.hand(Typed{Key: &k}, at)
}

func (r *Reader) routePaste(e input.Event, at time.Time) {
	if !e.TooLong && len(e.Paste) > 0 {
		if p := r.Router.direct(""); p != nil {
			r.Router.NoteInput(at)
			p.SendSoon(&wire.Input{Type: wire.InputPaste, Text: e.Paste})
			return
		}
	}
	if e.TooLong || len(e.Paste) > 0 {
		r.hand(Typed{Paste: e.Paste, TooLong: e.TooLong}, at)
	}
}

// hand gives an input to the program.
func (r *Reader) hand(t Typed, at time.Time) {
	r.Router.NoteInput(at)
	r.Router.pending.Add(1)
	t.At = at
	r.Program(t)
}
