package process

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"
)

// repeatEvery is how often a line that repeats is logged: a disk that stays read-only would
// else fill the log with the same two lines a second.
const repeatEvery = time.Minute

// maxRepeats bounds the different lines that are remembered. With as many within one
// repeatEvery, further ones are logged each time.
const maxRepeats = 512

// repeats passes a record on at once, and those that say the same within repeatEvery as one:
// the newest of them, with their number, at its end. Records say the same if level, message
// and texts are equal; numbers (a size, how many wait) may differ.
type repeats struct {
	next slog.Handler
	with string // the attributes of With, as part of the key
	*said
}

// said are the records logged within the last repeatEvery.
type said struct {
	mu     sync.Mutex
	lines  map[string]*line
	closed bool
}

// line is one that was logged.
type line struct {
	until  time.Time
	again  int // not logged yet, the newest of them last
	last   slog.Record
	next   slog.Handler
	ending *time.Timer // nil: nothing waits for the end
}

func newRepeats(next slog.Handler) repeats {
	return repeats{next: next, said: &said{lines: map[string]*line{}}}
}

func (h repeats) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

func (h repeats) WithAttrs(attrs []slog.Attr) slog.Handler {
	var key strings.Builder
	for _, a := range attrs {
		writeKey(&key, a)
	}
	return repeats{next: h.next.WithAttrs(attrs), with: h.with + key.String(), said: h.said}
}

func (h repeats) WithGroup(name string) slog.Handler {
	return repeats{next: h.next.WithGroup(name), with: h.with + name + "\x00", said: h.said}
}

// Handle logs the record, or counts it.
func (h repeats) Handle(ctx context.Context, r slog.Record) error {
	if h.counted(h.key(r), r) {
		return nil
	}
	return h.next.Handle(ctx, r)
}

// counted reports whether the record says what was said; it is logged later.
func (h repeats) counted(key string, r slog.Record) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := time.Now()
	l := h.lines[key]
	if h.closed || l == nil && len(h.lines) >= maxRepeats && !h.forget(now) {
		return false
	}
	if l == nil || !now.Before(l.until) && l.again == 0 {
		h.lines[key] = &line{until: now.Add(repeatEvery)}
		return false
	}
	l.again, l.last, l.next = l.again+1, r.Clone(), h.next
	if l.ending == nil {
		l.ending = time.AfterFunc(l.until.Sub(now), func() { h.end(l) })
	}
	return true
}

// forget makes room by lines whose time is over; false if there are none.
func (s *said) forget(now time.Time) bool {
	before := len(s.lines)
	for key, l := range s.lines {
		if l.again == 0 && !now.Before(l.until) {
			delete(s.lines, key)
		}
	}
	return len(s.lines) < before
}

// end logs what repeated, and begins anew.
func (s *said) end(l *line) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l.again > 0 && !s.closed {
		_ = l.log() // the log cannot be written: nobody can be told
		l.until = time.Now().Add(repeatEvery)
	}
	l.again, l.ending = 0, nil
}

func (l *line) log() error {
	l.last.AddAttrs(slog.Int("repeated", l.again))
	return l.next.Handle(context.Background(), l.last)
}

// close logs what repeated until now. Later records are logged at once.
func (s *said) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	var errs []error
	for _, l := range s.lines {
		if l.again > 0 {
			l.ending.Stop() // one that runs already finds s closed
			errs = append(errs, l.log())
		}
	}
	return errors.Join(errs...)
}

// key is the text by which records are equal.
func (h repeats) key(r slog.Record) string {
	var key strings.Builder
	key.WriteString(r.Level.String() + "\x00" + r.Message + "\x00" + h.with)
	r.Attrs(func(a slog.Attr) bool { writeKey(&key, a); return true })
	return key.String()
}

func writeKey(key *strings.Builder, a slog.Attr) {
	key.WriteString(a.Key + "=")
	switch v := a.Value.Resolve(); v.Kind() {
	case slog.KindInt64, slog.KindUint64, slog.KindFloat64, slog.KindDuration, slog.KindTime: // may differ
	default:
		key.WriteString(v.String())
	}
	key.WriteByte(0)
}
