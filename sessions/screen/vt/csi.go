package vt

// csiDispatch acts on a complete control sequence. Sequences that are not known
// do nothing.
func (t *Terminal) csiDispatch(final byte) {
	ps := &t.parser
	if final == 'm' && ps.ninter == 0 && ps.prefix == 0 {
		// A rendition between a character and its marks changes nothing about
		// where they belong.
		t.last.repeat = false
		t.sgr(&ps.params)
		return
	}
	if final == 'b' && ps.ninter == 0 && ps.prefix == 0 {
		t.repeat(ps.params.arg(0, 1))
	}
	t.last = lastCluster{}
	switch {
	case ps.ninter > 1:
	case ps.ninter == 1:
		t.csiInter(ps.prefix, ps.inter[0], final)
	case ps.prefix != 0:
		t.csiPrefix(ps.prefix, final)
	case t.csiCursor(final) || t.csiEdit(final):
	default:
		t.csiOther(final)
	}
}

// csiCursor moves the cursor and reports whether final does so.
func (t *Terminal) csiCursor(final byte) bool {
	p := &t.parser.params
	n := p.arg(0, 1)
	switch final {
	case 'A':
		t.up(n)
	case 'B':
		t.down(n)
	case 'C', 'a':
		t.right(n)
	case 'D':
		t.right(-n)
	case 'E':
		t.down(n)
		t.cur.x = 0
	case 'F':
		t.up(n)
		t.cur.x = 0
	case 'G', '`':
		t.moveTo(n-1, t.cur.y)
	case 'H', 'f':
		t.moveOrigin(p.arg(1, 1)-1, n-1)
	case 'I':
		t.tabForward(n)
	case 'Z':
		t.tabBack(n)
	case 'd':
		t.moveOrigin(t.cur.x, n-1)
	case 'e':
		t.moveTo(t.cur.x, t.cur.y+n)
	default:
		return false
	}
	return true
}

// csiEdit changes cells and reports whether final does so.
func (t *Terminal) csiEdit(final byte) bool {
	p := &t.parser.params
	n := p.arg(0, 1)
	switch final {
	case '@':
		t.insertChars(n)
	case 'J':
		t.eraseDisplay(p.arg(0, 0), false)
	case 'K':
		t.eraseLine(p.arg(0, 0), false)
	case 'L':
		t.insertLines(n)
	case 'M':
		t.deleteLines(n)
	case 'P':
		t.deleteChars(n)
	case 'S':
		t.scrollUp(t.cur.top, t.cur.bottom, n, t.pen.blank, true)
	case 'T':
		if p.top == 1 { // with more it asks for highlight tracking
			t.scrollDown(t.cur.top, t.cur.bottom, n, 0)
		}
	case 'X':
		t.eraseChars(n)
	default:
		return false
	}
	return true
}

func (t *Terminal) csiOther(final byte) {
	p := &t.parser.params
	switch final {
	case 'c':
		if p.arg(0, 0) == 0 {
			t.primaryAttributes()
		}
	case 'g':
		t.clearTabs(p.arg(0, 0))
	case 'h', 'l':
		t.setModes(p, final == 'h')
	case 'n':
		t.deviceStatus(p.arg(0, 0), "")
	case 'r':
		t.setMargins(p.arg(0, 0), p.arg(1, 0))
	case 's':
		t.saveCursor()
	case 't':
		t.windowOp(p.arg(0, 0), p.arg(1, 0))
	case 'u':
		t.restoreCursor()
	}
}

// csiPrefix acts on sequences with one of < = > ? before the parameters.
func (t *Terminal) csiPrefix(prefix, final byte) {
	p := &t.parser.params
	switch string([]byte{prefix, final}) {
	case "?h", "?l":
		t.setPrivateModes(p, final == 'h')
	case "?J":
		t.eraseDisplay(p.arg(0, 0), true)
	case "?K":
		t.eraseLine(p.arg(0, 0), true)
	case "?n":
		t.deviceStatus(p.arg(0, 0), "?")
	case "?u", ">u", "<u", "=u":
		t.kittyKeyboard(prefix, p)
	case ">c":
		if p.arg(0, 0) == 0 {
			t.secondaryAttributes()
		}
	case ">m":
		t.setModifyOtherKeys(p)
	case ">n":
		if p.arg(0, 0) == 4 {
			t.mode.modifyOtherKeys = 0
		}
	case ">q":
		if p.arg(0, 0) == 0 {
			t.reportVersion()
		}
	}
}

// csiInter acts on sequences with one intermediate byte.
func (t *Terminal) csiInter(prefix, inter, final byte) {
	p := &t.parser.params
	if prefix != 0 {
		if prefix == '?' && inter == '$' && final == 'p' {
			t.requestMode(p.arg(0, 0), true)
		}
		return
	}
	n := p.arg(0, 1)
	switch string([]byte{inter, final}) {
	case " @":
		t.columns(0, -n)
	case " A":
		t.columns(0, n)
	case "'}":
		t.columns(t.cur.x, n)
	case "'~":
		t.columns(t.cur.x, -n)
	case " q":
		if shape := p.arg(0, 0); shape <= 6 {
			t.shape = uint8(shape)
			t.mode.blink = shape%2 == 1
		}
	case "\"q":
		t.setProtected(p.arg(0, 0))
	case "!p":
		t.softReset()
	case "$p":
		t.requestMode(p.arg(0, 0), false)
	}
}
