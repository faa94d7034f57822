package vt10x

import (
	"unicode/utf8"

	"ccdir/sessions/screen"

	upstream "github.com/hinshun/vt10x"
)

// filter stands before vt10x: it cuts the stream into text, controls and
// sequences, keeps the state that vt10x does not know, answers queries, and
// hands on only what vt10x understands in the way it is meant.
type filter struct {
	e     *Engine
	state parseState
	seq   []byte // parameters of a CSI, data of an OSC, intermediates of an ESC
	over  bool   // seq went over its limit: the sequence is dropped
	carry []byte // start of a character that a read cut
	out   []byte // for vt10x, not written yet
	last  rune   // the character printed last, for REP

	modes  screen.Modes
	shape  uint8
	sync   bool
	title  string
	kitty  []uint8 // flags pushed
	region bool    // a scroll region smaller than the screen is set
	noWrap bool
}

type parseState uint8

const (
	ground parseState = iota
	escape
	escapeMore // after an intermediate byte
	csi
	osc
	oscEscape
	ignored // DCS, SOS, PM, APC
	ignoredEscape
)

const (
	maxCSI = 256
	maxOSC = 64 << 10
)

const (
	bel = 0x07
	can = 0x18
	sub = 0x1a
	esc = 0x1b
	del = 0x7f
)

// reset forgets the modes, as a fresh terminal has them; the parser goes on.
func (f *filter) reset() {
	f.modes, f.shape, f.sync, f.region, f.noWrap = screen.Modes{}, 0, false, false, false
	f.kitty = f.kitty[:0]
	f.out = f.out[:0]
}

// resized: vt10x drops its scroll region then.
func (f *filter) resized() { f.region = false }

func (f *filter) feed(p []byte) {
	for len(p) > 0 {
		if f.state == ground {
			p = p[f.ground(p):]
			continue
		}
		f.step(p[0])
		p = p[1:]
	}
	f.flush()
	if cap(f.seq) > 4<<10 && f.state == ground {
		f.seq = nil
	}
}

func (f *filter) flush() {
	if len(f.out) > 0 {
		p := f.out
		f.out = f.out[:0]
		f.e.write(p)
	}
}

// ground handles text and controls at the start of p; it returns how many bytes
// it took.
func (f *filter) ground(p []byte) int {
	if len(f.carry) > 0 {
		return f.complete(p)
	}
	if c := p[0]; c < ' ' || c == del {
		f.control(c)
		return 1
	}
	n := 1
	for n < len(p) && p[n] >= ' ' && p[n] != del {
		n++
	}
	text := p[:n]
	if n == len(p) {
		if cut := incomplete(text); cut > 0 {
			f.carry = append(f.carry[:0], text[n-cut:]...)
			text = text[:n-cut]
		}
	}
	f.text(text)
	return n
}

// complete adds bytes to the character that the last read cut.
func (f *filter) complete(p []byte) int {
	n := 0
	for n < len(p) && p[n]&0xc0 == 0x80 && !utf8.FullRune(f.carry) {
		f.carry = append(f.carry, p[n])
		n++
	}
	if n == len(p) && !utf8.FullRune(f.carry) {
		return n
	}
	text := f.carry
	f.carry = nil
	f.text(text)
	return n
}

// incomplete returns the length of a character that p ends in the middle of.
func incomplete(p []byte) int {
	for i := 1; i < utf8.UTFMax && i <= len(p); i++ {
		if c := p[len(p)-i]; c >= utf8.RuneSelf {
			if !utf8.RuneStart(c) {
				continue
			}
			if !utf8.FullRune(p[len(p)-i:]) {
				return i
			}
		}
		break
	}
	return 0
}

// column is where the next character goes; cols when a wrap is due.
func (f *filter) column() int {
	f.flush()
	cur := f.e.term.Cursor()
	if cur.State&upWrapNext != 0 && !f.noWrap {
		return f.e.cols
	}
	return cur.X
}

