package host

import (
	"bytes"
	"errors"
	"time"
	"unicode/utf8"

	"ccdir/sessions/screen"
	"ccdir/wire"
)

// maxScreenText bounds the text of one Screen message, in bytes.
const maxScreenText = 64 << 10

// Bounds of ScreenParams: reading the screen's text must neither delay an echo nor cost
// much.
const (
	minScreenQuiet = 5 * time.Millisecond
	minScreenLimit = 200 * time.Millisecond
	maxScreenLimit = time.Minute
)

// screenWatch is a client's request for the screen's text (wire.MethodScreen). Guarded by
// host.mu.
type screenWatch struct {
	params       wire.ScreenParams // Lines 0: nothing
	quiet, limit time.Duration

	told  bool // the fields below are set
	sent  string
	gen   uint64 // generation of the screen at the last read, valid in epoch
	epoch uint64

	since time.Time // when the first change since the last read was seen; zero: none
	timed bool      // the writer has a timer for the next read
}

// watchScreen applies a client's ScreenParams.
func (c *client) watchScreen(p wire.ScreenParams) error {
	if p.Lines < 0 || p.Lines > screen.MaxRows || p.QuietMS < 0 || p.LimitMS < 0 {
		return errors.New("lines must be from 0 to 1000, times not negative")
	}
	c.h.mu.Lock()
	defer c.h.mu.Unlock()
	c.screen = screenWatch{params: p,
		quiet: max(minScreenQuiet, min(maxScreenLimit, time.Duration(p.QuietMS)*time.Millisecond)),
		limit: max(minScreenLimit, min(maxScreenLimit, time.Duration(p.LimitMS)*time.Millisecond))}
	c.wakeUp()
	return nil
}

// appendScreen appends the screen's text if it has changed and stood still, or kept
// changing for too long; else it returns when to look again, 0: at the next change. h.mu is
// held.
func (c *client) appendScreen(b []byte, now time.Time) ([]byte, time.Duration) {
	h, w := c.h, &c.screen
	gen := h.generation()
	w.timed = false
	if w.told && gen == w.gen && w.epoch == h.engEpoch {
		w.since = time.Time{}
		return b, 0
	}
	if w.since.IsZero() {
		w.since = now
	}
	still := h.lastRead.Add(w.quiet)
	due := still
	if limit := w.since.Add(w.limit); limit.Before(due) {
		due = limit
	}
	if half := h.syncFrom.Add(syncLimit); !h.syncFrom.IsZero() && half.After(due) {
		due = half // half a frame is worth nothing
	}
	if wait := due.Sub(now); wait > 0 {
		w.timed = true
		return b, wait
	}
	text, ok := h.lastLines(w.params.Lines)
	if !ok {
		return b, 0
	}
	w.since, w.gen, w.epoch = time.Time{}, gen, h.engEpoch
	if w.told && text == w.sent {
		return b, 0
	}
	w.told, w.sent = true, text
	return appendMessage(b, &wire.Screen{At: h.lastRead.UTC(), Text: text, Moving: now.Before(still)}), 0
}

// lastLines returns the text of the last n lines that are not empty. h.mu is held.
func (h *host) lastLines(n int) (text string, ok bool) {
	var lines [][]byte // last line first
	ok = h.guard("lines", func() {
		_, rows := h.eng.Size()
		for y := rows - 1; y >= 0 && len(lines) < n; y-- {
			line := bytes.TrimRight(h.eng.Table().AppendText(nil, h.eng.Row(y).Cells), " ")
			if len(line) > 0 {
				lines = append(lines, line)
			}
		}
	})
	var out []byte
	for i := len(lines) - 1; i >= 0; i-- {
		out = append(append(out, lines[i]...), '\n')
	}
	if over := len(out) - maxScreenText; over > 0 {
		for over < len(out) && !utf8.RuneStart(out[over]) {
			over++
		}
		out = out[over:]
	}
	return string(out), ok
}
