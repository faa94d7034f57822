package tui

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

// Pacing. A change is painted at once when the last frame is long enough ago,
// and what a person waits for always: the scene after an input, and the focused
// pane within echoWindow after a key for it.
const (
	frameTime  = time.Second / 60
	echoWindow = 200 * time.Millisecond
)

// A terminal to which a frame took longer than slowWrite is slow for slowFor:
// what is only for the eye waits.
const (
	slowWrite = 50 * time.Millisecond
	slowFor   = 30 * time.Second
)

// slow reports whether the terminal took long to take a frame lately.
func (p *painter) slow() bool {
	at := p.slowAt.Load()
	return at != 0 && p.now().UnixNano()-at < int64(slowFor)
}

// popupMark is the newest popup that is on the screen, and since when.
type popupMark struct {
	popup uint64
	at    time.Time
}

// painter owns the output.
type painter struct {
	out    io.Writer
	comp   *composer
	w      *paint.Writer
	router *router
	now    func() time.Time

	scene   atomic.Pointer[scene]
	wakeUp  chan struct{} // one slot
	urgent  atomic.Bool   // paint at once, not at the next frame
	redraws uint64        // of the scene painted last
	sync    atomic.Bool   // the terminal has synchronized updates
	// answers counts what the terminal has answered to tty.AskStatus, asks what frames have
	// asked.
	answers, asks atomic.Uint64
	pipe          tty.Pipe
	popup         atomic.Pointer[popupMark]
	slowAt        atomic.Int64 // when a write took long last, in unix nanoseconds
	gather        gather
	seen          func() // called once, when the first picture that has sessions was written; nil after it
	extra         extra
	screen        *lent.Screen // who may write to the terminal
	frames        atomic.Uint64
	bytes         atomic.Uint64
}

func newPainter(out io.Writer, caps paint.Caps, r *router) *painter {
	p := &painter{
		out: out, comp: newComposer(caps), w: paint.NewWriter(caps), router: r,
		now: time.Now, wakeUp: make(chan struct{}, 1),
	}
	p.screen = lent.New(p.w, p.comp.s, func(bytes int) { p.wrote(bytes, false) })
	return p
}

// wrote accounts for bytes that were written to the terminal, asks says whether with a
// question at their end.
func (p *painter) wrote(bytes int, asks bool) {
	p.pipe.Wrote(p.now(), bytes, asks)
	p.bytes.Add(uint64(bytes))
}

// publish takes a new scene; urgent ones are the answer to an input.
func (p *painter) publish(sc *scene, urgent bool) {
	p.scene.Store(sc)
	if urgent {
		p.urgent.Store(true)
	}
	p.wake()
}

// paneChanged is called by the pane's goroutine after each frame.
func (p *painter) paneChanged(from *pane.Pane) {
	if r := p.router.now.Load(); r != nil && r.pane == from {
		if p.now().UnixNano()-p.router.typedAt.Load() < int64(echoWindow) {
			p.urgent.Store(true)
		}
	}
	p.wake()
}

func (p *painter) wake() {
	select {
	case p.wakeUp <- struct{}{}:
	default:
	}
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

// popupShown tells since when a popup has been on the screen.
func (p *painter) popupShown(popup uint64) (time.Time, bool) {
	m := p.popup.Load()
	if m == nil || m.popup < popup {
		return time.Time{}, false
	}
	return m.at, true
}

// run paints until ctx ends or the terminal takes nothing any more.
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
		if err := p.aside(); err != nil {
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

// paint writes one frame. Between two paced frames, and while much is under way
// to the terminal, only the focused pane is brought up to date, unless the scene
// is new.
func (p *painter) paint(sc *scene, between bool) error {
	anew := sc != p.comp.last
	err := p.screen.Frame(anew, func() lent.Picture { return p.compose(sc, between && !anew) }, p.writeFrame)
	if err != nil {
		return err
	}
	if m := p.popup.Load(); m == nil || m.popup < sc.popup {
		p.popup.Store(&popupMark{sc.popup, p.now()})
	}
	return nil
}

// lendFor is how long after an input the terminal is lent: a while, because each loan
// may cost a few bytes.
const lendFor = 2 * time.Second

// compose brings the surface up to date with the scene and the panes, of which only the
// focused one counts if focused is set.
func (p *painter) compose(sc *scene, focused bool) lent.Picture {
	if sc.redraws != p.redraws {
		p.redraws = sc.redraws
		p.w.Clear()
	}
	p.w.SetSync(p.sync.Load())
	var only *pane.Pane
	if r := p.router.now.Load(); focused && r != nil {
		only = r.pane
	}
	if sc != p.comp.last && p.comp.s.Crowded() {
		p.comp.s.Renew()
		p.w.Forget()
	}
	cur := p.comp.compose(sc, only)
	p.comp.forget(sc)
	typed := p.now().UnixNano() - p.router.typedAt.Load()
	return lent.Picture{Cursor: cur, Focus: p.comp.focus, Lend: typed <= int64(lendFor)}
}

// writeFrame writes the bytes of one frame, with a question for the terminal's status at
// their end if one is due.
func (p *painter) writeFrame(out []byte) error {
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
