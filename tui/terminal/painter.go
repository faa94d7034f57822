package terminal

import (
	"context"
	"io"
	"sync/atomic"
	"time"

	"ccdir/tui/paint"
	"ccdir/tui/pane"
	"ccdir/tui/terminal/lent"
	"ccdir/tui/terminal/tty"
)

// Pacing. A change is painted at once if the last frame is long enough ago. Changes that a
// person waits for are always painted at once: the scene after an input, and the focused
// pane within echoWindow after a key for it.
const (
	frameTime  = time.Second / 60
	echoWindow = 200 * time.Millisecond
)

// A terminal that took longer than slowWrite for a frame counts as slow for slowFor:
// decoration waits.
const (
	slowWrite = 50 * time.Millisecond
	slowFor   = 30 * time.Second
)

// lendFor is how long after an input the terminal is lent to a host: a while, because each
// loan may cost a few bytes.
const lendFor = 2 * time.Second

// popupMark is the newest popup on the screen, and when it came there.
type popupMark struct {
	popup uint64
	at    time.Time
}

// painter owns the output. Its run, writeExtra and paint belong to one goroutine; other
// methods may be called from any.
type painter struct {
	out    io.Writer
	comp   *Compositor
	w      *paint.Writer
	screen *lent.Screen // who may write to out
	router *Router
	now    func() time.Time

	scene  atomic.Pointer[Scene] // the newest one
	wakeUp chan struct{}         // one slot
	urgent atomic.Bool           // paint at once instead of at the next frame
	sync   atomic.Bool           // the terminal has synchronized updates
	slowAt atomic.Int64          // when a write took long last, in Unix nanoseconds; 0: never
	popup  atomic.Pointer[popupMark]
	// answers counts the terminal's answers to tty.AskStatus, asks the questions in frames.
	answers, asks atomic.Uint64
	frames, bytes atomic.Uint64 // written
	extra         extra

	// Owned by run's goroutine.
	redraws uint64 // Scene.Redraws of the last frame
	pipe    tty.Pipe
	gather  gather
	// seen is called once, when the first picture with sessions was written; nil
	// afterwards.
	seen func()
}

func newPainter(out io.Writer, caps paint.Caps, r *Router) *painter {
	p := &painter{
		out: out, comp: NewCompositor(caps), w: paint.NewWriter(caps), router: r,
		now: time.Now, wakeUp: make(chan struct{}, 1),
	}
	p.screen = lent.New(p.w, p.comp.Surface(), func(bytes int) { p.wrote(bytes, false) })
	return p
}

// show takes a new scene; urgent: it is the answer to an input.
func (p *painter) show(sc *Scene, urgent bool) {
	p.scene.Store(sc)
	if urgent {
		p.urgent.Store(true)
	}
	p.wake()
}

// paneChanged is called on the pane's goroutine after each of its frames.
func (p *painter) paneChanged(from *pane.Pane) {
	if p.router.Route().Pane == from && p.now().UnixNano()-p.router.LastInput() < int64(echoWindow) {
		p.urgent.Store(true)
	}
	p.wake()
}

func (p *painter) wake() {
	select {
	case p.wakeUp <- struct{}{}:
	default:
	}
}

// slow reports whether the terminal took long for a frame lately.
func (p *painter) slow() bool {
	at := p.slowAt.Load()
	return at != 0 && p.now().UnixNano()-at < int64(slowFor)
}

// terminalSyncs is called for each answer to tty.AskSync.
func (p *painter) terminalSyncs(hasSync bool) {
	if hasSync {
		p.sync.Store(true)
	}
}

// terminalAnswered is called for each answer to tty.AskStatus.
func (p *painter) terminalAnswered() {
	p.answers.Add(1)
	p.wake()
}

// popupShown returns since when a popup has been on the screen.
func (p *painter) popupShown(popup uint64) (time.Time, bool) {
	m := p.popup.Load()
	if m == nil || m.popup < popup {
		return time.Time{}, false
	}
	return m.at, true
}

// run paints until ctx ends or a write fails.
func (p *painter) run(ctx context.Context) error {
	defer p.screen.Close()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	var due time.Time // of the next frame that is not urgent
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-p.wakeUp:
		case <-timer.C:
		}
		sc := p.scene.Load()
		if sc == nil || sc.Cols <= 0 || sc.Rows <= 0 {
			continue
		}
		if err := p.writeExtra(); err != nil {
			return err
		}
		now := p.now()
		p.pipe.Take(now, p.answers.Load())
		urgent := p.urgent.Swap(false)
		hold, complete := p.gather.look(sc, now)
		if hold > 0 && !urgent {
			timer.Reset(hold)
			continue
		}
		urgent = urgent || complete
		paced := now.Before(due)
		if paced && !urgent {
			timer.Reset(due.Sub(now))
			continue
		}
		held, full := p.pipe.Full(now)
		if full && !urgent {
			timer.Reset(held)
			continue
		}
		if err := p.paint(sc, paced || full); err != nil {
			return err
		}
		if p.seen != nil && sc.Loaded {
			p.seen()
			p.seen = nil
		}
		if paced {
			timer.Reset(max(due.Sub(p.now()), 0))
		} else if full {
			timer.Reset(held)
		} else {
			due = p.now().Add(frameTime)
		}
	}
}

// paint writes one frame. Between two paced frames, and while much is under way to the
// terminal, only the focused pane is brought up to date, unless the scene is new.
func (p *painter) paint(sc *Scene, between bool) error {
	anew := sc != p.comp.last
	err := p.screen.Frame(anew, func() lent.Picture { return p.compose(sc, between && !anew) }, p.write)
	if err != nil {
		return err
	}
	if m := p.popup.Load(); m == nil || m.popup < sc.Popup {
		p.popup.Store(&popupMark{sc.Popup, p.now()})
	}
	return nil
}

// compose brings the surface up to date with the scene and its panes, or only with the
// focused one of these.
func (p *painter) compose(sc *Scene, focused bool) lent.Picture {
	if sc.Redraws != p.redraws {
		p.redraws = sc.Redraws
		p.w.Clear()
	}
	p.w.SetSync(p.sync.Load())
	var only *pane.Pane
	if focused {
		only = p.router.Route().Pane
	}
	if sc != p.comp.last && p.comp.surface.Crowded() {
		p.comp.surface.Renew()
		p.w.Forget()
	}
	cur := p.comp.Compose(sc, only)
	p.comp.forget()
	idle := p.now().UnixNano() - p.router.LastInput()
	return lent.Picture{Cursor: cur, Focus: p.comp.focus, Lend: idle <= int64(lendFor)}
}

// write writes the bytes of one frame, with a question for the terminal's status at their
// end if one is due.
func (p *painter) write(out []byte) error {
	asks := p.pipe.Ask(len(out))
	if asks {
		out = append(out, tty.AskStatus...)
		p.asks.Add(1)
	}
	began := p.now()
	if _, err := p.out.Write(out); err != nil {
		return err
	}
	if ended := p.now(); ended.Sub(began) > slowWrite {
		p.slowAt.Store(ended.UnixNano())
	}
	p.wrote(len(out), asks)
	p.frames.Add(1)
	return nil
}

// wrote accounts for bytes that were written to the terminal; asks: with a question at
// their end.
func (p *painter) wrote(bytes int, asks bool) {
	p.pipe.Wrote(p.now(), bytes, asks)
	p.bytes.Add(uint64(bytes))
}
