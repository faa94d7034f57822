package tui

import (
	"context"
	"io"
	"sync/atomic"
	"time"

	"ccdir/internal/hostwire"
	"ccdir/tui/paint"
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

// offset is the part of the session's screen that is shown in w by h cells: the
// upper left one, or as far down and right as the cursor needs.
func (p *pane) offset(w, h int) (x, y int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pic == nil {
		return 0, 0
	}
	return offsetOf(p.pic, w, h)
}

func offsetOf(pic picture, w, h int) (x, y int) {
	cols, rows := pic.Size()
	cur := pic.Cursor()
	if rows > h {
		y = min(max(cur.Y-h+1, 0), rows-h)
	}
	if cols > w && cur.X >= w {
		x = min(max(cur.X-w/2, 0), cols-w)
	}
	return x, y
}

// paneCache is what the composer knows of a pane that it drew.
type paneCache struct {
	layer  paint.Layer
	pic    picture
	gen    uint64
	ox, oy int
	rev    bool
	seen   uint64 // scene in which it was drawn last
}

// composer draws scenes and panes on a surface.
type composer struct {
	s     *paint.Surface
	caps  paint.Caps
	cache map[*pane]*paneCache
	last  *scene
	// over is what lies over the panes in the last scene, with its cursor.
	over    paint.Patch
	overCur paint.Cursor
}

func newComposer(caps paint.Caps) *composer {
	return &composer{s: paint.NewSurface(0, 0, caps), caps: caps, cache: map[*pane]*paneCache{}}
}

// compose brings the surface up to date: all of it for a new scene, else the
// rows of the panes that changed, only that pane's if only is not nil. It
// returns the cursor.
func (c *composer) compose(sc *scene, only *pane) paint.Cursor {
	full := sc != c.last
	if full {
		if cols, rows := c.s.Size(); cols != sc.cols || rows != sc.rows {
			c.s.Resize(sc.cols, sc.rows)
		} else {
			c.s.Clear()
		}
		sc.drawChrome(c.s)
		c.last = sc
	}
	var focus paint.Cursor
	drawn := full
	for _, t := range sc.tiles {
		if t.pane == nil {
			continue
		}
		if full || only == nil || only == t.pane {
			drawn = c.pane(sc, t, full) || drawn
		}
		switch {
		case t.focused && t.copy != nil:
			focus = c.copyCursor(sc, t)
		case t.focused:
			focus = c.cursor(t)
		}
	}
	switch {
	case sc.overlay == nil && sc.mode == modeEvents:
		return sc.eventsCursor()
	case sc.overlay == nil && sc.mode != modePrompt:
		return focus
	case full:
		c.s.Keep(&c.over, func() { c.overCur = sc.drawOver(c.s) })
	case drawn:
		c.s.Lay(&c.over)
	}
	return c.overCur
}

// drawOver draws what lies over the panes: the dialog, or else the prompt bar.
func (sc *scene) drawOver(s *paint.Surface) paint.Cursor {
	if sc.overlay != nil {
		return sc.overlay.draw(s, sc)
	}
	return sc.drawPromptBar(s)
}

// pane lays a pane's changed rows into the surface and reports whether there
// were any.
func (c *composer) pane(sc *scene, t tileView, full bool) bool {
	p, in := t.pane, t.inner()
	dirty := p.dirty.Swap(false)
	if !dirty && !full || in.Empty() {
		return false
	}
	pc := c.cache[p]
	if pc == nil {
		pc = &paneCache{}
		c.cache[p] = pc
	}
	pc.seen = sc.seq
	if t.copy != nil {
		p.dirty.Store(true) // for when the pane is shown again
		c.drawCopy(sc, t, pc)
		return true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pic == nil {
		return false
	}
	ox, oy := offsetOf(p.pic, in.W, in.H)
	rev := p.pic.Flags()&hostwire.FlagReverse != 0
	all := full || p.pic != pc.pic || ox != pc.ox || oy != pc.oy || rev != pc.rev
	_, rows := p.pic.Size()
	table := p.pic.Table()
	any := all
	for y := range in.H {
		if y+oy >= rows {
			if all {
				c.s.Fill(paint.Rect{X: in.X, Y: in.Y + y, W: in.W, H: 1}, fg(0))
			}
			continue
		}
		row := p.pic.Row(y + oy)
		if !all && row.Gen <= pc.gen {
			continue
		}
		any = true
		cells := row.Cells
		if ox < len(cells) {
			cells = cells[ox:]
		} else {
			cells = nil
		}
		pc.layer.Row(c.s, in.X, in.Y+y, in.W, table, cells, rev)
	}
	pc.pic, pc.gen, pc.ox, pc.oy, pc.rev = p.pic, p.pic.Gen(), ox, oy, rev
	return any
}

// cursor is the terminal's cursor for the focused pane.
func (c *composer) cursor(t tileView) paint.Cursor {
	in := t.inner()
	t.pane.mu.Lock()
	defer t.pane.mu.Unlock()
	if t.pane.pic == nil || t.session.State.Ended() {
		return paint.Cursor{}
	}
	ox, oy := offsetOf(t.pane.pic, in.W, in.H)
	cur := t.pane.pic.Cursor()
	x, y := in.X+cur.X-ox, in.Y+cur.Y-oy
	return paint.Cursor{X: x, Y: y, Visible: cur.Visible && in.Contains(x, y), Shape: cur.Shape}
}

// forget drops the caches of panes that were not drawn for a while.
func (c *composer) forget(sc *scene) {
	if len(c.cache) <= 2*len(sc.tiles)+8 {
		return
	}
	for p, pc := range c.cache {
		if pc.seen+100 < sc.seq {
			delete(c.cache, p)
		}
	}
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
	// answers counts what the terminal has answered to askSync, asks what frames have
	// asked.
	answers, asks atomic.Uint64
	pipe          pipe
	popup         atomic.Pointer[popupMark]
	slowAt        atomic.Int64 // when a write took long last, in unix nanoseconds
	gather        gather
	seen          func() // called once, when the first picture that has sessions was written; nil after it
	extra         extra
	frames        atomic.Uint64
	bytes         atomic.Uint64
}

func newPainter(out io.Writer, caps paint.Caps, r *router) *painter {
	return &painter{
		out: out, comp: newComposer(caps), w: paint.NewWriter(caps), router: r,
		now: time.Now, wakeUp: make(chan struct{}, 1),
	}
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
func (p *painter) paneChanged(from *pane) {
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

// terminalAnswered is called for each answer to askSync.
func (p *painter) terminalAnswered(hasSync bool) {
	if hasSync {
		p.sync.Store(true)
	}
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
		if sc == nil || sc.cols <= 0 || sc.rows <= 0 {
			continue
		}
		if err := p.aside(); err != nil {
			return err
		}
		now := p.now()
		p.pipe.take(now, p.answers.Load())
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
		held, full := p.pipe.full(now)
		if full && !urgent {
			timer.Reset(held)
			continue
		}
		if err := p.paint(sc, paced || full); err != nil {
			return err
		}
		if p.seen != nil && sc.loaded {
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
	p.extra.busy.Lock()
	defer p.extra.busy.Unlock()
	if sc.redraws != p.redraws {
		p.redraws = sc.redraws
		p.w.Clear()
	}
	p.w.SetSync(p.sync.Load())
	var only *pane
	if r := p.router.now.Load(); between && sc == p.comp.last && r != nil {
		only = r.pane
	}
	if sc != p.comp.last && p.comp.s.Crowded() {
		p.comp.s.Renew()
		p.w.Forget()
	}
	cur := p.comp.compose(sc, only)
	p.comp.forget(sc)
	out := p.w.Frame(p.comp.s, cur)
	if len(out) > 0 {
		asks := p.pipe.ask(len(out))
		if asks {
			out = append(out, askSync...)
			p.asks.Add(1)
		}
		began := p.now()
		if _, err := p.out.Write(out); err != nil {
			return err
		}
		if ended := p.now(); ended.Sub(began) > slowWrite {
			p.slowAt.Store(ended.UnixNano())
		}
		p.pipe.wrote(p.now(), len(out), asks)
		p.frames.Add(1)
		p.bytes.Add(uint64(len(out)))
	}
	if m := p.popup.Load(); m == nil || m.popup < sc.popup {
		p.popup.Store(&popupMark{sc.popup, p.now()})
	}
	return nil
}
