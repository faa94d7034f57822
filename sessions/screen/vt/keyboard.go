package vt

import "ccdir/sessions/screen"

// kittyStack is the stack of flags of the kitty keyboard protocol; each screen
// has its own. The deepest entries are forgotten when it is full.
type kittyStack struct {
	entries [16]uint8
	n       int
}

// kittyStack returns the one of the active screen.
func (t *Terminal) kittyStack() *kittyStack {
	if t.cur == &t.alt {
		return &t.kitty[1]
	}
	return &t.kitty[0]
}

func (k *kittyStack) flags() uint8 {
	if k.n == 0 {
		return 0
	}
	return k.entries[k.n-1]
}

func (k *kittyStack) push(flags uint8) {
	if k.n == len(k.entries) {
		copy(k.entries[:], k.entries[1:])
		k.n--
	}
	k.entries[k.n] = flags
	k.n++
}

func (k *kittyStack) pop(n int) { k.n = max(0, k.n-n) }

// set changes the flags in force: 1 sets, 2 adds, 3 takes away.
func (k *kittyStack) set(flags uint8, how int) {
	if k.n == 0 {
		k.push(0)
	}
	e := &k.entries[k.n-1]
	switch how {
	case 1:
		*e = flags
	case 2:
		*e |= flags
	case 3:
		*e &^= flags
	}
}

// kittyKeyboard acts on CSI < = > ? … u. The query is answered only if the
// protocol is configured: an application that gets no answer does not use it.
func (t *Terminal) kittyKeyboard(prefix byte, p *params) {
	k := t.kittyStack()
	flags := uint8(p.arg(0, 0) & screen.KittyKept)
	switch prefix {
	case '>':
		k.push(flags)
	case '<':
		k.pop(p.arg(0, 1))
	case '=':
		k.set(flags, p.arg(1, 1))
	case '?':
		if t.opt.KittyKeyboard {
			t.replyf("\x1b[?%du", k.flags())
		}
	}
}

// setModifyOtherKeys is XTMODKEYS (CSI > 4 ; n m); without n, or without
// anything, it goes back to 0.
func (t *Terminal) setModifyOtherKeys(p *params) {
	if n := p.arg(0, 0); n != 4 && (n != 0 || p.top > 1) {
		return
	}
	if v := p.arg(1, 0); v <= 2 {
		t.mode.modifyOtherKeys = uint8(v)
	}
}
