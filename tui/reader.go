package tui

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/cancelreader"

	"ccdir/internal/keymap"
	"ccdir/tui/terminal/input"
	"ccdir/wire"
)

// reader reads the terminal, decodes, and routes.
type reader struct {
	in      io.Reader
	router  *router
	program func(tea.Msg)
	// syncs is called when the terminal says whether it has mode 2026, answered when it
	// has got as far as a question for its status.
	syncs    func(hasSync bool)
	answered func()
	now      func() time.Time
	// typed are plain keys of the read that is decoded.
	typed keyRun
	// toldPaste is when the program was told last of a paste that is coming, zero if
	// none is.
	toldPaste time.Time
}

// prefixByte is the byte that a terminal sends for the prefix key, 0 if it is a
// sequence, or if the key with Alt is bound too.
func prefixByte(k *keymap.Map) byte {
	name := k.Prefix()
	if len(name) != len("C-b") || !strings.HasPrefix(name, "C-") {
		return 0
	}
	alt := keymap.Join(true, true, false, name[2:])
	if slices.ContainsFunc(k.Bindings(), func(b keymap.Binding) bool { return slices.Contains(b.Keys, alt) }) {
		return 0
	}
	return name[2] & 0x1f
}

// chunk is one read.
type chunk struct {
	data []byte
	at   time.Time
	err  error
}

// readBytes is how much is read at once.
const readBytes = 16 << 10

// run reads until the terminal ends (io.EOF, told as nil), the read is
// cancelled, or ctx ends.
func (r *reader) run(ctx context.Context) error {
	var dec input.Decoder
	buf := make([]byte, readBytes)
	for {
		n, err := r.in.Read(buf)
		at := r.now()
		dec.Prefix = byte(r.router.lead.Load())
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

// feed decodes and routes what was read at that time, and reports whether something
// is left that may be the beginning of a sequence.
func (r *reader) feed(dec *input.Decoder, p []byte, at time.Time) (pending bool) {
	pending = dec.Feed(p, func(e input.Event) { r.route(e, at) })
	r.sendRun()
	r.tell(dec, at)
	return pending
}

// flush routes what is left for what it is.
func (r *reader) flush(dec *input.Decoder, at time.Time) {
	dec.Flush(func(e input.Event) { r.route(e, at) })
	r.sendRun()
}

// rest waits for the rest of a sequence, the decoder's patience after each part. The
// waiting read runs beside, so that nothing is lost when it takes longer; it is
// finished when rest returns.
func (r *reader) rest(ctx context.Context, dec *input.Decoder, buf []byte) error {
	got := make(chan chunk, 1)
	for {
		go func() {
			n, err := r.in.Read(buf)
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

// route sends one input on its way.
func (r *reader) route(e input.Event, at time.Time) {
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
			r.syncs(ev.Value == ansi.ModeReset || ev.Value == ansi.ModeSet)
		}
	case uv.UnknownCsiEvent:
		if input.Status(ev) {
			r.answered()
		}
	case uv.MouseClickEvent, uv.MouseReleaseEvent, uv.MouseWheelEvent, uv.MouseMotionEvent, uv.FocusEvent, uv.BlurEvent, uv.BackgroundColorEvent:
		r.hand(typedMsg{event: ev}, at)
	}
}

func (r *reader) routeKey(key tea.Key, at time.Time) {
	k := input.Key{Name: input.KeyName(key), Press: key, At: at}
	if k.Name == "" {
		return
	}
	if plain(k) {
		r.collect(k)
		return
	}
	r.sendRun()
	if p := r.router.direct(k.Name); p != nil {
		r.router.touched(at)
		p.SendSoon(keyInput(k.Name, key))
		return
	}
	r.hand(typedMsg{key: &k}, at)
}

func (r *reader) routePaste(e input.Event, at time.Time) {
	if !e.TooLong && len(e.Paste) > 0 {
		if p := r.router.direct(""); p != nil {
			r.router.touched(at)
			p.SendSoon(&wire.Input{Type: wire.InputPaste, Text: e.Paste})
			return
		}
	}
	if e.TooLong || len(e.Paste) > 0 {
		r.hand(typedMsg{paste: e.Paste, tooLong: e.TooLong}, at)
	}
}

// typedMsg is one input that the reader handed to the program, and when it came.
// Exactly one of the other fields is set.
type typedMsg struct {
	key   *input.Key
	burst []input.Key // several plain keys that came in one read
	paste []byte
	event uv.Event
	// tooLong: a paste was dropped.
	tooLong bool
	at      time.Time
}

// hand gives an input to the program.
func (r *reader) hand(t typedMsg, at time.Time) {
	r.router.touched(at)
	r.router.pending.Add(1)
	t.at = at
	r.program(t)
}
