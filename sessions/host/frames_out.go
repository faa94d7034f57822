package host

import (
	"time"

	"ccdir/sessions/screen"
	"ccdir/wire"
)

// keepBuffer is the most memory, in bytes, that each of a client's buffers keeps between
// two writes.
const keepBuffer = 64 << 10

// collect gathers what the client must be sent now: responses, status, evidence, a frame,
// the screen's text. It takes the number of responses in it (answered). wait is the time
// until collect must run again without a wake-up, 0: never. last: nothing follows.
func (c *client) collect(now time.Time) (b []byte, answered int, wait time.Duration, last bool) {
	h := c.h
	h.mu.Lock()
	defer h.mu.Unlock()
	if cap(c.buf) > keepBuffer {
		c.buf = nil
		c.enc.Trim(keepBuffer)
	}
	b = append(c.buf[:0], c.outbox...)
	answered = c.answered
	c.outbox, c.answered = c.outbox[:0], 0
	if cap(c.outbox) > keepBuffer {
		c.outbox = nil
	}
	if c.refused {
		c.buf = b
		return b, answered, 0, true
	}
	if s := h.statusFor(c); !c.told || !c.sameStatus(s) {
		c.status, c.told, c.intake.tell = s, true, false
		b = appendMessage(b, &s)
	}
	b = c.appendEvidence(b)
	if (c.view.Visible || h.stopping && c.gen > 0) && !h.rests() {
		b, wait = c.appendFrame(b, now)
	}
	b, later := c.appendCopy(b, now)
	wait = sooner(wait, later)
	if c.screen.params.Lines > 0 && !h.stopping {
		b, later = c.appendScreen(b, now)
		wait = sooner(wait, later)
	}
	if h.stopping && (!c.follows || c.evidence == h.evidence.last) {
		b = appendMessage(b, &wire.Exit{ExitRecord: h.exit})
		last = true
	}
	c.buf = b
	return b, answered, wait, last
}

