package vt

// state is a state of the DEC parser. Entry and parameter states of CSI are
// one here; DCS strings are collected whole and taken apart at their end.
type state uint8

const (
	ground state = iota
	escape
	escapeInter
	csiParam
	csiInter
	csiIgnore
	oscString
	dcsString
	otherString // SOS, PM, APC: read over
)

// Bounds of what one sequence may hold. What is beyond is dropped, the
// sequence still counts.
const (
	maxParams    = 32      // parameters, as in xterm.js
	maxSlots     = 64      // parameters and their parts after colons
	maxParam     = 1 << 16 // a number; larger ones count as this
	maxOSC       = 64 << 10
	maxDCS       = 4 << 10
	keepString   = 4 << 10 // capacity kept between strings
	keepNumber   = 8       // bytes kept of a string that is too long: its number
	maxCollected = 2
)

// parser is the state between two bytes.
type parser struct {
	state   state
	prefix  byte // one of < = > ?, or 0
	inter   [maxCollected]byte
	ninter  int // may exceed maxCollected: then nothing matches
	params  params
	str     []byte // the string being collected
	overrun bool   // the string was too long and is dropped
	utf8    partial
	sawC2   bool // last byte of a string was C2: 80 to 9F after it is a C1 control
}

// parse runs p through the state machine.
func (t *Terminal) parse(p []byte) {
	for len(p) > 0 {
		switch t.parser.state {
		case ground:
			p = p[t.takeGround(p):]
		case oscString, dcsString, otherString:
			p = p[t.takeString(p):]
		case csiParam:
			p = p[t.takeParams(p):]
		default:
			p = p[t.takeControl(p):]
		}
	}
}

// takeGround takes text and controls up to the first byte of another state and
// returns how many bytes it used.
func (t *Terminal) takeGround(p []byte) int {
	i := 0
	for i < len(p) {
		b := p[i]
		switch {
		case b >= 0xe1 && b <= 0xf3 && t.parser.utf8.n == 0:
			i += t.takeWide(p[i:])
		case t.parser.utf8.n > 0 || b >= 0x80:
			r, n, ok := t.parser.utf8.next(p[i:])
			i += n
			if ok {
				t.takeRune(r)
				if t.parser.state != ground {
					return i
				}
			}
		case b >= 0x20 && b < 0x7f:
			j := i + 1
			for j < len(p) && p[j]-0x20 < 0x5f {
				j++
			}
			t.ascii(p[i:j])
			i = j
		case b == 0x1b:
			t.enterEscape()
			return i + 1
		default:
			t.execute(b)
			i++
		}
	}
	return i
}

// takeWide takes text of characters of three or four bytes; what is not that, or not
// there wholly, goes the general way.
func (t *Terminal) takeWide(p []byte) int {
	if n := t.printRun(p); n > 0 {
		return n
	}
	if r, ok := threeBytes(p); ok {
		t.print(r)
		return 3
	}
	if r, ok := fourBytes(p); ok {
		t.print(r)
		return 4
	}
	r, n, ok := t.parser.utf8.next(p)
	if ok {
		t.print(r)
	}
	return n
}

// takeRune takes a code point in ground state: text or a C1 control.
func (t *Terminal) takeRune(r rune) {
	if r < 0xa0 {
		t.c1(r)
		return
	}
	t.print(r)
}

// takeControl takes one byte in an escape or control sequence and returns how many
// bytes it used.
func (t *Terminal) takeControl(p []byte) int {
	ps := &t.parser
	b := p[0]
	if ps.utf8.n > 0 || b >= 0x80 {
		return t.takeControlRune(p)
	}
	switch {
	case b == 0x1b:
		t.enterEscape()
	case b == 0x18 || b == 0x1a:
		ps.state = ground
	case b < 0x20:
		t.execute(b)
	case b == 0x7f:
	case ps.state == escape:
		t.takeEscape(b)
	case ps.state == escapeInter:
		if b < 0x30 {
			t.collect(b)
		} else {
			ps.state = ground
			t.escapeDispatch(b)
		}
	case b >= 0x40: // csiInter, csiIgnore
		ignore := ps.state == csiIgnore
		ps.state = ground
		if !ignore {
			t.csiDispatch(b)
		}
	case ps.state == csiInter && b < 0x30:
		t.collect(b)
	default:
		ps.state = csiIgnore
	}
	return 1
}

// takeControlRune takes a code point beyond ASCII inside a sequence: a C1 control
// counts, anything else ends the sequence and is lost, as in xterm.
func (t *Terminal) takeControlRune(p []byte) int {
	r, n, ok := t.parser.utf8.next(p)
	switch {
	case !ok:
	case r < 0xa0:
		t.parser.state = ground
		t.c1(r)
	case t.parser.state != csiIgnore:
		t.parser.state = ground
	}
	return n
}

