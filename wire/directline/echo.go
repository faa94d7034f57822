package directline

import (
	"fmt"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"
)

// MaxEcho bounds what the host writes to the display at once, in bytes.
const MaxEcho = 32

// echoWords is the part of the shared words that is about the display.
type echoWords struct {
	// turn says who may write to it: one of the turn… constants. It is the
	// terminal's but while that lends it.
	turn atomic.Uint32
	// room is how many cells may be written.
	room atomic.Uint32
	// shows is the number of the picture on the screen, 0: nothing is lent. The
	// host takes it back by writing.
	shows atomic.Uint64
	// n is how many bytes the host has written of text, or echoBroken.
	n    atomic.Uint32
	text [MaxEcho]byte // who has the turn may use it
	// next is Loan.Next, packed; wrapped is 1 if the text was written there.
	next    atomic.Uint64
	wrapped atomic.Uint32
}

// echoBroken: a part was written that is not known.
const echoBroken = MaxEcho + 1

// Plain reports whether text is such that every terminal shows it in as many cells
// as it has characters, each for itself and from left to right, and how many these
// are: printable ASCII and letters of alphabets that have neither joined forms nor
// marks. Only plain text is echoed straight.
func Plain(text []byte) (cells int, ok bool) {
	for i := 0; i < len(text); cells++ {
		if c := text[i]; c >= ' ' && c < 0x7f {
			i++
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		if n == 1 || r < 0xa1 || r > maxPlain || !unicode.IsLetter(r) {
			return 0, false
		}
		i += n
	}
	return cells, cells > 0
}

// maxPlain is the last letter of the Latin, Greek, Cyrillic and Armenian blocks,
// which are one behind the other.
const maxPlain = 0x587

// SetDisplay takes over the descriptor of the terminal itself, in non-blocking mode;
// a second one is refused.
func (p *Page) SetDisplay(fd int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w == nil || p.display >= 0 {
		drop(fd)
		return false
	}
	p.display = fd
	return true
}

// Lent reports whether Echo after the picture of that number has a chance.
func (p *Page) Lent(after uint64) (lent bool) {
	p.use(func(w *words) { lent = after != 0 && p.display >= 0 && w.echo.shows.Load() == after })
	return lent
}

// Echo writes text, which is plain and takes so many cells, to the display, if the
// terminal lends it and shows the picture of that number: where the program's cursor
// is, or at the beginning of the next row if wrap is set, because the cursor's row is
// full. It does not wait.
func (p *Page) Echo(after uint64, text []byte, cells int, wrap bool) (done bool) {
	if after == 0 || len(text) > MaxEcho {
		return false
	}
	p.use(func(w *words) {
		e := &w.echo
		if p.display < 0 || !e.turn.CompareAndSwap(turnFree, turnHost) {
			return
		}
		room := int(e.room.Load())
		var buf [MaxEcho + maxMove]byte
		out := buf[:0]
		if wrap {
			next := unpackNext(e.next.Load())
			room = next.Room
			out = fmt.Appendf(out, "\x1b[%d;%dH", next.Row, next.Col)
		}
		if e.shows.Load() == after && room >= cells {
			e.shows.Store(0)
			e.n.Store(echoBroken) // until it is known
			move := len(out)
			n := put(p.display, append(out, text...))
			switch done = n > move; {
			case n == 0:
				e.n.Store(0)
			case done && utf8.Valid(text[:n-move]):
				copy(e.text[:], text[:n-move])
				if wrap {
					e.wrapped.Store(1)
				}
				e.n.Store(uint32(n - move))
			}
		}
		e.turn.CompareAndSwap(turnHost, turnFree) // fails if the terminal lost patience
	})
	return done
}

// Loan is what a terminal lends: it shows the whole of the picture of the number
// Shows (hostwire.Frame.Gen), its cursor is where the program's is, and what is
// printed there now has no attributes.
type Loan struct {
	Shows uint64
	// Room is how many cells may be written there. None at all is no loan, unless
	// there is a next row.
	Room int
	// Next is where the next row begins, for text before which the cursor's row is full.
	Next Next
}

// Next is the beginning of a row on the display: from 1 on, as CUP has it, each number
// below 65536. Room is how many cells may be written there; 0: none, there is no
// such row.
type Next struct{ Row, Col, Room int }

// maxMove is how long CUP is at most: "\x1b[65535;65535H".
const maxMove = 14

func (n Next) pack() uint64 {
	if n.Room <= 0 || max(n.Row, n.Col, n.Room) > 1<<16-1 {
		return 0
	}
	return uint64(n.Row)<<32 | uint64(n.Col)<<16 | uint64(n.Room)
}

func unpackNext(w uint64) Next {
	return Next{Row: int(w >> 32 & 0xffff), Col: int(w >> 16 & 0xffff), Room: int(w & 0xffff)}
}

// Written is what a host has written to a display that was lent.
type Written struct {
	Text string
	// Wrapped: at Loan.Next, and not at the cursor.
	Wrapped bool
}

// lending is what the terminal knows of its display's turn.
type lending struct {
	on   bool // lent
	lost bool // the host did not give it back: never again
	// wrote is what was written until it was taken back, broken if that is not known.
	wrote  Written
	broken bool
}

// Lend allows the host to write once, until TakeBack, what its program prints
// next, if that is plain text.
func (l *Line) Lend(of Loan) {
	l.mu.Lock()
	defer l.mu.Unlock()
	next := of.Next.pack()
	if l.w == nil || l.lent.on || l.lent.lost || of.Room <= 0 && next == 0 {
		return
	}
	e := &l.w.echo
	e.n.Store(0)
	e.wrapped.Store(0)
	e.room.Store(uint32(max(of.Room, 0)))
	e.next.Store(next)
	e.shows.Store(of.Shows)
	l.lent.on = true
	e.turn.Store(turnFree)
}

// TakeBack ends Lend and returns what the host has written since, the zero value if
// nothing. known is false if it may have written something that is not known. It waits
// for a host that is writing, which takes microseconds, and not longer than holdWait for
// one that was stopped meanwhile; nothing is lent to that any more.
func (l *Line) TakeBack() (wrote Written, known bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.takeBack()
	wrote, known = l.lent.wrote, !l.lent.broken
	l.lent.wrote, l.lent.broken = Written{}, false
	return wrote, known
}

// takeBack takes the turn. l.mu is held.
func (l *Line) takeBack() {
	if l.w == nil || !l.lent.on {
		return
	}
	e := &l.w.echo
	l.lent.on = false
	for end := time.Now().Add(holdWait); !e.turn.CompareAndSwap(turnFree, turnTerminal); time.Sleep(holdStep) {
		if time.Now().After(end) {
			e.turn.Store(turnTerminal)
			l.lent.lost, l.lent.broken = true, true
			break
		}
	}
	e.shows.Store(0)
	n := e.n.Load()
	if n > MaxEcho {
		l.lent.broken = true
		return
	}
	text := string(e.text[:n])
	if _, plain := Plain([]byte(text)); n > 0 && !plain {
		l.lent.broken = true
		return
	}
	l.lent.wrote = Written{text, n > 0 && e.wrapped.Load() != 0}
}