// sooner is the shorter of two waits, of which 0 is none.
func sooner(a, b time.Duration) time.Duration {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

// appendMessage appends a message that can always be encoded.
func appendMessage(dst []byte, m wire.Message) []byte {
	out, err := wire.AppendMessage(dst, m)
	if err != nil {
		return dst
	}
	return out
}

// statusFor is the status for client c. h.mu is held.
func (h *host) statusFor(c *client) wire.Status {
	return wire.Status{
		Cols: h.size.cols, Rows: h.size.rows,
		OwnSize: h.size.owner == c, Pinned: h.size.pinned,
		Title:   h.titles.told,
		Clients: len(h.clients),
		Written: h.ring.end,

		Connection: c.intake.id, Taken: c.intake.taken + c.intake.part, Dropped: c.intake.lost,
	}
}

// sameStatus reports whether the client needs no new status. It ignores Written, which
// always changes; the client's accepted input unless that is to be reported; and, for a
// client that only follows evidence (the daemon), the number of clients, or every attaching
// grid would wake it, and the title, which is evidence.
func (c *client) sameStatus(now wire.Status) bool {
	old := c.status
	old.Written = now.Written
	if !c.intake.tell {
		old.Taken, old.Dropped = now.Taken, now.Dropped
	}
	if c.follows && !c.view.Visible {
		old.Clients, old.Title = now.Clients, now.Title
	}
	return old == now
}

func (c *client) appendEvidence(b []byte) []byte {
	l := &c.h.evidence
	if !c.follows || c.evidence >= l.last {
		return b
	}
	if oldest := l.oldest(); c.evidence+1 < oldest {
		b = appendMessage(b, &wire.EvidenceLost{To: oldest - 1, PSP: l.latestPSP()})
		c.evidence = oldest - 1
	}
	for n := 0; c.evidence < l.last; n++ {
		if n == evidenceBatch {
			c.wakeUp()
			break
		}
		c.evidence++
		e := l.get(c.evidence)
		b = appendMessage(b, &e)
	}
	return b
}

// appendFrame appends a frame if the client's screen is out of date and pacing allows one;
// else it returns how long to wait, 0: until woken. h.mu is held.
func (c *client) appendFrame(b []byte, now time.Time) ([]byte, time.Duration) {
	h := c.h
	if !h.stopping {
		if !h.syncFrom.IsZero() {
			if left := syncLimit - now.Sub(h.syncFrom); left > 0 {
				return b, left
			}
		}
		if !c.full && c.epoch == h.engEpoch && c.gen == h.generation() {
			c.paced = false
			return b, 0
		}
		left := h.settled.Sub(now)
		if c.settling = left > 0; c.settling {
			return b, left
		}
		if wait := c.pace(now); wait > 0 {
			c.paced = true
			return b, wait
		}
	}
	c.paced = false
	h.guard("Row", func() { b = c.encodeFrame(b) })
	return b, 0
}

// pace takes a token for a frame, or returns how long until there is one.
func (c *client) pace(now time.Time) time.Duration {
	fps := c.view.MaxFPS
	if fps <= 0 || fps > 1000 {
		fps = defaultFPS
	}
	interval := time.Second / time.Duration(fps)
	c.tokens = min(frameBurst, c.tokens+float64(now.Sub(c.refilled))/float64(interval))
	c.refilled = now
	if c.typed != c.h.typed {
		c.typed = c.h.typed
		c.tokens = frameBurst
	}
	if c.tokens < 1 {
		return max(time.Millisecond, time.Duration((1-c.tokens)*float64(interval)))
	}
	c.tokens--
	return 0
}

// encodeFrame appends the frame that brings the client up to date.
func (c *client) encodeFrame(b []byte) []byte {
	h := c.h
	eng := h.eng
	gen := eng.Gen()
	cols, rows := eng.Size()
	full := c.full || c.epoch != h.engEpoch || cols != c.cols || rows != c.rows
	if !full && gen == c.gen {
		return b
	}
	s := eng.State()
	c.enc.Reset(eng.Table())
	f := &c.frame
	*f = wire.Frame{
		Full: full, Gen: h.picture(gen), Cols: cols, Rows: rows,
		Cursor:       wire.Cursor{X: s.Cursor.X, Y: s.Cursor.Y, Visible: s.Cursor.Visible, Shape: s.Cursor.Shape},
		Flags:        frameFlags(s),
		HistoryTotal: eng.HistoryTotal(),
		HistoryEpoch: eng.HistoryEpoch(),
		HistoryLen:   eng.HistoryLen(),
		Written:      h.ring.end,
		Data:         f.Data[:0],
	}
	hint, scrolled := eng.ScrollHint(c.gen)
	if scrolled = scrolled && !full && hint.N != 0; scrolled {
		f.ScrollTop, f.ScrollBottom, f.ScrollN = hint.Top, hint.Bottom, max(-rows, min(hint.N, rows))
	}
	for y := range rows {
		r := eng.Row(y)
		changed := r.Gen
		if scrolled {
			changed = r.Edited
		}
		if full || changed > c.gen {
			c.enc.Add(y, r)
		}
	}
	f.Data = c.enc.AppendTo(f.Data)
	b = appendMessage(b, f)
	if cap(f.Data) > keepBuffer {
		f.Data = nil
	}
	c.full, c.epoch, c.gen, c.cols, c.rows = false, h.engEpoch, gen, cols, rows
	h.frames++
	return b
}

// frameFlags are the modes that clients need.
func frameFlags(s screen.State) (f wire.FrameFlags) {
	for _, m := range [...]struct {
		on   bool
		flag wire.FrameFlags
	}{
		{s.Alt, wire.FlagAlt},
		{s.Modes.Mouse != screen.MouseOff, wire.FlagMouse},
		{s.Modes.Mouse >= screen.MouseButton, wire.FlagMouseMotion},
		{s.Modes.Mouse == screen.MouseAny, wire.FlagMouseAny},
		{s.Modes.ReverseVideo, wire.FlagReverse},
		{s.Modes.BracketedPaste, wire.FlagBracketed},
		{s.Modes.AltScroll, wire.FlagAltScroll},
		{s.Modes.FocusEvents, wire.FlagFocusReports},
	} {
		if m.on {
			f |= m.flag
		}
	}
	return f
}