func (t *Terminal) enterEscape() {
	t.parser.state = escape
	t.parser.ninter, t.parser.prefix = 0, 0
}

func (t *Terminal) collect(b byte) {
	ps := &t.parser
	if ps.ninter < maxCollected {
		ps.inter[ps.ninter] = b
	}
	ps.ninter = min(ps.ninter+1, maxCollected+1)
}

// takeEscape takes the byte after ESC.
func (t *Terminal) takeEscape(b byte) {
	ps := &t.parser
	switch {
	case b == '[':
		t.enterCSI()
	case b == ']':
		t.enterString(oscString)
	case b == 'P':
		t.enterString(dcsString)
	case b == 'X' || b == '^' || b == '_':
		t.enterString(otherString)
	case b < 0x30:
		t.collect(b)
		ps.state = escapeInter
	default:
		ps.state = ground
		t.escapeDispatch(b)
	}
}

func (t *Terminal) enterCSI() {
	ps := &t.parser
	ps.state = csiParam
	ps.ninter, ps.prefix = 0, 0
	ps.params.reset()
}

// takeParams takes the parameter bytes of a control sequence in one loop, and
// the final byte when it follows at once.
func (t *Terminal) takeParams(p []byte) int {
	ps := &t.parser
	if ps.utf8.n > 0 {
		return t.takeControl(p)
	}
	for i, b := range p {
		switch {
		case b >= '0' && b <= '9':
			ps.params.digit(b - '0')
		case b == ';':
			ps.params.separate()
		case b == ':':
			ps.params.part()
		case b >= 0x40 && b < 0x7f:
			ps.state = ground
			t.csiDispatch(b)
			return i + 1
		case b >= 0x3c && b < 0x40:
			if !ps.params.empty() || ps.prefix != 0 {
				ps.state = csiIgnore
				return i + 1
			}
			ps.prefix = b
		case b >= 0x20 && b < 0x30:
			t.collect(b)
			ps.state = csiInter
			return i + 1
		default:
			return i + t.takeControl(p[i:])
		}
	}
	return len(p)
}

func (t *Terminal) enterString(s state) {
	ps := &t.parser
	ps.state = s
	ps.str = ps.str[:0]
	ps.overrun, ps.sawC2 = false, false
}

// takeString collects an OSC or DCS string, or reads over another one, up to its
// terminator and returns how many bytes it used.
func (t *Terminal) takeString(p []byte) int {
	ps := &t.parser
	n := 0
	for n < len(p) {
		b := p[n]
		if b < 0x20 || b&0xe0 == 0x80 && (n > 0 && p[n-1] == 0xc2 || n == 0 && ps.sawC2) {
			break
		}
		n++
	}
	t.gather(p[:n])
	if n == len(p) {
		return n
	}
	switch b := p[n]; {
	case b == 0x9c:
		if !ps.overrun && len(ps.str) > 0 {
			ps.str = ps.str[:len(ps.str)-1] // the C2 before it
		}
		t.endString(false)
	case b >= 0x80: // another C1 control breaks the string off
		ps.state = ground
		t.c1(rune(b))
	case b == 0x1b:
		t.endString(false)
		t.enterEscape()
	case b == 0x18 || b == 0x1a:
		ps.state = ground
	case b == 0x07 && ps.state == oscString:
		t.endString(true)
	case ps.state == dcsString:
		t.gather(p[n : n+1])
	}
	return n + 1
}

// gather keeps a piece of a string, unless it has become too long.
func (t *Terminal) gather(p []byte) {
	ps := &t.parser
	if len(p) == 0 {
		return
	}
	ps.sawC2 = p[len(p)-1] == 0xc2
	limit := maxOSC
	switch ps.state {
	case dcsString:
		limit = maxDCS
	case otherString:
		return
	}
	if ps.overrun || len(ps.str)+len(p) > limit {
		if !ps.overrun {
			ps.str = append(ps.str, p[:min(len(p), keepNumber)]...)
		}
		ps.overrun = true
		return
	}
	ps.str = append(ps.str, p...)
}

// endString acts on the string that is complete now; bel: a BEL ended it.
func (t *Terminal) endString(bel bool) {
	ps := &t.parser
	s := ps.state
	ps.state = ground
	t.last.repeat = false
	switch {
	case ps.overrun && s == oscString:
		t.oscTooLong(ps.str)
	case ps.overrun:
	case s == oscString:
		t.osc(ps.str, bel)
	case s == dcsString:
		t.dcs(ps.str)
	}
	if cap(ps.str) > keepString {
		ps.str = nil
	}
}
