package vt

import (
	"ccdir/internal/cells"
	"ccdir/sessions/screen"
)

// modes are the settings that ANSI and DEC private modes switch.
type modes struct {
	insert, newLine               bool // IRM, LNM
	origin, wrap, reverseWrap     bool // ?6 ?7 ?45
	cursor, blink                 bool // ?25 ?12
	appCursor, appKeypad, reverse bool // ?1 ?66 ?5
	mouse                         screen.MouseMode
	mouseEncoding                 screen.MouseEncoding
	focus, paste, altScroll       bool // ?1004 ?2004 ?1007
	sync, colorScheme             bool // ?2026 ?2031
	modifyOtherKeys               uint8
}

func defaultModes() modes { return modes{wrap: true, cursor: true} }

// flag returns the switch behind a DEC private mode that is a plain one; nil
// for others.
func (m *modes) flag(mode int) *bool {
	switch mode {
	case 1:
		return &m.appCursor
	case 5:
		return &m.reverse
	case 7:
		return &m.wrap
	case 12:
		return &m.blink
	case 25:
		return &m.cursor
	case 45:
		return &m.reverseWrap
	case 66:
		return &m.appKeypad
	case 1004:
		return &m.focus
	case 1007:
		return &m.altScroll
	case 2004:
		return &m.paste
	case 2026:
		return &m.sync
	case 2031:
		return &m.colorScheme
	}
	return nil
}

var mouseModes = map[int]screen.MouseMode{
	9: screen.MouseX10, 1000: screen.MouseNormal, 1002: screen.MouseButton, 1003: screen.MouseAny,
}

var mouseEncodings = map[int]screen.MouseEncoding{
	1005: screen.MouseUTF8, 1006: screen.MouseSGR, 1015: screen.MouseURXVT, 1016: screen.MouseSGRPixels,
}

// setModes is SM and RM (CSI … h, l).
func (t *Terminal) setModes(ps *params, on bool) {
	for i := range ps.top {
		switch ps.arg(i, 0) {
		case 4:
			t.mode.insert = on
		case 20:
			t.mode.newLine = on
		}
	}
}

// setPrivateModes is DECSET and DECRST (CSI ? … h, l).
func (t *Terminal) setPrivateModes(ps *params, on bool) {
	for i := range ps.top {
		t.setPrivateMode(ps.arg(i, 0), on)
	}
}

func (t *Terminal) setPrivateMode(mode int, on bool) {
	m := &t.mode
	if f := m.flag(mode); f != nil {
		*f = on
		return
	}
	if kind, ok := mouseModes[mode]; ok {
		if m.mouse = kind; !on {
			m.mouse = screen.MouseOff
		}
		return
	}
	if enc, ok := mouseEncodings[mode]; ok {
		if m.mouseEncoding = enc; !on {
			m.mouseEncoding = screen.MouseLegacy
		}
		return
	}
	switch mode {
	case 2: // VT52 mode is not there; setting it designates ASCII
		if on {
			t.charset = charsets{}
		}
	case 6:
		m.origin = on
		t.moveOrigin(0, 0)
	case 47, 1047:
		t.showAlt(on)
	case 1048, 1049:
		t.altWithCursor(mode == 1049, on)
	}
}

// altWithCursor is mode 1048, which saves and restores the cursor, and 1049,
// which changes the screen too.
func (t *Terminal) altWithCursor(change, on bool) {
	if on {
		t.saveCursor()
	}
	if change {
		t.showAlt(on)
	}
	if !on {
		t.restoreCursor()
	}
}

// showAlt changes between the main and the alternate screen. The alternate one
// is blank, with full margins, whenever it is entered. The cursor stays where
// it is.
func (t *Terminal) showAlt(on bool) {
	from := t.cur
	if on == (from == &t.alt) {
		return
	}
	to := &t.main
	if on {
		to = &t.alt
		if len(to.lines) == 0 {
			to.alloc(t.cols, t.rows)
		}
		to.top, to.bottom = 0, t.rows-1
	}
	to.x, to.y = from.x, from.y
	t.cur = to
	if on {
		t.blankLines(0, t.rows-1, t.pen.blank)
	} else {
		t.altLeft = t.fed
	}
	t.switched()
}

// LeftScreen implements [screen.Leaver].
func (t *Terminal) LeftScreen(within int) []cells.Row {
	if t.cur == &t.alt || t.altLeft == 0 || t.fed-t.altLeft > uint64(within) {
		return nil
	}
	rows := make([]cells.Row, len(t.alt.lines))
	for y, l := range t.alt.lines {
		rows[y] = cells.Row{Cells: l.cells, Edited: l.edited, Wrapped: l.wrapped}
	}
	return rows
}

// DECRPM values.
const (
	modeUnknown = iota
	modeSet
	modeReset
	modeAlwaysSet
	modeNeverSet
)

func report(on bool) int {
	if on {
		return modeSet
	}
	return modeReset
}

// requestMode is DECRQM.
func (t *Terminal) requestMode(mode int, private bool) {
	value, mark := t.ansiMode(mode), ""
	if private {
		value, mark = t.privateMode(mode), "?"
	}
	t.replyf("\x1b[%s%d;%d$y", mark, mode, value)
}

func (t *Terminal) ansiMode(mode int) int {
	switch mode {
	case 2:
		return modeNeverSet
	case 4:
		return report(t.mode.insert)
	case 12:
		return modeAlwaysSet
	case 20:
		return report(t.mode.newLine)
	}
	return modeUnknown
}

func (t *Terminal) privateMode(mode int) int {
	m := &t.mode
	if f := m.flag(mode); f != nil {
		return report(*f)
	}
	if kind, ok := mouseModes[mode]; ok {
		return report(m.mouse == kind)
	}
	if enc, ok := mouseEncodings[mode]; ok {
		return report(m.mouseEncoding == enc)
	}
	switch mode {
	case 6:
		return report(m.origin)
	case 8: // auto-repeat
		return modeAlwaysSet
	case 67: // backarrow key sends BS
		return modeNeverSet
	case 47, 1047, 1049:
		return report(t.cur == &t.alt)
	case 1048: // as xterm has it
		return modeSet
	case 2027: // grapheme clusters
		return modeAlwaysSet
	}
	return modeUnknown
}

// softReset is DECSTR.
func (t *Terminal) softReset() {
	m := &t.mode
	m.cursor, m.wrap = true, true
	m.insert, m.origin, m.reverseWrap = false, false, false
	m.appCursor, m.appKeypad, m.sync = false, false, false
	t.cur.top, t.cur.bottom = 0, t.rows-1
	t.pen.style = cells.Style{Link: t.pen.style.Link}
	t.penChanged()
	t.charset = charsets{}
	t.cur.saved = savedCursor{}
}
