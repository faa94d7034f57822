package host

import (
	"time"
	"unicode/utf8"

	"ccdir/wire"
)

// A program may turn a sign in its title many times a second, and each title that is told
// wakes the daemon and every grid. The last title is always told, at the latest after these.
const (
	// turnEvery is the minimum time between titles that differ in a turning sign or a number.
	turnEvery = 500 * time.Millisecond
	// titleEvery is that between others. Agents show their state in the title: a change of it
	// waits for no turn of a sign, and for no earlier change but the last.
	titleEvery = 250 * time.Millisecond
)

// titles paces what is told of the title. Guarded by host.mu.
type titles struct {
	h       *host
	now     string      // the latest; "" before any
	nowAt   time.Time   // when now was set: evidence counts from then, however late it is told
	told    string      // what statuses say, and evidence has said last
	toldAt  time.Time   // of told
	wordsAt time.Time   // when one was told that differed in more than a turn
	timer   *time.Timer // nil before the first wait
	armed   bool        // now is to be told when timer fires
}

// set tells the title at once, or when its time has come.
func (t *titles) set(title string, at time.Time) {
	t.now, t.nowAt = title, at
	wait := titleEvery - at.Sub(t.wordsAt)
	if turned(t.told, title) {
		wait = turnEvery - at.Sub(t.toldAt)
	}
	t.stop()
	if title == t.told || wait <= 0 {
		t.tell(at)
		return
	}
	t.armed = true
	if t.timer == nil {
		t.timer = time.AfterFunc(wait, t.due)
	} else {
		t.timer.Reset(wait)
	}
}

// tell tells the latest title, unless it is known. h.mu is held.
func (t *titles) tell(at time.Time) {
	if t.now == t.told {
		return
	}
	if !turned(t.told, t.now) {
		t.wordsAt = at
	}
	t.told, t.toldAt = t.now, at
	t.h.recordAt(t.nowAt, wire.EvidenceTitle, field{"text", t.now})
	t.h.wakeAll()
}

// stop ends the wait of a title.
func (t *titles) stop() {
	if t.armed = false; t.timer != nil {
		t.timer.Stop()
	}
}

func (t *titles) due() {
	t.h.mu.Lock()
	defer t.h.mu.Unlock()
	if !t.armed || t.h.stopping { // set has told another meanwhile; the final record has the title
		return
	}
	t.armed = false
	t.tell(time.Now())
}

// turned reports whether two titles differ in nothing but numbers and the turn of a sign.
func turned(a, b string) bool {
	for {
		var x, y rune
		x, a = nextOf(a)
		y, b = nextOf(b)
		if x != y {
			return false
		}
		if x == 0 {
			return true
		}
	}
}

// nextOf returns the first rune of a title that is not a digit, with the signs that programs
// turn as one, and what follows it. The rune is 0 at the end; a title has no control characters.
func nextOf(s string) (rune, string) {
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		s = s[n:]
		switch {
		case r >= '0' && r <= '9':
		case r >= 0x2800 && r <= 0x28ff, r >= '◐' && r <= '◕', r == '|', r == '/', r == '-', r == '\\':
			return '⠿', s
		default:
			return r, s
		}
	}
	return 0, ""
}
