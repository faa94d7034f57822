package terminal

import (
	"context"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"ccdir/internal/keymap"
	"ccdir/tui/paint"
	"ccdir/tui/pane"
	"ccdir/tui/terminal/tty"
	"ccdir/wire/directline"
)

// Config describes a Terminal. Its functions are called on the terminal's goroutines.
type Config struct {
	tty.Config
	// Keys says which key is the prefix key.
	Keys *keymap.Map
	// Program takes a Typed or an Incoming that is for the program. It may block.
	Program func(msg any)
	// Resized says that the terminal's size may have changed, and that its content is no
	// longer the last frame.
	Resized func(cols, rows int)
	// Seen is called once, when the first picture with sessions was written.
	Seen func()
}

// Terminal is the person's terminal while the grid runs. Methods may be called from any
// goroutine, except as they say.
type Terminal struct {
	// Router decides which input the program gets.
	Router *Router

	c       Config
	tty     *tty.Terminal
	painter *painter
	gate    gate

	suspending sync.Mutex  // held while another program has the terminal
	away       atomic.Bool // another program has the terminal
}

// Open prepares the terminal and changes no mode.
func Open(c Config) (*Terminal, error) {
	own, err := tty.Open(c.Config)
	if err != nil {
		return nil, err
	}
	r := &Router{}
	r.SetKeys(c.Keys)
	p := newPainter(own.Output(), c.Modes.Caps, r)
	p.seen = c.Seen
	return &Terminal{Router: r, c: c, tty: own, painter: p, gate: gate{term: own}}, nil
}

// Enter takes the terminal: raw mode and its modes.
func (t *Terminal) Enter() error { return t.tty.Enter() }

// Leave gives the terminal back as it was. It may be called more than once and takes a
// bounded time.
func (t *Terminal) Leave() { t.tty.Leave() }

// Close frees the terminal's files. It is called last.
func (t *Terminal) Close() { t.tty.Close() }

// Unblock ends reads and writes of the terminal, so that Read and Paint end.
func (t *Terminal) Unblock() {
	t.tty.Cancel()
	t.tty.Unblock()
}

// Drain reads pending replies of the terminal before another program gets it. Paint and
// Read must have ended, or be held up.
func (t *Terminal) Drain() {
	p := t.painter
	p.answers.Add(t.tty.Drain(tty.AnswerWithin, p.asks.Load(), p.answers.Load()))
}

// Paint shows scenes until ctx ends or a write fails.
func (t *Terminal) Paint(ctx context.Context) error { return t.painter.run(ctx) }

// Read delivers input until ctx ends, or the terminal, which is io.EOF.
func (t *Terminal) Read(ctx context.Context) error {
	p := t.painter
	r := &Reader{In: t.tty.Input(), Router: t.Router, Program: t.c.Program, Syncs: p.terminalSyncs, Answered: p.terminalAnswered}
	for {
		if err := r.Run(ctx); err != nil {
			return err
		}
		if !t.gate.wait(ctx) {
			break
		}
		r.In = t.tty.Input()
	}
	if ctx.Err() == nil {
		return io.EOF
	}
	return nil
}

// Show shows a scene, at once if the program has an input that it has not handled.
func (t *Terminal) Show(sc *Scene) { t.painter.show(sc, t.Router.Busy()) }

// PaneChanged says that a pane has another picture.
func (t *Terminal) PaneChanged(p *pane.Pane) { t.painter.paneChanged(p) }

// PopupShown returns since when a popup has been on the screen (Scene.Popup).
func (t *Terminal) PopupShown(popup uint64) (at time.Time, ok bool) {
	return t.painter.popupShown(popup)
}

// Slow reports whether the terminal took long for a frame lately.
func (t *Terminal) Slow() bool { return t.painter.slow() }

// Emit writes whole sequences that move no cursor and change no style before the next
// frame. Of more than 32 MB that wait the rest is dropped.
func (t *Terminal) Emit(b []byte) { t.painter.emit(b) }

// SetMouse has the terminal send events of the mouse, or not.
func (t *Terminal) SetMouse(on bool) { t.Emit(t.tty.SetMouse(on)) }

// SetTitle gives the window a title until Leave; "" gives it back its own.
func (t *Terminal) SetTitle(title string) {
	if seq := t.tty.SetTitle(title); seq != nil {
		t.Emit(seq)
	}
}

// Size is the terminal's, in cells.
func (t *Terminal) Size() (cols, rows int) { return t.tty.Size() }

// Backs are the questions for the colour of the background.
func (t *Terminal) Backs() *tty.BackgroundAsks { return t.tty.Backs() }

// Lendable is the terminal if it may be lent to hosts, otherwise nil: it must show every
// letter, and be a file of our own, whose mode suits both.
func (t *Terminal) Lendable() directline.Terminal {
	own := t.tty.File()
	if own == nil || t.c.Modes.Caps.Glyphs != paint.GlyphsAll {
		return nil
	}
	return own
}

// resized reports the size, and that the content is void.
func (t *Terminal) resized() { t.c.Resized(t.tty.Size()) }