// text prints characters, pushing the line that a wrap scrolls out.
func (f *filter) text(p []byte) {
	x := f.column()
	for len(p) > 0 {
		r, n := utf8.DecodeRune(p)
		p = p[n:]
		if r >= 0x80 && r < 0xa0 || zeroWidth(r) || r == filler {
			continue
		}
		w := 1
		if wide(r) && f.e.cols > 1 {
			w = 2
		}
		if w == 2 && x == f.e.cols-1 && !f.noWrap {
			f.out = append(f.out, ' ')
			x++
		}
		if x >= f.e.cols && !f.noWrap {
			f.flush()
			f.scrollsOut()
			x = 0
		}
		f.last = r
		f.out = utf8.AppendRune(f.out, r)
		if w == 2 {
			f.out = utf8.AppendRune(f.out, filler)
		}
		x += w
	}
}

// scrollsOut keeps the top line if moving down from the cursor's row scrolls it
// off the main screen. Everything before is written to vt10x.
func (f *filter) scrollsOut() {
	if f.keepsHistory() && f.e.term.Cursor().Y == f.e.rows-1 {
		f.e.pushTop()
	}
}

func (f *filter) keepsHistory() bool {
	return !f.region && f.e.history.maxLines > 0 && f.e.term.Mode()&upstream.ModeAltScreen == 0
}

func (f *filter) control(c byte) {
	switch c {
	case esc:
		f.begin(escape)
	case bel:
		if l := f.e.opts.Listener; l != nil {
			l.Bell()
		}
	case '\n', '\v', '\f':
		f.flush()
		f.scrollsOut()
		f.out = append(f.out, '\n')
	case '\t', '\b', '\r':
		f.out = append(f.out, c)
	}
}

func (f *filter) begin(s parseState) {
	f.state, f.seq, f.over = s, f.seq[:0], false
}

// step takes one byte of a sequence.
func (f *filter) step(c byte) {
	switch c {
	case can, sub:
		f.begin(ground)
		return
	case esc:
		switch f.state {
		case osc:
			f.state = oscEscape
		case ignored:
			f.state = ignoredEscape
		default:
			f.begin(escape)
		}
		return
	}
	switch f.state {
	case escape:
		f.escape(c)
	case escapeMore:
		f.escapeMore(c)
	case csi:
		f.csiByte(c)
	case osc:
		if c == bel {
			f.endOSC(true)
		} else {
			f.put(c, maxOSC)
		}
	case oscEscape:
		if c == '\\' {
			f.endOSC(false)
			return
		}
		f.begin(escape)
		f.step(c)
	case ignored:
	case ignoredEscape:
		f.begin(escape)
		f.step(c)
	}
}

func (f *filter) put(c byte, limit int) {
	if len(f.seq) >= limit {
		f.over = true
		return
	}
	f.seq = append(f.seq, c)
}

func (f *filter) csiByte(c byte) {
	switch {
	case c < ' ':
		f.control(c)
	case c >= 0x40 && c < del:
		f.state = ground
		if !f.over {
			f.csi(c)
		}
	case c < 0x40:
		f.put(c, maxCSI)
	}
}

// escape handles the byte after ESC.
func (f *filter) escape(c byte) {
	switch c {
	case '[':
		f.begin(csi)
		return
	case ']':
		f.begin(osc)
		return
	case 'P', 'X', '^', '_', 'k':
		f.begin(ignored)
		return
	}
	if c < ' ' {
		f.control(c)
		return
	}
	if c < '0' {
		f.put(c, maxCSI)
		f.state = escapeMore
		return
	}
	f.begin(ground)
	f.flush()
	switch c {
	case 'D', 'E':
		f.scrollsOut()
	case 'c':
		f.reset()
	case '=':
		f.modes.AppKeypad = true
	case '>':
		f.modes.AppKeypad = false
	case 'Z':
		f.e.reply(primaryAttributes)
		return
	case 'H', 'M', '7', '8':
	default:
		return
	}
	f.out = append(f.out, esc, c)
}

// escapeMore handles what follows an intermediate byte: of the character sets
// vt10x has line drawing in G0 only.
func (f *filter) escapeMore(c byte) {
	if c < '0' {
		if c < ' ' {
			f.control(c)
		} else {
			f.put(c, maxCSI)
		}
		return
	}
	inter := string(f.seq)
	f.begin(ground)
	switch inter {
	case "(":
		if c != '0' {
			c = 'B'
		}
		f.out = append(f.out, esc, '(', c)
	case "#":
		if c == '8' {
			f.out = append(f.out, esc, '#', '8')
		}
	}
}
