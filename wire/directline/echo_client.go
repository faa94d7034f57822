package directline

import "time"

// Loan describes a lent terminal: it shows the whole picture of the number Shows, its cursor is at the program's cursor, and text printed there has no
// attributes.
type Loan struct {
	// Shows is the picture's number (wire.Frame.Gen); 0 lends nothing.
	Shows uint64
	// Room is how many cells may be written at the cursor; 0 lends only Next.
	Room int
	// Next is the start of the next row, for text that the program wraps because the
	// cursor's row is full; the zero value lends no such row.
	Next Next
}

// Next is the start of a row on the terminal. Row and Col count from 1, as CUP does,
// Room is in cells; all are below 65536. Room 0: there is no such row.
type Next struct{ Row, Col, Room int }

func (n Next) pack() uint64 {
	if n.Room <= 0 || max(n.Row, n.Col, n.Room) > 1<<16-1 {
		return 0
	}
	return uint64(n.Row)<<32 | uint64(n.Col)<<16 | uint64(n.Room)
}

func unpackNext(w uint64) Next {
	return Next{Row: int(w >> 32 & 0xffff), Col: int(w >> 16 & 0xffff), Room: int(w & 0xffff)}
}

// Written is an echo that a host has written to a lent terminal; the zero value is none.
type Written struct {
	Text string
	// Wrapped: written at Loan.Next instead of at the cursor.
	Wrapped bool
}

// lending is the client's state of the loan. Guarded by Line.mu.
type lending struct {
	on   bool // the terminal is lent
	lost bool // the host did not give it back: never lend again
	// wrote is the echo since the last TakeBack; broken: the host has written something
	// unknown.
	wrote  Written
	broken bool
}

// Lend allows the host to write, once and until TakeBack, the text that its program
// prints next, if that is plain. It does nothing while the terminal is lent already.
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

// TakeBack ends Lend and returns the host's echo since. known is false if the
// host may have written something unknown. It waits for a host that is writing, at most
// for holdWait; a host that takes longer gets no loan any more.
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
	if _, plain := plainCells([]byte(text)); n > 0 && !plain {
		l.lent.broken = true
		return
	}
	l.lent.wrote = Written{text, n > 0 && e.wrapped.Load() != 0}
}
