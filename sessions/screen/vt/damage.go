package vt

import "ccdir/sessions/screen"

// damage keeps the generations: which rows changed in which Feed.
type damage struct {
	gen     uint64 // of the newest change
	next    uint64 // the generation that the running Feed gives out
	touched bool   // the running Feed changed a row

	// Rows of the active page that got another line in the running Feed;
	// empty if movedTop > movedBottom. Applied once, when it ends.
	movedTop, movedBottom int

	// The last scrolls, oldest first, one entry for all of one Feed in one
	// region. floor is the generation of the newest entry forgotten.
	scrolls  [8]scrolled
	nscrolls int
	floor    uint64
}

// scrolled is one entry of the scroll log; bottom < top marks a change that no
// scroll describes (another page, another size, a new table).
type scrolled struct {
	gen         uint64
	top, bottom int
	n           int
}

// touch marks the cursor's line as edited.
func (t *Terminal) touch() { t.touchLine(t.cur.line()) }

func (t *Terminal) touchLine(l *line) {
	l.edited = t.damage.next
	l.used = len(l.cells)
	t.damage.touched = true
}

// touchText marks a line as edited in columns below end.
func (t *Terminal) touchText(l *line, end int) {
	l.edited = t.damage.next
	l.used = max(l.used, end)
	t.damage.touched = true
}

// touchAll marks every row as changed.
func (t *Terminal) touchAll() { t.damage.move(0, t.rows-1) }

// move marks that the rows top to bottom show other lines now.
func (d *damage) move(top, bottom int) {
	if d.movedTop > d.movedBottom {
		d.movedTop, d.movedBottom = top, bottom
	} else {
		d.movedTop, d.movedBottom = min(d.movedTop, top), max(d.movedBottom, bottom)
	}
	d.touched = true
}

// scroll logs that the rows top to bottom moved up by n.
func (d *damage) scroll(top, bottom, n int) {
	d.move(top, bottom)
	if d.nscrolls > 0 {
		e := &d.scrolls[d.nscrolls-1]
		if e.gen == d.next && e.top == top && e.bottom == bottom {
			e.n += n
			return
		}
	}
	d.log(scrolled{gen: d.next, top: top, bottom: bottom, n: n})
}

// barrier logs a change that scroll hints cannot describe.
func (d *damage) barrier() { d.log(scrolled{gen: d.next, top: 0, bottom: -1}) }

func (d *damage) log(e scrolled) {
	if d.nscrolls == len(d.scrolls) {
		d.floor = d.scrolls[0].gen
		copy(d.scrolls[:], d.scrolls[1:])
		d.nscrolls--
	}
	d.scrolls[d.nscrolls] = e
	d.nscrolls++
}

// settle ends a Feed or a Resize that began in state before.
func (t *Terminal) settle(before screen.State) {
	d := &t.damage
	for y := d.movedTop; y <= d.movedBottom && y < t.rows; y++ {
		t.cur.moved[y] = d.next
	}
	d.movedTop, d.movedBottom = 0, -1
	if d.touched || before != t.State() {
		d.gen = d.next
	}
	d.touched = false
}

// Gen implements [screen.Engine].
func (t *Terminal) Gen() uint64 { return t.damage.gen }

// ScrollHint implements [screen.Engine]: ok is true if all rows that moved
// since then did so within one region. The rows to repaint after it are those
// whose Edited is newer than since.
func (t *Terminal) ScrollHint(since uint64) (hint screen.Scroll, ok bool) {
	d := &t.damage
	if since < d.floor {
		return screen.Scroll{}, false
	}
	for i := d.nscrolls - 1; i >= 0 && d.scrolls[i].gen > since; i-- {
		e := d.scrolls[i]
		if e.bottom < e.top || ok && (e.top != hint.Top || e.bottom != hint.Bottom) {
			return screen.Scroll{}, false
		}
		hint.Top, hint.Bottom = e.top, e.bottom
		hint.N += e.n
		ok = true
	}
	return hint, ok
}
