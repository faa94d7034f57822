package vt

import (
	"bytes"
	"ccdir/sessions/screen"
	"unicode"
	"unicode/utf8"
)

// maxTitle is the most bytes that a title has.
const maxTitle = 1024

// osc acts on an operating system command and passes it to the listener. A command without
// a number is ignored.
func (t *Terminal) osc(s []byte, bel bool) {
	number, data, _ := bytes.Cut(s, []byte{';'})
	code, ok := oscCode(number)
	if !ok {
		return
	}
	switch code {
	case 0, 2:
		t.title = cleanTitle(data)
	case 8:
		t.setLink(data)
	case 133:
		t.promptMark(data)
	}
	if t.opt.Listener == nil {
		return
	}
	if l, ok := t.opt.Listener.(screen.TerminatorListener); ok {
		l.OSCTerminator(bel)
	}
	if answer := t.opt.Listener.OSC(code, data); answer != nil {
		t.reply(answer)
	}
}

// oscTooLong tells the listener of a command that is too long, of which s is the beginning.
func (t *Terminal) oscTooLong(s []byte) {
	number, _, cut := bytes.Cut(s, []byte{';'})
	code, ok := oscCode(number)
	if l, listens := t.opt.Listener.(screen.TerminatorListener); cut && ok && listens {
		l.OSCTooLong(code)
	}
}

func oscCode(s []byte) (code int, ok bool) {
	if len(s) == 0 || len(s) > 6 {
		return 0, false
	}
	for _, b := range s {
		if b < '0' || b > '9' {
			return 0, false
		}
		code = code*10 + int(b-'0')
	}
	return code, true
}

// setLink is OSC 8 ; params ; URI. An empty URI ends the link. A link that is
// not usable or has no room ends it too: text must not point elsewhere.
func (t *Terminal) setLink(data []byte) {
	_, uri, ok := bytes.Cut(data, []byte{';'})
	if !ok {
		return
	}
	t.pen.style.Link = t.linkID(uri)
	t.penChanged()
}

// cleanTitle makes a title of what an application sent: valid UTF-8 without
// control characters, at most maxTitle bytes.
func cleanTitle(data []byte) string {
	out := make([]byte, 0, min(len(data), maxTitle))
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		data = data[n:]
		if unicode.IsControl(r) {
			continue
		}
		if len(out)+utf8.RuneLen(r) > maxTitle {
			break
		}
		out = utf8.AppendRune(out, r)
	}
	return string(out)
}
