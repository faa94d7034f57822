package tui

import (
	"time"
	"unicode/utf8"

	"ccdir/tui/paint"
	"ccdir/tui/pane"
	"ccdir/tui/terminal/tty"
	"ccdir/wire"
	"ccdir/wire/directline"
)

// While a person types into a pane, the painter lends the terminal to the host of its
// session between two frames: the host writes a key's echo itself, which takes one
// process switch less. The frame that follows finds it there. Whatever else is to be
// written, the terminal is taken back first, so that nobody writes beside the painter.

// lendFor is how long after a key the terminal is lent: a while, because each first
// time costs a few bytes.
const lendFor = 2 * time.Second

// spot is where the person types: the pane, and what of it may be lent as it is
// composed. The zero value is nowhere.
type spot struct {
	pane *pane.Pane
	of   directline.Loan
	last int // the column of the picture's last one on the terminal
}

// lendable is the terminal if it can be lent: it shows every letter, and as a file of
// our own its mode suits both.
func lendable(t *tty.Terminal, caps paint.Caps) wire.Display {
	own := t.File()
	if own == nil || caps.Glyphs != paint.GlyphsAll {
		return nil
	}
	return own
}

// lends is the line to whose host the terminal may be lent after the frame that ends
// with the cursor at cur, nil if to none. p.extra.busy is held.
func (p *painter) lends(cur paint.Cursor) *directline.Line {
	at := p.comp.spot
	if at.pane == nil || !at.pane.Lendable() || at.of.Shows == 0 || !cur.Visible ||
		p.now().UnixNano()-p.router.typedAt.Load() > int64(lendFor) {
		return nil
	}
	return at.pane.Line()
}

// lend lends the terminal to the host of that line, if there is one. p.extra.busy is
// held.
func (p *painter) lend(l *directline.Line) {
	if l == nil {
		return
	}
	p.lent, p.lentAt = l, p.comp.spot
	l.Lend(p.lentAt.of)
}

// takeBack ends that and takes note of what the host has written: on the surface too,
// unless that shows a later picture already. cells is how many cells the surface shows
// of it now that are not in its picture. p.extra.busy is held.
func (p *painter) takeBack() (wrote directline.Written, cells int) {
	l := p.lent
	if l == nil {
		return wrote, 0
	}
	p.lent = nil
	wrote, known := l.TakeBack()
	if !known {
		p.w.Clear()
	}
	if wrote.Text == "" {
		return wrote, 0
	}
	if next := p.lentAt.of.Next; wrote.Wrapped {
		p.w.Moved(next.Col-1, next.Row-1)
	}
	if p.comp.spot.pane == p.lentAt.pane && p.comp.spot.of.Shows == p.lentAt.of.Shows {
		p.w.Echoed(p.comp.s, wrote.Text)
		cells = utf8.RuneCountInString(wrote.Text)
	} else {
		p.w.EchoedBefore(p.comp.s, wrote.Text)
	}
	p.pipe.Wrote(p.now(), len(wrote.Text), false)
	p.bytes.Add(uint64(len(wrote.Text)))
	return wrote, cells
}

// takeBackLate is takeBack after the same scene was composed anew, with the cursor
// at cur: until then the host may write. It returns where the cursor is now.
func (p *painter) takeBackLate(cur paint.Cursor) paint.Cursor {
	wrote, cells := p.takeBack()
	if cells == 0 {
		return cur
	}
	if next := p.lentAt.of.Next; wrote.Wrapped {
		cur.X, cur.Y = next.Col-1, next.Row-1
	}
	cur.X = min(cur.X+cells, p.lentAt.last) // behind the last column it waits in it
	p.comp.spot = spot{}                    // its picture is shown no more
	return cur
}

// leave takes the terminal back when the painter ends. During a pause that has been
// done.
func (p *painter) leave() {
	if p.extra.busy.TryLock() {
		p.takeBack()
		p.extra.busy.Unlock()
	}
}
