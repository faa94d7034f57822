package vt10x

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"ccdir/sessions/screen"

	upstream "github.com/hinshun/vt10x"
)

// flag returns the boolean that a DEC private mode sets, nil for others.
func (f *filter) flag(mode int) *bool {
	switch mode {
	case 1:
		return &f.modes.AppCursor
	case 5:
		return &f.modes.ReverseVideo
	case 66:
		return &f.modes.AppKeypad
	case 1004:
		return &f.modes.FocusEvents
	case 1007:
		return &f.modes.AltScroll
	case 2004:
		return &f.modes.BracketedPaste
	case 2026:
		return &f.sync
	case 2031:
		return &f.modes.ColorScheme
	}
	return nil
}

var mouseModes = map[int]screen.MouseMode{
	9: screen.MouseX10, 1000: screen.MouseNormal, 1002: screen.MouseButton, 1003: screen.MouseAny,
}

var mouseEncodings = map[int]screen.MouseEncoding{
	1005: screen.MouseUTF8, 1006: screen.MouseSGR, 1015: screen.MouseURXVT, 1016: screen.MouseSGRPixels,
}

// private keeps a DEC private mode.
func (f *filter) private(mode int, set bool) {
	if p := f.flag(mode); p != nil {
		*p = set
		return
	}
	if mode == 7 {
		f.noWrap = !set
	}
	if m, ok := mouseModes[mode]; ok {
		f.modes.Mouse = screen.MouseOff
		if set {
			f.modes.Mouse = m
		}
	}
	if enc, ok := mouseEncodings[mode]; ok {
		if set {
			f.modes.MouseEncoding = enc
		} else if f.modes.MouseEncoding == enc {
			f.modes.MouseEncoding = screen.MouseLegacy
		}
	}
}

// modeReport is the answer to DECRQM: 0 not known, 1 set, 2 reset.
func (f *filter) modeReport(mode int) int {
	f.flush()
	set, known := false, true
	up := f.e.term.Mode()
	if p := f.flag(mode); p != nil {
		set = *p
	} else if m, ok := mouseModes[mode]; ok {
		set = f.modes.Mouse == m
	} else if enc, ok := mouseEncodings[mode]; ok {
		set = f.modes.MouseEncoding == enc
	} else {
		switch mode {
		case 7:
			set = !f.noWrap
		case 25:
			set = up&upstream.ModeHide == 0
		case 47, 1047, 1049:
			set = up&upstream.ModeAltScreen != 0
		default:
			known = false
		}
	}
	switch {
	case !known:
		return 0
	case set:
		return 1
	}
	return 2
}

// endOSC handles a whole operating system command; withBEL tells how it ended.
func (f *filter) endOSC(withBEL bool) {
	f.state = ground
	if f.over {
		return
	}
	number, data, _ := bytes.Cut(f.seq, []byte{';'})
	code, ok := numbers(string(number))
	if !ok || len(code) != 1 {
		return
	}
	if code[0] == 0 || code[0] == 2 {
		f.title = cleanTitle(string(data))
	}
	l := f.e.opts.Listener
	if l == nil {
		return
	}
	if t, ok := l.(screen.TerminatorListener); ok {
		t.OSCTerminator(withBEL)
	}
	if r := l.OSC(code[0], data); r != nil {
		f.e.reply(string(r))
	}
}

// maxTitle is the limit of screen.State.Title in bytes.
const maxTitle = 1024

func cleanTitle(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r >= del && r < 0xa0 {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
	for len(s) > maxTitle {
		_, n := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-n]
	}
	return s
}
