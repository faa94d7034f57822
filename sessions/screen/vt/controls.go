package vt

// execute acts on a C0 control.
func (t *Terminal) execute(b byte) {
	t.last = lastCluster{}
	switch b {
	case 0x07:
		if t.opt.Listener != nil {
			t.opt.Listener.Bell()
		}
	case '\b':
		t.backspace()
	case '\t':
		t.tabForward(1)
	case '\n', 0x0b, 0x0c:
		t.lineFeed()
	case '\r':
		t.cur.x = 0
	case 0x0e:
		t.charset.gl = 1
	case 0x0f:
		t.charset.gl = 0
	}
}

// c1 acts on a C1 control that came as a code point.
func (t *Terminal) c1(r rune) {
	switch r {
	case 0x90:
		t.enterString(dcsString)
	case 0x98, 0x9e, 0x9f:
		t.enterString(otherString)
	case 0x9b:
		t.enterCSI()
	case 0x9d:
		t.enterString(oscString)
	default:
		t.last = lastCluster{}
		switch r {
		case 0x84:
			t.index()
		case 0x85:
			t.cur.x = 0
			t.index()
		case 0x88:
			t.setTab()
		case 0x8d:
			t.reverseIndex()
		}
	}
}

// escapeDispatch acts on ESC, intermediates and a final byte.
func (t *Terminal) escapeDispatch(final byte) {
	t.last = lastCluster{}
	ps := &t.parser
	switch ps.ninter {
	case 0:
		t.escapeFinal(final)
	case 1:
		switch inter := ps.inter[0]; inter {
		case '(', ')', '*', '+':
			t.charset.designate(int(inter-'('), final)
		case '-', '.': // 96-character sets: G1, G2
			t.charset.designate(int(inter-'-')+1, final)
		case '%':
			if final == '@' || final == 'G' {
				t.charset.gl = 0
				t.charset.g[0] = 0
			}
		case '#':
			if final == '8' {
				t.alignmentTest()
			}
		}
	}
}

func (t *Terminal) escapeFinal(final byte) {
	switch final {
	case '7':
		t.saveCursor()
	case '8':
		t.restoreCursor()
	case 'D':
		t.index()
	case 'E':
		t.cur.x = 0
		t.index()
	case 'H':
		t.setTab()
	case 'M':
		t.reverseIndex()
	case 'N':
		t.charset.single = 2
	case 'O':
		t.charset.single = 3
	case 'Z': // DECID
		t.primaryAttributes()
	case 'c':
		t.fullReset()
	case '=':
		t.mode.appKeypad = true
	case '>':
		t.mode.appKeypad = false
	case 'n', '}': // LS2, and the shifts of GR as xterm.js takes them
		t.charset.gl = 2
	case 'o', '|':
		t.charset.gl = 3
	case '~':
		t.charset.gl = 1
	}
}
